import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { push, pushAddress } from '../../src/cli/qualification/gateway.js';
import { findIndicator } from '../../src/indicators/index.js';
import { isJudged, type Judged, verdictFormats } from '../../src/qualify/formats/index.js';
import { qualificationOf, withQualification } from '../../src/qualify/qualification.js';
import { parseSuite } from '../../src/qualify/suite.js';
import { judgeAll } from '../../src/qualify/verdict.js';
import { checkTitle, telling } from '../../src/qualify/wording.js';
import { renderQualification } from '../../src/readers/terminal/qualification.js';
import { shownLength, terminalStyle } from '../../src/readers/terminal/style.js';
import { kpisOf, withSameLabels } from '../../src/record/kpis-of.js';
import { givenLabels } from '../../src/record/labels.js';
import type { BatchSpec, RecordBatch } from '../../src/record/schema.js';
import { buildReport } from '../../src/report/model.js';
import { headHtml } from '../../src/report/page/head.js';
import { ceilingsOf } from '../support/batch.js';
import { machineOf } from '../support/machine.js';
import { root, withFolder } from '../support/pi-bench.js';
import { contextOf, partsRecord } from './support.js';

const SECOND = 0.001;
const SUITE = `
name: site
campaign:
  measure:
    - { indicator: matmul, labels: { part: fast } }
    - { indicator: matmul, labels: { part: slow } }
    - { indicator: matmul, labels: { part: 'wrong <&"\\>' } }
checks:
  - { check: correctness }
  - { check: quota }
  - { check: floor, medianAtLeast: 0.9 }
  - { check: load }
  - { check: efficiency, atLeast: 0.6, level: warn }
`;

const PARTS = [
  { part: 'fast', launches: [{ seconds: SECOND, ceilings: ceilingsOf(2.1e9, null) }] },
  { part: 'slow', launches: [{ seconds: SECOND, ceilings: ceilingsOf(9e9, null) }] },
  { part: 'wrong <&"\\>', launches: [{ seconds: SECOND, passed: false }] },
];

/** One of everything: pass, warn, fail, inconclusive, skipped; and characters that every format has to mind. */
function judgedRecord(text: string = SUITE): Judged {
  const suite = parseSuite(text, 'site.yaml', () => '');
  const own = new Set(suite.entries.map(({ part }) => part));
  const measured = partsRecord(PARTS.filter(({ part }) => own.has(part)));
  const machine = machineOf();
  const judged = judgeAll(suite, contextOf(measured, { surroundings: { busy: 0.7, memoryErrors: null } }));
  const qualification = qualificationOf({
    suite,
    machine,
    expected: {},
    baseline: null,
    startedAt: '2026-11-21T10:00:00.123Z',
    endedAt: '2026-11-21T10:01:00.123Z',
    wall: 60,
    judged: [judged],
    attempts: [],
    interrupted: false,
    notJudged: ['GPUs: none is here'],
  });
  const record = withQualification(measured, qualification);
  if (!isJudged(record)) throw new Error('no verdict');
  return record;
}

const record = judgedRecord();
const textOf = async (name: string): Promise<string> =>
  (await verdictFormats.find((one) => one.name === name)?.text(record, '')) ?? '';
const there = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Tries until a server that has just been started answers. */
async function eventually<T>(ask: () => Promise<T>): Promise<T> {
  for (let i = 0; ; i++) {
    try {
      return await ask();
    } catch (error) {
      if (i === 400) throw error;
      await setTimeout(100);
    }
  }
}

