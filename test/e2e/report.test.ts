/** `pi-bench report` by the real command, and its page in a real browser: what somebody sees. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toLine } from '../../src/fleet/node-line.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { healthyNodes, kpiOf, nodeOf, ratesOf } from '../fleet/support.js';
import {
  CONTRASTS,
  CUT_OFF,
  countMarks,
  hasBrowser,
  keepPicture,
  launchBrowser,
  NO_BROWSER,
  type Opened,
  openReport,
  type View,
} from '../support/browser.js';
import {
  campaignFolder,
  launcher,
  matmulRecord,
  piBench,
  piBenchEach,
  type Run,
  readRecordFile,
  root,
  start,
} from '../support/pi-bench.js';
import { aboutSeconds, recordOf, writeRecord } from '../support/records.js';
import { writeCampaign } from '../support/report.js';

/** What never comes ends before the test's own limit; a browser may have to wait for its CPU. */
const PATIENT = { timeout: 60_000 };
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const LAUNCHES = 3;
/** Each call of two threads waits until both have a CPU, which takes long beside other tests. */
const ALONE = ['--threads', '1'];
/** Of the memory campaign. */
const CURVES = ['read', 'copy cached', 'copy streaming', 'triad cached', 'triad streaming'];

let out: string;
/** A measured campaign of one batch, one of memory's curves, and synthetic sweeps of repetitions and of sizes. */
let measured: { readonly folder: string; readonly record: PiBenchRecord };
let memory: { readonly folder: string; readonly record: PiBenchRecord };
const repetitions = { folder: '', counts: [20, 100, 500] };
const sizes = { folder: '', values: [64, 128, 256, 512] };

