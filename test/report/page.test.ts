/** The page is one file that asks for nothing, and whatever a record says stays text in every format. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { formats } from '../../src/report/formats/index.js';
import { buildReport } from '../../src/report/model.js';
import type { ReadReport } from '../../src/report/read-report.js';
import { batchOf, noPeakBeside, peakCase } from '../support/batch.js';
import { reportOf } from '../support/report.js';

const HOSTILE = `</script><img src=x onerror="globalThis.taken=1"><!-- '"&`;

let read: ReadReport;
let hostile: ReadReport;
beforeAll(async () => {
  read = await reportOf([{ repetitions: 20 }, { size: 64, repetitions: 20 }]);
  const { report } = read;
  hostile = {
    ...read,
    report: {
      ...report,
      id: HOSTILE,
      command: [HOSTILE],
      contendedBy: HOSTILE,
      machine: [[HOSTILE, HOSTILE]],
      headline: { ...report.headline, title: HOSTILE, of: HOSTILE, verification: HOSTILE },
      batches: report.batches.map((batch, i) => ({
        ...batch,
        name: `${HOSTILE}${i}`,
        label: `${HOSTILE}${i}`,
        title: HOSTILE,
        rateUnit: HOSTILE,
        flags: [{ name: HOSTILE, reason: HOSTILE, evidence: {}, inspections: [0] }],
      })),
    },
  };
});

async function textOf(name: string, from: ReadReport): Promise<string> {
  const format = formats.find((one) => one.name === name);
  if (format?.text == null) throw new Error(`no text of ${name}`);
  let text = '';
  for await (const piece of format.text({ read: from, warn: () => {}, samples: false })) text += piece;
  return text;
}

async function filesOf(name: string, from: ReadReport): Promise<ReadonlyMap<string, string>> {
  const format = formats.find((one) => one.name === name);
  if (format === undefined) throw new Error(`no format ${name}`);
  const files = new Map<string, string>();
  for await (const file of format.files({ read: from, warn: () => {}, samples: true })) {
    let text = '';
    for await (const piece of typeof file.text === 'string' ? [file.text] : file.text) text += piece;
    files.set(file.name, text);
  }
  return files;
}

const programs = (page: string): string[] =>
  [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, program]) => program ?? '');

describe('the page', () => {
  it('allows its own programs and nothing from anywhere', async () => {
    const page = await textOf('html', read);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    expect(policy).toContain('default-src &#39;none&#39;');
    expect(policy).not.toMatch(/https?:|connect-src|\*/);
    for (const program of programs(page)) {
      expect(policy).toContain(createHash('sha256').update(program).digest('base64'));
    }
    expect(programs(page)).toHaveLength(2);
    const own = page.replaceAll(/<script>[\s\S]*?<\/script>/g, '');
    expect(own).not.toMatch(/\ssrc=|<link|url\(\s*['"]?http|@import/);
  });

  it('has beside each rate its interval, how long it holds and what bounds it, as the Markdown', async () => {
    const page = await textOf('html', read);
    const table = page.split('<h2 id="rates-title">Rates</h2>')[1]?.split('</table>')[0] ?? '';
    for (const column of ['95 %', 'sustained', 'slowest 5 %', 'efficiency', 'bound by'])
      expect(table.replaceAll('\u00a0', ' ')).toContain(`<th scope="col">${column}</th>`);
    expect(table.match(/<th scope="row">/g)).toHaveLength(2);
    expect(table).toMatch(/GFLOP\/s to [\d.]+\u00a0GFLOP\/s/);
  });

  it('says the verdict before anything else, and has its headings in order', async () => {
    const page = await textOf('html', read);
    const levels = [...page.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [i, level] of levels.entries()) {
      expect(level - (levels[i - 1] ?? level)).toBeLessThanOrEqual(1);
    }
    expect(page.indexOf(read.report.headline.value ?? '')).toBeLessThan(page.indexOf('<h2'));
    expect(page).toMatch(/<html lang="en">/);
  });

  it('carries the record along, byte for byte', async () => {
    const page = await textOf('html', read);
    const packed = /download="record\.json\.gz" href="data:application\/gzip;base64,([^"]*)"/.exec(page)?.[1];
    expect(gunzipSync(Buffer.from(packed ?? '', 'base64')).toString('utf8')).toBe(read.recordText);
  });

  it('shows texts of a record as text, in whatever place', async () => {
    const page = await textOf('html', hostile);
    expect(programs(page)).toHaveLength(2);
    expect(page.match(/<script/g)).toHaveLength(3);
    expect(page).not.toContain('<img');
    expect(page).not.toContain('<!--');
  });
});

