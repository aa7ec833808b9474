/** A node's line from its record: the same figures, the shape of its repetitions, and what is wrong with it. */
import { describe, expect, it } from 'vitest';
import type { CauseName } from '../../src/fleet/causes.js';
import { checkFleet } from '../../src/fleet/check.js';
import { nodeOf } from '../../src/fleet/from-record.js';
import { asNodeLine, type NodeKpi, toLine } from '../../src/fleet/node-line.js';
import { KNOTS } from '../../src/fleet/sketch.js';
import { fleetOf } from '../../src/fleet/table.js';
import { qualificationOf, withQualification } from '../../src/qualify/qualification.js';
import { parseSuite } from '../../src/qualify/suite.js';
import { judgeAll } from '../../src/qualify/verdict.js';
import type { RecordBatch, RecordInspection } from '../../src/record/schema.js';
import { contextOf, flag, knownMachine } from '../qualify/support.js';
import { ceilingsOf } from '../support/batch.js';
import { aboutSeconds, recordOf } from '../support/records.js';

const seconds = (launch: number): Float64Array =>
  Float64Array.from({ length: 200 }, (_, i) => 0.001 * (1 + 0.0001 * ((i * 7919 + launch) % 100)));

describe('a node from its record', () => {
  const record = recordOf({ batches: [{ launches: aboutSeconds(0.001, 3) }] });
  const node = nodeOf(record, 'n1', ({ index }) => seconds(index));
  const [kpi] = node.kpis;
  const [batch] = record.batches;

  it('has the record’s rates and the distribution of all repetitions, as rates', () => {
    expect(node.kpis).toHaveLength(1);
    expect([kpi?.median, kpi?.p05, kpi?.sustained]).toEqual([
      batch?.rate?.median,
      batch?.rate?.p05,
      batch?.rate?.sustained,
    ]);
    expect([kpi?.n, kpi?.launches, kpi?.unit]).toEqual([600, 3, 'FLOP/s']);
    expect(kpi?.shape).toHaveLength(KNOTS);
    // The slowest repetition takes 0.5 % longer than the middle one.
    expect(kpi?.shape?.[0]).toBeGreaterThan(-600);
    expect(kpi?.shape?.[0]).toBeLessThan(-400);
    expect(node.problems).toEqual([]);
    expect(node.devices.cpu?.kind).toBe('cpu');
  });

  it('has no spread where its samples are gone: the record has that of times, which is another', () => {
    const [gone] = nodeOf(record, 'n1', () => null).kpis;
    expect(typeof batch?.pooled?.cv).toBe('number');
    expect([gone?.cv, gone?.drift, gone?.shape]).toEqual([null, null, null]);
    expect(kpi?.cv).toBeGreaterThan(0);
  });

  it('has no rate of a campaign with a fault injected on purpose, and says why', () => {
    const fault = { kind: 'stopped', share: 0.3 } as const;
    const spoiled = { ...record, campaign: { ...record.campaign, fault } };
    const { kpis, problems } = nodeOf(spoiled, 'n1', () => null);
    expect(kpis).toEqual([]);
    expect(problems).toEqual([
      {
        kind: 'lost',
        what: 'campaign',
        why: 'a fault was injected (stopped): it is no measurement of the machine',
      },
    ]);
  });

  it('keeps a minute apart from a moment of the same case', () => {
    const [burst] = record.batches;
    if (burst === undefined) throw new Error('no batch');
    const sampling = { kind: 'budget', seconds: 60, least: 5, most: 20_000 } as const;
    const soak = { ...burst, asked: { ...burst.asked, sampling } };
    const both = nodeOf({ ...record, batches: [burst, soak] }, 'n1', () => null).kpis;
    expect(new Set(both.map(({ key }) => key)).size).toBe(2);
  });

  it('keeps stacks of a stack file apart, which have one provider', () => {
    const [burst] = record.batches;
    if (burst === undefined) throw new Error('no batch');
    const of = (own: string) => ({
      ...burst,
      asked: { ...burst.asked, stack: { ...burst.asked.stack, own } },
    });
    const kpis = nodeOf({ ...record, batches: [burst, of('old'), of('new')] }, 'n1', () => null).kpis;
    expect(new Set(kpis.map(({ key }) => key)).size).toBe(3);
  });

  it('is written and read back', () => {
    expect(asNodeLine(JSON.parse(toLine(node)), 'here')).toMatchObject({
      node: 'n1',
      kpis: [{ key: kpi?.key }],
    });
  });

  it('has no KPI of what does no work, as a barrier: its rate of 0 is none that a fleet could be judged by', () => {
    const [idle] = recordOf({ batches: [{ launches: aboutSeconds(0.001, 3), idle: true }] }).batches;
    const both = { ...record, batches: [...record.batches, ...(idle === undefined ? [] : [idle])] };
    const line = nodeOf(both, 'n1', ({ index }) => seconds(index));
    expect([line.kpis.length, line.problems]).toEqual([1, []]);
    expect(asNodeLine(JSON.parse(toLine(line)), 'here')?.kpis).toHaveLength(1);
  });

  it('knows no shape where samples were not kept', () => {
    const [without] = nodeOf(record, 'n1', () => null).kpis;
    expect(without?.shape).toBeNull();
    expect(without?.median).toBe(kpi?.median);
  });

  /** The same record, judged on a busy machine. */
  const judgedNode = (checks: string) => {
    const suite = parseSuite(`name: site\n${checks}`, 'site.yaml', () => '');
    const context = contextOf(record, { surroundings: { busy: 0.7, memoryErrors: null } });
    const qualification = qualificationOf({
      suite,
      machine: knownMachine(),
      expected: {},
      baseline: null,
      startedAt: '2026-11-21T10:00:00.000Z',
      endedAt: '2026-11-21T10:01:00.000Z',
      wall: 60,
      judged: [judgeAll(suite, context)],
      attempts: [],
      interrupted: false,
      notJudged: [],
    });
    return nodeOf(withQualification(record, qualification), 'n1', () => null);
  };

  it('says of each check whether it is required, so that a fleet holds it to what qualify does', () => {
    const said = (line: string) =>
      judgedNode(`checks:\n  - ${line}\n`).checks.map(({ name, verdict, required }) => [
        name,
        verdict,
        required,
      ]);
    expect(said('{ check: load }')).toEqual([['load', 'inconclusive', true]]);
    expect(said('{ check: load, required: false }')).toEqual([['load', 'inconclusive', false]]);
  });

  it('is lost to a suite that judges nothing, which qualifies nobody', () => {
    expect(judgedNode('').problems).toEqual([
      { kind: 'lost', what: 'site', why: 'nothing was judged by it' },
    ]);
  });

  type Bounds = Pick<RecordBatch, 'datasheet' | 'roofline'>;
  const datasheet = { rate: 9e12, share: 0.2, source: 'data sheet of the GPU' };
  const ceilings = ceilingsOf(8e9, (1.2e9 * 120e3) / 2e6);
  const bound = recordOf({ batches: [{ launches: [{ seconds: 0.002, ceilings }] }] });
  const ofRegisters = { source: expect.stringMatching(/in registers/), measured: true };
  it.each<[string, (of: Bounds) => Bounds, NodeKpi['peak']]>([
    [
      'the data sheet, where one is known',
      (of) => ({ ...of, datasheet }),
      { value: 9e12, source: datasheet.source, measured: false },
    ],
    [
      'what the ceilings of its launches allow',
      (of) => of,
      { value: expect.closeTo(1.2e9, -3), source: expect.stringMatching(/ceilings/), measured: true },
    ],
    [
      'the peak in registers, where the rate of memory is not known',
      ({ roofline }) => ({ roofline: roofline == null ? null : { ...roofline, attainable: null } }),
      { value: 8e9, ...ofRegisters },
    ],
    ['nothing that is known', () => ({ roofline: null }), null],
  ])('is bound by %s', (_, boundBy, peak) => {
    const batches = bound.batches.map((one) => ({ ...one, ...boundBy(one) }));
    expect(nodeOf({ ...bound, batches }, 'n1', () => null).kpis[0]?.peak).toEqual(peak);
  });

  const byHeat = flag('throttled', { throttledPeriods: 0, thermalThrottles: 3 });
  const byQuota = flag('throttled', { throttledPeriods: 5, thermalThrottles: 0 });
  const byBoth = flag('throttled', { throttledPeriods: 5, thermalThrottles: 3 });
  type Flags = RecordInspection['flags'];
  it.each<[string, readonly Flags[], readonly string[], CauseName]>([
    ['heat', [[byHeat]], ['thermal'], 'thermal'],
    ['a quota', [[byQuota]], ['throttled'], 'cpu-quota'],
    ['both', [[byBoth]], ['throttled', 'thermal'], 'cpu-quota'],
    ['heat, and in another launch a quota', [[byHeat], [byQuota]], ['throttled', 'thermal'], 'cpu-quota'],
    // Of what others published CPU time alone tells, which a quota takes.
    ['something that was not counted', [[flag('throttled')]], ['throttled'], 'cpu-quota'],
    ['heat, and was disturbed', [[byHeat, flag('preempted')]], ['preempted', 'thermal'], 'thermal'],
  ])('that was throttled by %s is told so, and what to do about that', (_, launches, names, cause) => {
    const slow = (seconds: number, flags: readonly Flags[]) =>
      recordOf({ batches: [{ launches: flags.map((own) => ({ seconds, flags: own })) }] });
    const hot = nodeOf(slow(0.002, launches), 'hot', () => null);
    expect(hot.kpis[0]?.flags).toEqual(names);
    const others = ['a', 'b', 'c', 'd'].map((name) => nodeOf(slow(0.001, [[]]), name, () => null));
    const { named } = checkFleet(fleetOf([...others, hot]), { scale: 1, baseline: null });
    expect(named.map((one) => [one.node, one.cause])).toEqual([['hot', cause]]);
  });

  it('says that a result was wrong, and has no rate for it', () => {
    const wrong = recordOf({
      batches: [{ launches: [{ seconds: 0.001 }, { seconds: 0.001, passed: false }] }],
    });
    const broken = nodeOf(wrong, 'n1', () => null);
    expect(broken.kpis).toEqual([]);
    expect(broken.problems).toMatchObject([{ kind: 'wrong', why: 'thread 0 counts 0' }]);
  });
});