/** The page of a campaign, made once. */
async function pageOf(folder: string): Promise<string> {
  const page = join(folder, 'page.html');
  if (existsSync(page)) return page;
  const run = await piBench('report', folder, '--out', page);
  if (run.code !== 0) throw new Error(run.stderr);
  return page;
}

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'pi-bench-e2e-report-'));
  const flags = ['--size', '64', '--reps', '300', '--inspections', String(LAUNCHES)];
  measured = await matmulRecord(join(out, 'matmul'), ...flags, ...ALONE);
  const sweep = ['--bytes', '32KiB,4MiB', '--operation', 'read,copy,triad', ...ALONE];
  const run = await piBench(
    'memory',
    ...sweep,
    ...['--reps', '20', '--inspections', '1', '--warmup', '5', '--quiet', '--out', join(out, 'memory')],
  );
  if (run.code !== 0) throw new Error(run.stderr);
  const folder = campaignFolder(join(out, 'memory'));
  memory = { folder, record: readRecordFile(folder) };
  repetitions.folder = join(out, 'repetitions');
  await writeCampaign(
    repetitions.folder,
    repetitions.counts.map((count) => ({ repetitions: count, inspections: 8 })),
  );
  sizes.folder = join(out, 'sizes');
  await writeCampaign(
    sizes.folder,
    sizes.values.map((size) => ({ size, repetitions: 200, inspections: 6 })),
  );
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe.skipIf(!hasBrowser)(`the page in Chromium${hasBrowser ? '' : ` (skipped: ${NO_BROWSER})`}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  const shared = new Map<string, Promise<Opened>>();
  /** The page of a campaign with all of its figures alive, opened once: several tests look at it, and leave it as it was. */
  const pageIn = (folder: string, view: View): Promise<Opened> => {
    const key = JSON.stringify([folder, view]);
    const opened = shared.get(key) ?? pageOf(folder).then((path) => openReport(browser, path, view));
    shared.set(key, opened);
    return opened;
  };

  it('shows a measured campaign: every figure with its marks, no complaint, no request', async () => {
    const { page, complaints, requests } = await pageIn(measured.folder, DESKTOP);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([]);
    await keepPicture(page, 'matmul-desktop');
    expect(await countMarks(page, 'violins', 'violin')).toBe(1);
    expect(await countMarks(page, 'violins', 'launch')).toBe(LAUNCHES);
    expect(await countMarks(page, 'between-within', 'main')).toBe(1);
    expect(await countMarks(page, 'sustained', 'other')).toBe(1);
    expect(await countMarks(page, 'roofline', 'roof')).toBe(1);
    expect(await countMarks(page, 'launches-1', 'quartiles')).toBe(LAUNCHES);
    expect(await countMarks(page, 'samples-1', 'measured-middle-0')).toBe(300);
    expect(await countMarks(page, 'distribution-1', 'density')).toBe(1);
    expect(await countMarks(page, 'autocorrelation-1', 'lag')).toBe(40);
    const absent = await page
      .locator('[data-absent]')
      .evaluateAll((items) => items.map((item) => item.id || item.getAttribute('data-absent')));
    expect(absent).toEqual(['baseline', 'comparison', 'sweep', 'curves', 'repetitions', 'stability']);
    const [batch] = measured.record.batches;
    expect(await page.locator('h1').textContent()).toBe(batch?.title);
    expect(await page.locator('.verdict').textContent()).toMatch(/FLOP\/s.*Verified in 3 launches/s);
    for (const table of ['rates', 'stability'])
      expect(await page.locator(`table[aria-labelledby="${table}-title"] tbody tr`).count()).toBe(1);
  });

  it('shows a sweep of repetitions with the recommendable spread over their number', async () => {
    const path = await pageOf(repetitions.folder);
    const view = { ...DESKTOP, alive: ['repetitions', 'stability'] };
    const { page, complaints } = await openReport(browser, path, view);
    expect(complaints).toEqual([]);
    await keepPicture(page, 'repetitions-desktop');
    expect(await countMarks(page, 'repetitions', 'line')).toBe(2);
    expect(await countMarks(page, 'repetitions', 'point')).toBe(2 * repetitions.counts.length);
    expect(await countMarks(page, 'stability', 'point-cv')).toBe(repetitions.counts.length);
    expect(await page.locator('details').count()).toBe(repetitions.counts.length);
    const stability = page.locator('table[aria-labelledby="stability-title"] tbody th');
    expect(await stability.allTextContents()).toEqual(repetitions.counts.map((count) => `${count} reps`));
  });

  it('shows which stack is faster, and which cannot be told apart', async () => {
    const batches = [1, 0.9, 1.0002].map((centre, i) => ({
      stack: { provider: ['openblas', 'blis', 'onednn'][i] ?? '', version: '1' },
      launches: aboutSeconds(centre),
    }));
    const path = await pageOf(writeRecord(out, recordOf({ id: 'stacks', batches })));
    const view = { ...PHONE, alive: ['comparison'] };
    const { page, complaints } = await openReport(browser, path, view);
    expect(complaints).toEqual([]);
    await keepPicture(page, 'stacks-phone');
    expect(await countMarks(page, 'comparison', 'ratio')).toBe(2);
    expect(await countMarks(page, 'comparison', 'interval')).toBe(2);
    const table = page.locator('table[aria-labelledby="comparison-title"]');
    expect(await table.locator('tbody th[scope="row"]').allTextContents()).toEqual([
      'blis',
      'openblas',
      'onednn',
    ]);
    expect(await table.locator('tbody tr').nth(1).textContent()).toMatch(/^blis.*a.*faster$/);
    expect(await page.locator('figure#comparison a[download="comparison.csv"]').count()).toBe(1);
  });

  it('shows curves of memory, one line for each operation', async () => {
    const path = await pageOf(memory.folder);
    const view = { ...DESKTOP, alive: ['curves', 'violins'] };
    const { page, complaints } = await openReport(browser, path, view);
    expect(complaints).toEqual([]);
    await keepPicture(page, 'memory-desktop');
    expect(await countMarks(page, 'curves', 'line')).toBe(CURVES.length);
    expect(await countMarks(page, 'curves', 'point')).toBe(2 * CURVES.length);
    expect(await countMarks(page, 'violins', 'violin')).toBe(memory.record.batches.length);
  });

  it.each([
    ['phone', PHONE, 'light'],
    ['phone-dark', PHONE, 'dark'],
    ['desktop-dark', DESKTOP, 'dark'],
  ] as const)('can be read on a %s: nothing wider than the screen, letters apart from what is behind', async (name, view, colorScheme) => {
    const { page, complaints } = await pageIn(sizes.folder, view);
    // As where somebody's evening begins.
    await page.emulateMedia({ colorScheme });
    expect(complaints).toEqual([]);
    await keepPicture(page, `sizes-${name}`);
    expect(await countMarks(page, 'sweep', 'point')).toBe(sizes.values.length);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
    const spill = await page
      .locator('.plot')
      .evaluateAll((plots) =>
        plots
          .filter((plot) => plot.scrollWidth > plot.clientWidth + 1)
          .map((plot) => plot.getAttribute('data-figure')),
      );
    expect(spill).toEqual([]);
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
    const contrasts = await page.evaluate<readonly (readonly [string, number])[]>(CONTRASTS);
    expect(contrasts.length).toBeGreaterThan(8);
    for (const [what, ratio] of contrasts) expect(ratio, what).toBeGreaterThanOrEqual(4.5);
  });

  it('breaks a legend of many lines on a phone without cutting it off', async () => {
    const view = { ...PHONE, alive: ['curves'] };
    const { page, complaints } = await openReport(browser, await pageOf(memory.folder), view);
    await keepPicture(page, 'memory-phone');
    expect(complaints).toEqual([]);
    const names = await page.locator('[data-figure="curves"] .role-legend-label text').allTextContents();
    expect(names.sort()).toEqual([...CURVES].sort());
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
  });

  it('draws each named node of a fleet beside the others, slower ones to their left, on a telephone too', async () => {
    const slow = nodeOf('slow', [kpiOf(ratesOf(5, { level: 0.85e11 }))]);
    const long = nodeOf('rack7-gpu-node-0042.cluster.example.org', [kpiOf(ratesOf(6, { level: 0.8e11 }))]);
    const lines = join(out, 'fleet.jsonl');
    writeFileSync(lines, [...healthyNodes(8), slow, long].map(toLine).join(''));
    const path = join(out, 'fleet.html');
    const made = await piBench('fleet', 'check', lines, '--format', 'html', '-o', path);
    expect([made.code, made.stderr]).toEqual([1, '']);
    for (const view of [DESKTOP, PHONE]) {
      const { page, complaints, requests } = await openReport(browser, path, view);
      expect([complaints, requests]).toEqual([[], []]);
      await keepPicture(page, `fleet-${view.width}`);
      expect(await page.evaluate(CUT_OFF)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
      for (const figure of ['node-1', 'node-2']) {
        const boxes = await page
          .locator(`[data-figure="${figure}"] g.violin.role-mark > path`)
          .evaluateAll((shapes) => shapes.map((shape) => shape.getBoundingClientRect().toJSON()));
        const [own, others] = boxes.sort((a, b) => a.top - b.top);
        expect(boxes).toHaveLength(2);
        expect(own.right).toBeLessThan(others.right);
        expect(own.bottom).toBeLessThan(others.bottom);
        expect(own.height).toBeGreaterThan(10);
      }
    }
  });

  it('has still pictures whose letters are those of the living ones, and as high', async () => {
    const path = await pageOf(sizes.folder);
    const heights = `Object.fromEntries([...document.querySelectorAll('.plot')].map((plot) => [plot.dataset.figure, plot.getBoundingClientRect().height]))`;
    const letters = `[...new Set([...document.querySelectorAll('.plot svg .role-axis-label text')].map((text) => Math.round(10 * text.getBoundingClientRect().height)))]`;
    const still = await openReport(browser, path, { ...DESKTOP, script: false });
    expect(await still.page.evaluate(CUT_OFF)).toEqual([]);
    const alive = await pageIn(sizes.folder, DESKTOP);
    const before = await still.page.evaluate<Record<string, number>>(heights);
    const after = await alive.page.evaluate<Record<string, number>>(heights);
    for (const [figure, height] of Object.entries(before).filter(([, one]) => one > 0))
      expect(Math.abs(height - (after[figure] ?? 0)), figure).toBeLessThan(40);
    expect(await still.page.evaluate(letters)).toEqual(await alive.page.evaluate(letters));
    // On paper all are the still ones, so that letters are of one size.
    await alive.page.evaluate(`window.dispatchEvent(new Event('beforeprint'))`);
    expect(
      await alive.page.evaluate(
        `[...new Set([...document.querySelectorAll('.plot svg')].map((svg) => svg.getAttribute('width')))]`,
      ),
    ).toEqual(['720']);
    await alive.page.evaluate(`window.dispatchEvent(new Event('afterprint'))`);
    expect(await alive.page.evaluate<Record<string, number>>(heights)).toEqual(after);
  });

  it('zooms over time by the keyboard, and back', async () => {
    const { page } = await pageIn(measured.folder, DESKTOP);
    const figure = page.locator('#samples-1');
    const ticks = async (): Promise<string[]> =>
      (await figure.locator('.role-axis-label text').allTextContents()).sort();
    const before = await ticks();
    await figure.getByRole('button', { name: 'Zoom in' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(ticks, PATIENT).not.toEqual(before);
    await figure.getByRole('button', { name: 'Whole time' }).press('Enter');
    await expect.poll(ticks, PATIENT).toEqual(before);
  });

  it('says what is under the pointer', async () => {
    const { page } = await pageIn(sizes.folder, DESKTOP);
    await page.locator('#sweep').scrollIntoViewIfNeeded();
    await page.locator('[data-figure="sweep"] g.point > path').nth(2).hover();
    await expect.poll(() => page.locator('.tip').textContent(), PATIENT).toMatch(/at: 256.*GFLOP\/s/s);
  });

  it('gives the data behind a figure, and the record', async () => {
    const { page } = await pageIn(sizes.folder, DESKTOP);
    const taken = async (name: string): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator(`a[download="${name}"]`).click(),
      ]);
      return readFileSync(await download.path(), 'latin1');
    };
    const rows = (await taken('sweep.csv')).trim().split('\r\n');
    expect(rows[0]).toMatch(/^series,size,rate_median/);
    expect(rows.slice(1).map((row) => Number(row.split(',')[1]))).toEqual(sizes.values);
    expect((await taken('record.json.gz')).charCodeAt(0)).toBe(0x1f);
  });

  it('shows every figure without its script too', async () => {
    const path = await pageOf(sizes.folder);
    const { page, complaints } = await openReport(browser, path, { ...PHONE, script: false });
    await keepPicture(page, 'sizes-no-script');
    expect(complaints).toEqual([]);
    const figures = await page.locator('figure').count();
    expect(figures).toBeGreaterThan(10);
    expect(await page.locator('figure .plot > svg').count()).toBe(figures);
    expect(await page.locator('.tools button:visible').count()).toBe(0);
  });

  it('takes texts of a record for text, whatever they are', async () => {
    const hostile = join(out, 'hostile.html');
    // As a record would have it: a name that reaches headings, specifications, tooltips and tables.
    const evil = `</script><img src=x onerror="globalThis.taken=1">`;
    const folder = join(out, 'hostile');
    const record = await writeCampaign(folder, [
      { size: 64, inspections: 2 },
      { size: 128, inspections: 2 },
    ]);
    const changed = JSON.parse(JSON.stringify(record)) as PiBenchRecord;
    for (const batch of changed.batches) {
      batch.title = evil;
      batch.case.parameters.dtype = `${evil}${batch.case.parameters.m}`;
      batch.asked.case.parameters.dtype = batch.case.parameters.dtype;
    }
    const { digestOf } = await import('../../src/record/digest.js');
    writeFileSync(join(folder, 'record.json'), JSON.stringify({ ...changed, digest: digestOf(changed) }));
    const run = await piBench('report', folder, '--out', hostile);
    expect(run.stderr).toBe('');
    const { page, complaints, requests } = await openReport(browser, hostile, DESKTOP);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([]);
    expect(await page.evaluate('globalThis.taken')).toBeUndefined();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('h1').textContent()).not.toBe('');
  });
});

describe('the command', () => {
  it('writes the page beside the record and says where, small', async () => {
    const run = await piBench('report', measured.folder);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    const path = join(measured.folder, 'report.html');
    expect(run.stdout).toContain(path);
    expect(statSync(path).size).toBeLessThan(3e6);
    rmSync(path);
  });

  it('takes the record’s file as well as its folder', async () => {
    const run = await piBench('report', join(measured.folder, 'record.json'), '--format', 'csv');
    expect(run.code).toBe(0);
    expect(run.stdout.split('\r\n')).toHaveLength(3);
  });

  it('writes a picture for each figure, and Markdown that names them', async () => {
    const folder = join(out, 'markdown');
    const run = await piBench('report', measured.folder, '--format', 'md', '--out', folder);
    expect(run.code).toBe(0);
    const text = readFileSync(join(folder, 'report.md'), 'utf8');
    const pictures = readdirSync(join(folder, 'figures'));
    expect(pictures).toHaveLength(8);
    for (const picture of pictures) expect(text).toContain(`(figures/${picture})`);
    const svg = await piBench('report', measured.folder, '--format', 'svg', '--out', join(out, 'pictures'));
    expect(svg.stdout).toMatch(/8 files in/);
    expect(readdirSync(join(out, 'pictures')).sort()).toEqual(pictures.sort());
  });

  it('writes every repetition as a row', async () => {
    const run = await piBench('report', measured.folder, '--format', 'csv', '--samples');
    const rows = run.stdout.trim().split('\r\n');
    expect(rows).toHaveLength(1 + LAUNCHES * 300);
    expect(rows[0]).toBe(
      'batch,launch,repetition,entry_seconds,elapsed_seconds,disturbed,status,verified,calls_per_sample',
    );
    expect(rows[1]).toMatch(/^matmul,\d,0,0,/);
  });

  it('prints the report as JSON', async () => {
    const run = await piBench('report', measured.folder, '--format', 'json');
    expect(JSON.parse(run.stdout)).toMatchObject({
      kind: 'pi-bench report',
      batches: [{ measured: LAUNCHES }],
    });
  });

  it('writes into a pipe, or to the stdout that it has, what was asked for and no line beside it', async () => {
    const file = join(out, 'stdout.csv');
    const command = 'exec "$0" "$1" report "$2" --format csv --out /dev/stdout';
    const args = [process.execPath, launcher, measured.folder];
    const piped = await start('sh', ['-c', `(${command}) | cat`, ...args]).ended;
    const kept = await start('sh', ['-c', `${command} > '${file}'`, ...args]).ended;
    expect([piped.stderr, kept.stderr, kept.code]).toEqual(['', '', 0]);
    expect(piped.stdout).toMatch(/^batch,title,[^\r]*\r\nmatmul,[^\r]*\r\n$/);
    expect(readFileSync(file, 'utf8')).toBe(piped.stdout);
  });

  it('reads a record from a pipe once, also for a trace, which needs the journal beside it', async () => {
    const command = 'exec "$0" "$1" report /dev/stdin --format md --trace "$3" < "$2"';
    const piped = 'cat "$2" | exec "$0" "$1" report /dev/stdin --format md --trace "$3"';
    const args = [process.execPath, launcher, join(measured.folder, 'record.json'), join(out, 'piped.json')];
    for (const script of [command, piped]) {
      const { code, stdout, stderr } = await start('sh', ['-c', script, ...args]).ended;
      expect([code, stdout.startsWith('# ')]).toEqual([64, true]);
      expect(stderr).toMatch(/a trace needs the campaign's journal: cannot read \S*journal\.ndjson/);
    }
  });

  it('ends with 2 where the one case has no result, and says why in one line', async () => {
    const wrong = { seconds: 1e-3, passed: false };
    const folder = writeRecord(out, recordOf({ id: 'wrong', batches: [{ launches: [wrong] }] }));
    const place = join(out, 'performance');
    const asked = ['report', folder, '--format', 'performance-json'];
    const runs = await piBenchEach([asked, [...asked, '--out', place]]);
    for (const { code, stderr, stdout } of runs) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^[^\n]*an output was wrong[^\n]*\n$/);
    }
    expect(existsSync(place)).toBe(false);
  });

  it('comes although inspections are missing, says which, and which figures lack them', async () => {
    const folder = join(out, 'gone');
    await writeCampaign(folder, [{ repetitions: 50, inspections: 4 }]);
    for (const name of readdirSync(join(folder, 'inspections'))) rmSync(join(folder, 'inspections', name));
    const run = await piBench('report', folder);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/launch 1 has no samples here: inspections\/0\.json is missing/);
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(page).toMatch(/Samples over time: launch 1 has no samples here/);
    expect(page).toContain('data-figure="violins"');
  });

  it('is what each rank reached in the launches whose samples are there, with 2 and what is missing', async () => {
    const folder = join(out, 'reached');
    await writeCampaign(folder, [{ repetitions: 50, inspections: 3 }]);
    const asked = ['report', folder, '--format', 'performance-json'];
    const whole = await piBench(...asked);
    rmSync(join(folder, 'inspections', '1.npz'));
    const run = await piBench(...asked);
    expect([whole.code, run.code]).toEqual([0, 2]);
    expect(run.stderr).toMatch(/performance\.json is without 1 launch: launch 2 cannot be read: .*1\.npz/);
    const samplesOf = ({ stdout }: Run): number => JSON.parse(stdout).total_samples;
    expect(samplesOf(run) / samplesOf(whole)).toBeCloseTo(2 / 3, 9);
    for (const name of ['0.npz', '2.npz']) rmSync(join(folder, 'inspections', name));
    const none = await piBench(...asked);
    expect([none.code, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toMatch(/launch 1 cannot be read: .*so there is no performance to write\n$/);
  });

  it.each([
    'html',
    'md',
  ])('ends with 2 where samples were cut off, and says so beside the headline: %s', async (format) => {
    const folder = join(out, `cut-${format}`);
    await writeCampaign(folder, [{ repetitions: 50, inspections: 4 }]);
    truncateSync(join(folder, 'inspections', '0.npz'), 200);
    const path = join(out, `cut.${format}`);
    const run = await piBench('report', folder, '--format', format, '--out', path);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/launch 1 cannot be read/);
    const text = readFileSync(path, 'utf8');
    const [head = ''] = text.split(/What limits it|## Flags/);
    expect(head).toMatch(/1 launch can no longer be read as they were written .*launch 1/);
  });

  const given: readonly (readonly [
    what: string,
    path: () => string,
    flags: readonly string[],
    says: RegExp,
  ])[] = [
    [
      'a folder without a record',
      () => join(out, 'matmul'),
      [],
      /holds no record\.json: give the folder of one campaign/,
    ],
    ['a record that was cut off', () => broken('cut', (text) => text.slice(0, 999)), [], /is not JSON/],
    [
      'a record that was altered',
      () => broken('altered', (text) => text.replace('"seed": ', '"seed": 1')),
      [],
      /was altered/,
    ],
    [
      'a file where a folder is needed',
      () => measured.folder,
      ['--format', 'svg', '--out', import.meta.filename],
      /takes a folder/,
    ],
    [
      'a place that cannot be written',
      () => measured.folder,
      ['--out', '/proc/report.html'],
      /cannot write .*--out/,
    ],
    ['a format that there is not', () => measured.folder, ['--format', 'pdf'], /format/],
    ['samples of a page', () => measured.folder, ['--samples'], /--samples goes with --format csv/],
  ];
  let refused: readonly Run[] = [];
  beforeAll(async () => {
    refused = await piBenchEach(given.map(([, path, flags]) => ['report', path(), ...flags]));
  });

  it.each(given)('refuses %s in one line', (what, _, __, says) => {
    const run = refused[given.findIndex(([one]) => one === what)];
    expect(run?.stderr).toMatch(says);
    expect(run?.stderr.trim().split('\n')).toHaveLength(1);
    expect(run?.stdout).toBe('');
    expect(run?.code).toBe(64);
  });

  it('opens the page where a program does that, and says where it is otherwise', async () => {
    const bin = mkdtempSync(join(out, 'bin-'));
    const log = join(bin, 'opened');
    writeFileSync(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > ${log}.part && mv ${log}.part ${log}\n`,
      { mode: 0o755 },
    );
    const page = join(out, 'opened.html');
    const command = (path: string) =>
      start('env', [
        `PATH=${path}`,
        process.execPath,
        join(root, 'bin', 'pi-bench.mjs'),
        'report',
        measured.folder,
        '--out',
        page,
        '--open',
      ]).ended;
    const opened = await command(`${bin}:/usr/bin:/bin`);
    expect(opened.stderr).toBe('');
    await expect.poll(() => existsSync(log), PATIENT).toBe(true);
    expect(readFileSync(log, 'utf8')).toBe(page);
    const nothing = await command(mkdtempSync(join(out, 'empty-')));
    expect(nothing.code).toBe(0);
    expect(nothing.stderr).toMatch(/no program here opens a page: open .*opened\.html/);
  });
});

/** A folder with a changed copy of the record. */
function broken(name: string, change: (text: string) => string): string {
  const folder = mkdtempSync(join(out, `${name}-`));
  const text = readFileSync(join(measured.folder, 'record.json'), 'utf8');
  writeFileSync(join(folder, 'record.json'), change(text));
  return folder;
}