describe('a verdict', () => {
  it('has one of everything here, so that the formats are tried with all', () => {
    const verdicts = new Set(record.qualification.checks.map(({ verdict }) => verdict));
    expect([...verdicts].sort()).toEqual(['fail', 'inconclusive', 'pass', 'skipped', 'warn']);
    expect(record.qualification.outcome).toBe('not-qualified');
  });

  it.each([40, 80, 120])('stays within %d columns in a terminal, failures first', (columns) => {
    const style = { ...terminalStyle({}), width: columns };
    const lines = renderQualification(record, null, style).split('\n');
    // Long words, as a device's serial, cannot be broken.
    const wide = lines.filter((line) => shownLength(line) > columns && line.trim().includes(' '));
    expect(columns < 80 ? [] : wide).toEqual([]);
    const text = lines.join('\n');
    expect(text.indexOf('FAIL')).toBeLessThan(text.indexOf('ok'));
    expect(text).toMatch(/do +take the node/);
  });

  it('tells of each check why its launches were lost, and of others their figure', () => {
    const { checks } = record.qualification;
    const [failed] = checks.filter(({ verdict, findings }) => verdict === 'fail' && findings.length > 0);
    if (failed === undefined) throw new Error('no check failed');
    const reason = '1 launch crashed: SIGSEGV';
    expect(telling({ ...failed, cause: 'lost-launch', reason })).toBe(reason);
    expect(telling({ ...failed, cause: 'slow', reason })).not.toContain('SIGSEGV');
  });

  it('is one line of JSON for a fleet', async () => {
    const text = await textOf('jsonl');
    expect(text.trimEnd()).not.toContain('\n');
    expect(JSON.parse(text)).toMatchObject({ campaign: 'campaign-a' });
  });

  it('calls the node in its line by the label of its campaign first, as a fleet does', async () => {
    const nodeIn = async (labels: Record<string, string>) => {
      const named = {
        ...record,
        labels: { ...record.labels, hostname: 'host7' },
        campaign: { ...record.campaign, labels },
      };
      const text = await verdictFormats.find(({ name }) => name === 'jsonl')?.text(named, '');
      return JSON.parse(text ?? '').node;
    };
    expect(await nodeIn({ node_name: 'rack7' })).toBe('rack7');
    expect(await nodeIn({})).toBe('host7');
  });

  it('takes no more time in JUnit’s XML than its batches took, however many checks judge one', async () => {
    const { batches, qualification } = record;
    const judging = new Map<number, number>();
    for (const { batch } of qualification.checks)
      if (batch !== null) judging.set(batch, (judging.get(batch) ?? 0) + 1);
    expect(Math.max(...judging.values())).toBeGreaterThan(1);
    const timed = {
      ...record,
      batches: batches.map((batch) => ({
        ...batch,
        inspections: batch.inspections.map((one) => ({
          ...one,
          spans: [{ name: 'measure', seconds: 6 }],
        })),
      })),
    };
    const text = await verdictFormats.find(({ name }) => name === 'junit')?.text(timed, '');
    const times = [...(text ?? '').matchAll(/<testcase[^>]* time="([\d.]+)"/g)].map(([, time]) =>
      Number(time),
    );
    const spent = [...judging.keys()].reduce(
      (sum, batch) => sum + 6 * (batches[batch]?.inspections.length ?? 0),
      0,
    );
    expect(spent).toBeGreaterThan(0);
    expect(times.reduce((sum, time) => sum + time, 0)).toBeCloseTo(spent, 1);
  });

  it('is the head of the report’s page, with headings in order and every text as text', () => {
    const html = headHtml(buildReport(record, []));
    expect([...html.matchAll(/<h(\d)/g)].map(([, level]) => level).join('')).toMatch(/^1(23*)+$/);
    expect(html).toContain('NOT QUALIFIED');
    expect(html).toContain('wrong &lt;&amp;');
    expect(html).not.toContain('wrong <&');
  });

  it('says on the page, as on the terminal, why nothing could qualify the node', () => {
    const checks = record.qualification.checks
      .filter(({ verdict }) => verdict === 'pass')
      .map((check) => ({ ...check, required: false }));
    const open = {
      ...record,
      qualification: { ...record.qualification, outcome: 'inconclusive' as const, checks },
    };
    const why = 'none of the checks is required, so none of them can qualify the node';
    expect(renderQualification(open, null, { ...terminalStyle({}), width: 120 })).toContain(why);
    expect(headHtml(buildReport(open, []))).toContain(`<p>Inconclusive: ${why}.</p>`);
    expect(headHtml(buildReport(record, []))).not.toContain('can qualify the node');
  });

  it('names what is wrong and what to do in Markdown', async () => {
    const text = await textOf('md');
    expect(text).toMatch(/^# NOT QUALIFIED: /);
    expect(text).toContain('### FAIL: correctness wrong &lt;&"\\\\\\>');
    expect(text).toContain('- do: take the node out of service');
  });

  it('tells what was not judged once and not row by row, but what was asked for and skipped among what stands out', async () => {
    const { checks } = record.qualification;
    const skipped = checks.filter(({ verdict }) => verdict === 'skipped');
    expect(skipped.length).toBeGreaterThan(0);
    const [insisted, not] = [true, false].map((required) =>
      skipped.filter((check) => check.required === required),
    );
    expect(insisted?.length).toBeGreaterThan(0);
    expect(not?.length).toBeGreaterThan(0);
    const md = await textOf('md');
    const html = headHtml(buildReport(record, []));
    expect(md.split('\n').filter((line) => /^\| (?!verdict|---)/.test(line))).toHaveLength(
      checks.length - skipped.length,
    );
    expect(html.split('<th scope="row">')).toHaveLength(1 + checks.length - skipped.length);
    expect(md.match(/^### SKIPPED: /gm)).toHaveLength(insisted?.length ?? 0);
    expect(html.match(/>skipped<\/span>/g)).toHaveLength(insisted?.length ?? 0);
    for (const text of [md, html]) expect(text).toContain(`${skipped.length} skipped`);
  });

  it('names what was measured where a part has several batches', () => {
    const of = { kind: 'sustained', part: 'soak#2', device: 'cpu', batch: 1 } as const;
    const [check] = record.qualification.checks;
    if (check === undefined) throw new Error('no check');
    const batches = [{ title: 'first' }, { title: 'all-reduce, 16 MiB' }];
    expect(checkTitle({ ...check, ...of }, batches)).toBe('sustained soak#2 (all-reduce, 16 MiB)');
    expect(checkTitle({ ...check, ...of, part: 'soak' }, batches)).toBe('sustained soak');
  });
});

describe('a verdict on a terminal', () => {
  it('of 80 columns says what every figure is of, and cuts the words of a long name instead', () => {
    const { qualification } = record;
    const [check] = qualification.checks.filter(({ verdict }) => verdict === 'pass');
    const [finding] = check?.findings ?? [];
    if (check === undefined || finding === undefined) throw new Error('nothing passed');
    const cpu = 'Some(R) CPU of a Very Long Name';
    const identity = {
      ...check,
      findings: [{ ...finding, quantity: 'cpu_model', measured: cpu, limit: null, bound: 'none' as const }],
    };
    const figure = { ...check, id: 'numa', kind: 'numa of a part with a long name', part: null };
    const quantity = 'numa_nodes_allowed';
    const numa = { ...figure, findings: [{ ...finding, quantity, measured: 1, unit: null }] };
    const checks = [identity, numa];
    const shown = (width: number): readonly string[] =>
      renderQualification({ ...record, qualification: { ...qualification, checks } }, null, {
        ...terminalStyle({}),
        width,
      }).split('\n');
    expect(shown(200).join()).toContain(cpu);
    const lines = shown(80);
    for (const line of lines) expect(shownLength(line)).toBeLessThanOrEqual(80);
    expect(lines.find((line) => line.includes('measured'))).toMatch(/check +of +measured/);
    expect(lines.join()).toMatch(/cpu model +Some\(R\)[^…]*…/);
  });
});

describe('JUnit', () => {
  it('counts a failure for fail, an error for inconclusive and for what was required and skipped, skipped for the rest', async () => {
    const text = await textOf('junit');
    const count = (element: string): number => text.split(`<${element}`).length - 1;
    const of = (verdict: string): number =>
      record.qualification.checks.filter((check) => check.verdict === verdict).length;
    const insisted = record.qualification.checks.filter(
      ({ verdict, required }) => verdict === 'skipped' && required,
    ).length;
    expect(insisted).toBeGreaterThan(0);
    // And the verdict itself, which is not qualified.
    expect(count('failure')).toBe(of('fail') + 1);
    expect(count('error')).toBe(of('inconclusive') + insisted);
    expect(text).toContain(`errors="${of('inconclusive') + insisted}"`);
    expect(count('skipped')).toBe(of('skipped') - insisted);
    expect(text.match(/<skipped message="[^"]+"\/>/g)).toHaveLength(of('skipped') - insisted);
    expect(count('testcase')).toBe(record.qualification.checks.length + 1);
    expect(text).toContain(`failures="${of('fail') + 1}"`);
  });

  const campaign = 'name: site\ncampaign:\n  measure:\n    - { indicator: matmul, labels: { part: fast } }\n';
  it.each([
    [
      'that required nothing, as nothing can be held to it',
      `${campaign}checks:\n  - { check: floor, medianAtLeast: 0.9 }\n`,
      'none of the checks is required',
    ],
    ['without checks that measures something', `${campaign}checks: []\n`, 'none of the checks is required'],
    ['without checks', 'name: site\nchecks: []\n', 'the suite has no check'],
  ])('is not green for a suite %s: such a node is not qualified', async (_, suite, why) => {
    const judged = judgedRecord(suite);
    expect(judged.qualification.outcome).toBe('inconclusive');
    const text = (await verdictFormats.find(({ name }) => name === 'junit')?.text(judged, '')) ?? '';
    expect(text).toContain('failures="0" errors="1"');
    expect(text).toMatch(
      new RegExp(`<testcase name="outcome" [^>]*>\\s*<error message="inconclusive: ${why}`),
    );
    const told = (await verdictFormats.find(({ name }) => name === 'md')?.text(judged, '')) ?? '';
    expect(told).toContain(`Inconclusive: ${why}`);
    expect(renderQualification(judged, null, { ...terminalStyle({}), width: 200 })).toContain(`  ${why}`);
  });

  it('has a test case for the verdict that passes where the node is qualified', async () => {
    const qualified = judgedRecord(`${campaign}checks:\n  - { check: correctness, parts: [fast] }\n`);
    expect(qualified.qualification.outcome).toBe('qualified');
    const text = (await verdictFormats.find(({ name }) => name === 'junit')?.text(qualified, '')) ?? '';
    expect(text).toContain('failures="0" errors="0"');
    expect(text).toMatch(/<testcase name="outcome" [^>]*\/>/);
  });

  it('fits its schema', async ({ skip }) => {
    if (!there('xmllint')) skip('no xmllint (Debian: libxml2-utils)');
    const text = await textOf('junit');
    const check = (xml: string) =>
      spawnSync('xmllint', ['--noout', '--schema', join(root, 'test', 'qualify', 'junit.xsd'), '-'], {
        input: xml,
      });
    expect(check(text).stderr.toString()).toMatch(/validates/);
    expect(check(text.replace('hostname=', 'host=')).status).not.toBe(0);
  });
});

describe('Prometheus text', () => {
  it('has no timestamps, and each series once', async () => {
    const lines = (await textOf('prom')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(series).size).toBe(series.length);
    for (const line of lines) expect(line).toMatch(/^[a-z_]+(\{.*\})? \S+$/);
    expect(lines).toContain('pi_bench_qualified{suite="site"} 0');
    expect(await textOf('prom')).toMatch(/\n# EOF\n$/);
  });

  it('says that a fault was injected, of the whole and beside every KPI', async () => {
    const [batch] = partsRecord([{ part: 'gemm', launches: [1] }]).batches as [RecordBatch];
    const lines = await metricsOf([batch], record.labels, { kind: 'stopped', share: 0.3 });
    expect(lines).toContain('pi_bench_fault_injected{suite="site",fault="stopped"} 1');
    const kpis = lines.filter((line) => line.startsWith('pi_bench_kpi'));
    expect(kpis.length).toBeGreaterThan(1);
    for (const line of kpis) expect(line).toContain(',fault_injected="stopped"');
    expect((await metricsOf([batch])).join('\n')).not.toContain('fault_injected');
  });

  /** Lines of a record of these batches, with their KPIs. */
  async function metricsOf(
    batches: readonly RecordBatch[],
    labels: Judged['labels'] = record.labels,
    fault: Judged['campaign']['fault'] = null,
  ): Promise<readonly string[]> {
    const { kpis } = findIndicator('matmul');
    const context = { timeToResult: 1, timestamp: '2026-01-01T00:00:00.000Z' };
    const all = batches.flatMap((batch, index) => kpisOf(kpis, batch, labels, { ...context, index }));
    const campaign = { ...record.campaign, fault };
    const measured = { ...record, campaign, labels, batches: [...batches], kpis: withSameLabels(all) };
    const text = await verdictFormats.find(({ name }) => name === 'prom')?.text(measured, '');
    return (text ?? '').split('\n');
  }

  describe('of batches that differ only in the labels that they were given', () => {
    const batchOf = (seconds: number, labels: Record<string, string>): RecordBatch => {
      const [batch] = partsRecord([{ part: 'gemm', launches: [seconds] }]).batches as [RecordBatch];
      return { ...batch, asked: { ...batch.asked, labels: { part: 'gemm', ...labels } } };
    };
    const ratesOf = async (batches: readonly RecordBatch[], common: Record<string, string> = {}) => {
      const given = givenLabels({
        ...record.campaign,
        seed: 1,
        labels: common,
        batches: batches.map(({ asked }) => asked as BatchSpec),
      });
      const lines = await metricsOf(batches, { ...record.labels, ...given });
      return lines
        .filter((line) =>
          /^pi_bench_kpi\{kpi="pibench_matmul_rate_flops.*"median"/.test(line.replace('suite="site",', '')),
        )
        .toSorted();
    };
    const [before, after] = [batchOf(1, { when: 'before' }), batchOf(2, { when: 'after' })];

    it('tells each by these, whichever stands first in the suite', async () => {
      const lines = await ratesOf([before, after]);
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/case_when="after".* 1000000$/);
      expect(lines[1]).toMatch(/case_when="before".* 2000000$/);
      for (const line of lines) expect(line).not.toContain(',batch=');
      expect(await ratesOf([after, before])).toEqual(lines);
    });

    it('also where one says something else than all of the suite', async () => {
      const lines = await ratesOf([before, after], { when: 'before' });
      expect(lines.filter((line) => line.includes('case_when="after"'))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('case_when="before"'))).toHaveLength(0);
      expect(await ratesOf([after, before], { when: 'before' })).toEqual(lines);
    });

    it('also by a label whose name begins like that of its stack', async () => {
      const lines = await ratesOf([batchOf(1, { stacking: 'a' }), batchOf(2, { stacking: 'b' })]);
      expect(lines.map((line) => /case_stacking="(\w)"/.exec(line)?.[1])).toEqual(['a', 'b']);
    });
  });

  it('says of a KPI which way is better, its interval and what that rests on, its flags, and which were not looked for', async () => {
    const launches = [1, 1.01, 1.02, 0.99, 1, 1.01];
    const [batch] = partsRecord([{ part: 'gemm', launches }]).batches as [RecordBatch];
    const flagged: RecordBatch = {
      ...batch,
      flags: [{ name: 'preempted', reason: 'other work', evidence: {}, inspections: [0] }],
      inspections: batch.inspections.map((one) => ({
        ...one,
        notChecked: [{ flag: 'throttled', why: 'no counters' }],
      })),
    };
    const lines = await metricsOf([flagged]);
    const one = (metric: string): string => {
      const [only, ...others] = lines.filter(
        (line) =>
          line.startsWith(`pi_bench_kpi${metric}{`) && /rate_flops_per_second",statistic="median"/.test(line),
      );
      expect(others).toEqual([]);
      return only ?? '';
    };
    const labels = /\{(.*)\}/.exec(one(''))?.[1] ?? '';
    expect(labels).toContain(',direction="higher",');
    const { low, high } = flagged.rate?.interval ?? { low: 0, high: 0 };
    expect(low).toBeLessThan(high);
    expect(one('_low')).toBe(`pi_bench_kpi_low{${labels},basis="launches"} ${low}`);
    expect(one('_high')).toBe(`pi_bench_kpi_high{${labels},basis="launches"} ${high}`);
    expect(one('_flag')).toBe(`pi_bench_kpi_flag{${labels},flag="preempted"} 1`);
    expect(one('_flag_not_checked')).toBe(`pi_bench_kpi_flag_not_checked{${labels},flag="throttled"} 1`);
  });

  describe('of batches of one part that differ only in their stack, or in how long they are measured', () => {
    const asked: readonly (readonly [
      variant: string | null,
      RecordBatch['asked']['sampling'],
      seconds: number,
    ])[] = [
      ['avx2', { kind: 'fixed', repetitions: 50 }, 1],
      ['portable', { kind: 'fixed', repetitions: 50 }, 2],
      ['portable', { kind: 'fixed', repetitions: 400 }, 3],
      ['portable', { kind: 'budget', seconds: 60, least: 1, most: 9 }, 4],
      ['portable', { kind: 'budget', seconds: 2, least: 1, most: 9 }, 5],
    ];
    /** @param lost has no score */
    const linesOf = async (lost: number | null = null) => {
      const all = asked.map(([variant, sampling, seconds], i) => {
        const [batch] = partsRecord([{ part: 'gemm', launches: [seconds] }]).batches as [RecordBatch];
        const stack = { ...batch.stack, variant };
        const own = {
          ...batch,
          stack,
          asked: { ...batch.asked, sampling, stack: { provider: 'embedded', variant } },
        };
        return i === lost ? { ...own, rate: null, elapsed: null } : own;
      });
      return (await metricsOf(all)).filter((line) => /^pi_bench_kpi\{.*rate_flops/.test(line));
    };
    const rateOf = (lines: readonly string[], ...labels: readonly string[]) =>
      lines
        .filter(
          (line) => line.includes('statistic="median"') && labels.every((label) => line.includes(label)),
        )
        .map((line) => Number(line.split(' ').at(-1)));

    it('has a series for each', async () => {
      const lines = await linesOf();
      expect(new Set(lines.map((line) => line.slice(0, line.lastIndexOf(' ')))).size).toBe(lines.length);
      expect(rateOf(lines, 'stack="embedded"', 'stack_variant="avx2"')).toEqual([2e6]);
      expect(rateOf(lines, 'stack_variant="portable"', 'batch="50 reps"')).toEqual([1e6]);
      expect(rateOf(lines, 'batch="400 reps"')).toEqual([2e6 / 3]);
    });

    it('gives none of them the score of another, where one has none', async () => {
      const lines = await linesOf(3);
      expect(rateOf(lines, 'batch="for 60 s"')).toEqual([]);
      expect(rateOf(lines, 'batch="for 2 s"')).toEqual([4e5]);
    });
  });

  it('is taken by promtool', async ({ skip }) => {
    if (!there('promtool')) skip('no promtool (Debian: prometheus)');
    const check = (input: string) => spawnSync('promtool', ['check', 'metrics'], { input });
    const { status, stderr } = check(await textOf('prom'));
    expect([status, stderr.toString()]).toEqual([0, '']);
    expect(check('pi_bench{ 1\n').status).not.toBe(0);
  });

  it('is taken by a Pushgateway, and shown again', async ({ skip }) => {
    if (!there('prometheus-pushgateway')) skip('no prometheus-pushgateway');
    const port = await freePort();
    // Debian's keeps what it was pushed for the next one, unless it is told not to.
    const gateway = spawn(
      'prometheus-pushgateway',
      [`--web.listen-address=127.0.0.1:${port}`, '--persistence.file='],
      { stdio: 'ignore' },
    );
    try {
      const to = pushAddress(`http://127.0.0.1:${port}/`);
      const of = (machine: string | null, suite: string): Judged => {
        const { qualification } = record;
        const identity = { ...qualification.identity, hostname: 'rack 7/n1', machine };
        const own = { ...qualification, identity, suite: { ...qualification.suite, name: suite } };
        return { ...record, qualification: own };
      };
      const pushed = [of('one', 't2'), of('one', 't0'), of('two', 't2'), of(null, 't2')];
      await eventually(() => push(record, to));
      for (const each of [...pushed, of('one', 't0')]) await push(each, to);
      const shown = await (await fetch(`${to.address}/metrics`)).text();
      expect(shown).toMatch(/pi_bench_qualified\{.*suite="site".*\} 0/);
      expect(shown).toContain('wrong <&\\"\\\\>');
      // One verdict is not replaced by that of another suite, nor by that of a clone with the same name.
      const kept = [...shown.matchAll(/^pi_bench_qualified\{instance="rack 7\/n1",.*?\}/gm)].map(([series]) =>
        [/machine="(\w+)"/, /suite="(\w+)"/].map((label) => label.exec(series)?.[1]),
      );
      expect(kept.toSorted()).toEqual(
        [
          [undefined, 't2'],
          ['one', 't0'],
          ['one', 't2'],
          ['two', 't2'],
        ].toSorted(),
      );
    } finally {
      gateway.kill();
    }
  });

  it('is shown by node_exporter', async ({ skip }) => {
    if (!there('prometheus-node-exporter')) skip('no prometheus-node-exporter');
    await withFolder(async (folder) => {
      writeFileSync(join(folder, 'pi-bench.prom'), await textOf('prom'));
      const port = await freePort();
      const exporter = spawn(
        'prometheus-node-exporter',
        [
          '--collector.disable-defaults',
          '--collector.textfile',
          `--collector.textfile.directory=${folder}`,
          `--web.listen-address=127.0.0.1:${port}`,
        ],
        { stdio: 'ignore' },
      );
      try {
        const shown = await eventually(async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
        expect(shown).toContain('node_textfile_scrape_error 0');
        expect(shown).toMatch(/pi_bench_qualified\{suite="site"\} 0/);
      } finally {
        exporter.kill();
      }
    });
  });
});