describe('other formats', () => {
  it('Markdown has the verdict, the table, and a picture that lies beside it for each figure', async () => {
    const files = await filesOf('md', read);
    const text = files.get('report.md') ?? '';
    expect(text).toContain(read.report.headline.value);
    expect(text).toMatch(/\| batch \| inspections \|/);
    const linked = [...text.matchAll(/\]\((figures\/[^)]*)\)/g)].map(([, name]) => name);
    expect(linked.length).toBeGreaterThan(8);
    expect([...files.keys()].slice(1).sort()).toEqual(linked.sort());
  });

  it('Markdown keeps texts of a record from becoming markup', async () => {
    // In a code span it is text as it is.
    const text = (await textOf('md', hostile)).replaceAll(/`[^`]*`/g, '');
    expect(text).not.toContain('<img');
    expect(text).not.toContain('<!--');
  });

  it('pictures stand alone: a title, a description, colours of their own', async () => {
    const files = await filesOf('svg', hostile);
    expect(files.size).toBeGreaterThan(8);
    for (const svg of files.values()) {
      expect(svg).toMatch(/^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*><title>.+<\/title><desc>/);
      expect(svg).not.toMatch(/var\(|<img|<script/);
    }
  });

  it('CSV has a row for each batch in base units, and on request a row for each repetition', async () => {
    const [head = '', ...rows] = (await textOf('csv', read)).trim().split('\r\n');
    expect(rows).toHaveLength(2);
    const columns = head.split(',');
    const cells = (rows[0] ?? '').replaceAll(/"[^"]*"/g, 'quoted').split(',');
    expect(cells).toHaveLength(columns.length);
    expect(Number(cells[columns.indexOf('rate')])).toBe(read.report.batches[0]?.rate?.median);
    // Its folder is gone: every launch is named as missing and none is made up.
    const samples = (await filesOf('csv', read)).get('samples.csv') ?? '';
    expect(samples.trim().split('\r\n')).toHaveLength(1);
  });

  it('say what a rate is of the one alone and of the datasheet, where that is known', async () => {
    const [first, ...others] = read.record.batches;
    if (first === undefined) throw new Error('no batch');
    const beside = {
      ...first,
      atOnce: { of: 2, others: ['cuda:1'], overlap: 0.96, ofAlone: 0.875 },
      datasheet: { rate: 1e15, share: 0.71, source: 'a product brief' },
    };
    const record = { ...read.record, batches: [beside, ...others] };
    const known: ReadReport = { ...read, record, report: buildReport(record, []) };
    for (const name of ['html', 'md']) {
      const text = (await textOf(name, known)).replaceAll('\u00a0', ' ');
      expect(text).toContain('Measured at once');
      expect(text).toContain('with cuda:1, 96.0 % of its time beside all of them, 87.5 % of its rate alone');
      expect(text).toContain('71.0 % of the ');
      expect(await textOf(name, read)).not.toMatch(/Measured at once|Of the datasheet/);
    }
    const [head = '', ...rows] = (await textOf('csv', known)).trim().split('\r\n');
    const place = (column: string) => head.split(',').indexOf(column);
    const cells = rows.map((line) => line.replaceAll(/"[^"]*"/g, 'quoted').split(','));
    for (const [column, value] of Object.entries({
      rate_of_alone: '0.875',
      at_once_overlap: '0.96',
      rate_of_datasheet: '0.71',
    }))
      expect(cells.map((row) => row[place(column)])).toEqual([value, '']);
  });

  it('say which rates of peak are no ceiling', async () => {
    const rates = ['int8', 'float32'].map((dtype) =>
      batchOf(peakCase(dtype), [
        { seconds: 1e-3, ceilings: noPeakBeside(...(dtype === 'int8' ? ['AVX-VNNI'] : [])) },
      ]),
    );
    const record = { ...read.record, batches: rates };
    const known: ReadReport = { ...read, record, report: buildReport(record, []) };
    for (const name of ['html', 'md']) {
      const text = await textOf(name, known);
      expect(text).toContain('No ceiling');
      expect(text.match(/does not use AVX-VNNI, which this CPU has for int8/g)).toHaveLength(1);
      expect(await textOf(name, read)).not.toContain('No ceiling');
    }
  });

  it('JSON is the report as the page shows it', async () => {
    expect(JSON.parse(await textOf('json', read))).toEqual(JSON.parse(JSON.stringify(read.report)));
  });
});
