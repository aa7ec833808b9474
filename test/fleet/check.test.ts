/** Who is named among nodes whose truth is known, why, and what stays unsaid. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CauseName, Severity } from '../../src/fleet/causes.js';
import { checkFleet, type FleetCheck, judgingOf } from '../../src/fleet/check.js';
import { disagreementText, identityOf } from '../../src/fleet/identity.js';
import type { NodeCheck, NodeKpi, NodeLine } from '../../src/fleet/node-line.js';
import { warnedTexts } from '../../src/fleet/notes.js';
import { openMetrics } from '../../src/fleet/open-metrics.js';
import { fleetOf } from '../../src/fleet/table.js';
import { unseenText } from '../../src/fleet/unseen-rules.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { normalOf, randomBits, uniformOf } from '../../src/random.js';
import { machineOf } from '../support/machine.js';
import { CPU, healthyNodes, KEY, kpiOf, nodeOf, ratesOf } from './support.js';

const check = (nodes: readonly NodeLine[]): FleetCheck =>
  checkFleet(fleetOf(nodes), { scale: 1, baseline: null });

/** Twelve healthy nodes and one that is not. */
const withOne = (wrong: (rate: number, i: number) => number, more: Partial<NodeKpi> = {}) =>
  check([...healthyNodes(12), nodeOf('bad', [kpiOf(ratesOf(77, {}, wrong), more)])]);

const causes = ({ named }: FleetCheck): Record<string, CauseName> =>
  Object.fromEntries(named.map(({ node, cause }) => [node, cause]));

describe('fleet check', () => {
  it('names nobody among healthy nodes', () => {
    const found = check(healthyNodes(30, 3));
    expect(found.named).toEqual([]);
    expect(found.outcome).toBe('pass');
    expect(found.reference).toMatch(/^n\d+$/);
  });

  it.each<[string, CauseName, (rate: number, i: number) => number]>([
    ['8 % slower', 'slow', (rate) => 0.92 * rate],
    ['10 % of repetitions 30 % slower', 'stalling', (rate, i) => (i % 10 === 0 ? 0.7 : 1) * rate],
    ['1 % of repetitions 60 % slower', 'stalling', (rate, i) => (i % 100 === 0 ? 0.4 : 1) * rate],
    ['drifting by 8 %', 'drifting', (rate, i) => rate * (1 - (0.08 * i) / 2000)],
    ['scattered ten times as far', 'scattered', (rate) => 1e11 + 10 * (rate - 1e11)],
  ])('names the one node that is %s, with its cause', (_, cause, wrong) => {
    const found = withOne(wrong);
    expect(causes(found)).toEqual({ bad: cause });
    expect(found.outcome).toBe('fail');
    expect(found.named[0]?.action).not.toBe('');
    expect(found.named[0]?.findings[0]?.key).toBe(KEY);
  });

  it('says by which rules it could not look, so that nobody takes that for a pass', () => {
    const all = check(healthyNodes(12));
    expect(all.unseen).toEqual([]);
    const blind = healthyNodes(12).map((node, i) => ({
      ...node,
      kpis: node.kpis.map((kpi) => ({ ...kpi, drift: null, ...(i === 3 ? { cv: null } : {}) })),
    }));
    const found = check(blind);
    expect(found.outcome).toBe('pass');
    expect(found.unseen.map(({ rule, kpis, values }) => [rule, kpis, values])).toEqual([
      ['spread', 0, 1],
      ['drift', 1, 0],
    ]);
    expect(found.unseen[1]?.example).toMatch(/^matmul 512/);
    expect(found.unseen.map(unseenText)).toEqual([
      expect.stringMatching(/^spread: that of n3 at matmul 512.* is missing$/),
      'drift: not known of any KPI',
    ]);
  });

  it('does not name a node that is faster', () => {
    expect(withOne((rate) => 1.2 * rate).named).toEqual([]);
  });

  it('does not let outliers move the centre: a quarter of bad nodes are all named, and no other', () => {
    const bad = Array.from({ length: 10 }, (_, i) =>
      nodeOf(`bad${i}`, [kpiOf(ratesOf(500 + i, {}, (rate) => (0.6 + 0.02 * i) * rate))]),
    );
    const named = check([...healthyNodes(30), ...bad]).named.map(({ node }) => node);
    expect(named).toEqual(bad.map(({ node }) => node).sort());
  });

  it('names a node that is somewhat slow at everything, where no single KPI is beyond its limit', () => {
    const nodes = healthyNodes(40, 12);
    const slow = nodeOf(
      'tired',
      (nodes[0]?.kpis ?? []).map((kpi, k) => kpiOf(ratesOf(900 + k, { level: 0.965e11 }), { key: kpi.key })),
    );
    const wide = nodes.map((node, i) => ({
      ...node,
      // Levels of single KPIs scatter by 1.5 %, so that 3.5 % at one of them is nothing.
      kpis: node.kpis.map((kpi, k) => {
        const factor = 1 + 0.015 * Math.sin(13 * i + 29 * k);
        return { ...kpi, median: kpi.median * factor, p05: (kpi.p05 ?? 0) * factor };
      }),
    }));
    const { named } = check([...wide, slow]);
    expect(named.map(({ node }) => node)).toEqual(['tired']);
    expect(named[0]?.findings.map(({ rule }) => rule)).toContain('overall');
  });

  it('says that a quota stops a node, from its flag and from its rate over the wall clock', () => {
    const rates = ratesOf(5);
    const quota = kpiOf(rates, { sustained: 0.9e11, flags: ['throttled'] });
    const found = check([...healthyNodes(6), nodeOf('quota', [quota])]);
    expect(causes(found)).toEqual({ quota: 'cpu-quota' });
    expect(found.named[0]?.severity).toBe('config');
    const unflagged = check([...healthyNodes(6), nodeOf('quota', [{ ...quota, flags: [] }])]);
    expect(causes(unflagged)).toEqual({ quota: 'pausing' });
  });

  it('does not take a flag that most nodes have for a cause', () => {
    const flagged = healthyNodes(12).map((node) => ({
      ...node,
      kpis: node.kpis.map((kpi) => ({ ...kpi, flags: ['preempted'] })),
    }));
    const slow = nodeOf('slow', [kpiOf(ratesOf(7, { level: 0.9e11 }), { flags: ['preempted'] })]);
    expect(causes(check([...flagged, slow]))).toEqual({ slow: 'slow' });
  });

  it.each([
    [1, 'preempted', 'neighbours', 0],
    [2, 'preempted', 'slow', 1],
  ] as const)('takes a flag of %i in 4 rates for a cause or says that it names nobody, and never both', (count, flag, cause, notes) => {
    const nodes = healthyNodes(3).map((node, i) => ({
      ...node,
      kpis: node.kpis.map((kpi) => ({ ...kpi, flags: i < count - 1 ? [flag] : [] })),
    }));
    const slow = nodeOf('slow', [kpiOf(ratesOf(7, { level: 0.8e11 }), { flags: [flag] })]);
    const found = check([...nodes, slow]);
    expect(causes(found)).toEqual({ slow: cause });
    expect(found.notes.filter((note) => /and none is named for it$/.test(note))).toHaveLength(notes);
  });

  it('says that a clock is slow where it explains the rate, and that settings differ', () => {
    const clocked = healthyNodes(8).map((node) => ({
      ...node,
      kpis: node.kpis.map((kpi) => ({ ...kpi, hertz: 3e9 })),
    }));
    const slow = kpiOf(ratesOf(8, { level: 0.8e11 }), { hertz: 2.4e9 });
    const found = check([...clocked, nodeOf('slow', [slow], { settings: { governor: 'powersave' } })]);
    expect(causes(found)).toEqual({ slow: 'settings' });
    expect(found.named[0]?.reason).toMatch(/governor is powersave, of 8 others performance/);
    expect(found.named[0]?.beside).toEqual(['slow-clock', 'slow']);
    expect(causes(check([...clocked, nodeOf('slow', [slow])]))).toEqual({ slow: 'slow-clock' });
  });

  it('names wrong results before all else, and lost nodes without calling them bad', () => {
    const nodes = [
      ...healthyNodes(5),
      nodeOf('wrong', [kpiOf(ratesOf(9, { level: 0.5e11 }))], {
        problems: [{ kind: 'wrong', what: 'matmul', why: 'C[0,0] is 1, not 2' }],
      }),
      nodeOf('lost', [], { problems: [{ kind: 'lost', what: 'campaign', why: 'killed' }] }),
      nodeOf('partial', [], {}),
    ];
    const found = check(nodes);
    expect(causes(found)).toEqual({ wrong: 'wrong-result', lost: 'lost', partial: 'lost' });
    expect(found.named.map(({ verdict }) => verdict)).toEqual(['fail', 'inconclusive', 'inconclusive']);
    expect(found.outcome).toBe('fail');
    expect(check(nodes.filter(({ node }) => node !== 'wrong')).outcome).toBe('inconclusive');
  });

  it('takes the causes of a node’s own failed checks', () => {
    const failing = (cause: string | null) =>
      nodeOf('failing', [kpiOf(ratesOf(10))], {
        checks: [{ name: 'floor/matmul', verdict: 'fail', cause, reason: 'too slow', seconds: null }],
      });
    expect(causes(check([...healthyNodes(4), failing('cpu-quota')]))).toEqual({ failing: 'cpu-quota' });
    expect(causes(check([...healthyNodes(4), failing(null)]))).toEqual({ failing: 'failed-check' });
  });

  describe('a node of which a check of its own failed', () => {
    const failed = (name: string, cause: string | null, reason: string): NodeCheck => ({
      name,
      verdict: 'fail',
      required: true,
      cause,
      reason,
      seconds: null,
    });
    const ecc = failed('ecc@cpu', 'memory-errors', 'uncorrected errors 3, limit ≤ 0');
    const named = (checks: readonly NodeCheck[], kpi: Partial<NodeKpi> = {}, level = 1e11) =>
      check([...healthyNodes(12), nodeOf('bad', [kpiOf(ratesOf(10, { level }), kpi)], { checks })]).named;

    it.each<[string, Partial<NodeKpi>, number]>([
      ['alone', {}, 1e11],
      ['beside other load on a slow node', { flags: ['contended'] }, 0.92e11],
    ])('is to be isolated for memory errors %s', (_, kpi, level) => {
      expect(named([ecc], kpi, level)).toMatchObject([
        {
          cause: 'memory-errors',
          severity: 'isolate',
          verdict: 'fail',
          action: 'memory errors that could not be corrected: replace the module or the GPU',
        },
      ]);
      expect(named([ecc], kpi, level)[0]?.reason).toMatch(/ecc@cpu: uncorrected errors 3/);
    });

    it.each<[string, CauseName, Severity]>([
      ['remap-failed', 'remap-failed', 'isolate'],
      ['remap-pending', 'remap-pending', 'reset'],
      ['driver-fault', 'driver-fault', 'reset'],
      ['missing-device', 'missing-device', 'triage'],
      ['link', 'link-degraded', 'triage'],
      ['lost-launch', 'lost', 'triage'],
      ['power-brake', 'power', 'triage'],
      ['busy', 'neighbours', 'monitor'],
      ['ecc-off', 'failed-check', 'config'],
      ['of a newer pi-bench', 'failed-check', 'triage'],
    ])('by %s is told as %s, with the severity that the check has', (cause, told, severity) => {
      expect(named([failed('x', cause, 'why')])).toMatchObject([{ cause: told, severity, verdict: 'fail' }]);
    });

    it('has that before other load, its settings and its clock, which explain no failed check', () => {
      const [first] = named([failed('governor@cpu', 'governor', 'powersave')], { flags: ['stolen'] }, 0.9e11);
      expect([first?.cause, first?.severity]).toEqual(['failed-check', 'config']);
      expect(first?.beside).toEqual(['neighbours', 'slow']);
      expect(first?.action).toMatch(/scaling_governor/);
    });

    it('is told with all of them, whatever the cause is', () => {
      const others = ['a', 'b', 'c'].map((name) => failed(name, 'governor', `${name} is off`));
      const [first] = named([...others, ecc]);
      expect(first?.cause).toBe('memory-errors');
      for (const text of [/a is off/, /b is off/, /c is off/, /uncorrected errors 3/])
        expect(first?.reason).toMatch(text);
      expect(first?.failedChecks).toHaveLength(4);
      const [alike] = named(others);
      expect(alike?.reason).toMatch(/c is off/);
    });

    it('is failed for a rate below its floor, however its fleet is', () => {
      const [slow] = named([failed('floor/matmul@cpu', 'slow', 'rate 80 % of the baseline')]);
      expect([slow?.cause, slow?.verdict, slow?.severity]).toEqual(['slow', 'fail', 'triage']);
      expect(slow?.reason).toMatch(/80 % of the baseline/);
    });
  });

  describe('a node whose own checks are open', () => {
    const own = (verdict: NodeCheck['verdict'], more: Partial<NodeCheck> = {}): NodeCheck => ({
      name: 'load',
      verdict,
      cause: null,
      reason: 'others use 40 % of the CPUs',
      seconds: null,
      ...more,
    });
    const withChecks = (...checks: NodeCheck[]) => {
      const nodes = [...healthyNodes(4), nodeOf('open', [kpiOf(ratesOf(12))], { checks })];
      return { found: check(nodes), metrics: openMetrics(fleetOf(nodes), check(nodes), 0) };
    };

    it.each<[string, Partial<NodeCheck>, NodeCheck['verdict']]>([
      ['a required check is inconclusive', { required: true }, 'inconclusive'],
      ['a check is inconclusive of which nobody knows whether it is required', {}, 'inconclusive'],
      ['a required check was skipped', { required: true }, 'skipped'],
    ])('is inconclusive and never ok where %s', (_, more, verdict) => {
      const { found, metrics } = withChecks(own('pass', { name: 'swap' }), own(verdict, more));
      expect(causes(found)).toEqual({ open: 'open-check' });
      expect(found.named[0]?.verdict).toBe('inconclusive');
      expect(found.named[0]?.reason).toMatch(/load: others use 40 %/);
      expect(found.outcome).toBe('inconclusive');
      expect(metrics).toMatch(/^pi_bench_fleet_node_ok\{node="open"\} 0$/m);
      expect(metrics).toMatch(/^pi_bench_fleet_node_ok\{node="n1"\} 1$/m);
    });

    it('is inconclusive where none of its checks is required, as it is to qualify', () => {
      expect(causes(withChecks(own('pass', { required: false })).found)).toEqual({ open: 'open-check' });
    });

    it('passes where the suite does not require what is open, and that is told', () => {
      const { found } = withChecks(
        own('pass', { name: 'swap', required: true }),
        own('inconclusive', { required: false }),
        own('skipped', { name: 'floor/gemm', required: false }),
        own('skipped', { name: 'history/gemm' }),
      );
      expect([found.outcome, found.named]).toEqual(['pass', []]);
      expect(found.optional).toEqual([
        { check: 'load', nodes: ['open'], why: 'others use 40 % of the CPUs' },
      ]);
    });

    it('fails where anything else speaks against it: a slow rate, or a check that failed beside something lost', () => {
      const slow = nodeOf('bad', [kpiOf(ratesOf(13, { level: 0.9e11 }))], { checks: [own('inconclusive')] });
      const failed = nodeOf('failed', [kpiOf(ratesOf(14))], {
        problems: [{ kind: 'lost', what: 'gemm', why: 'launch 2 crashed' }],
        checks: [own('fail', { name: 'ecc' }), own('inconclusive')],
      });
      const found = check([...healthyNodes(6), slow, failed]);
      expect(found.named.map(({ node, cause, verdict, beside }) => [node, cause, verdict, beside])).toEqual([
        ['bad', 'slow', 'fail', ['open-check']],
        ['failed', 'lost', 'fail', ['failed-check', 'open-check']],
      ]);
    });

    it('is one that has no checks beside those that have', () => {
      const checks = [own('pass', { required: true })];
      const checked = (count: number) =>
        check(healthyNodes(6).map((node, i) => (i < count ? { ...node, checks } : node)));
      const found = checked(5);
      expect(causes(found)).toEqual({ n5: 'open-check' });
      expect(found.outcome).toBe('inconclusive');
      expect(found.named[0]?.reason).toMatch(/it has no check of its own, and 5 of 6 nodes have/);
      expect(Object.keys(causes(checked(3)))).toEqual(['n3', 'n4', 'n5']);
      // Where few were qualified that is more than the fleet has to be.
      expect([checked(2).outcome, checked(2).named]).toEqual(['pass', []]);
      expect(checked(6).named).toEqual([]);
    });

    it('is one of another tool that is not there, as of a GPU that is gone, and none that was skipped, which is told', () => {
      const tool = { name: 'dcgm', version: null, commit: null };
      const diagnosed = (node: string, gpus: number, verdict: 'pass' | 'skipped' = 'pass') =>
        nodeOf(node, [], {
          tool,
          devices: {},
          checks: Array.from({ length: gpus }, (_, i) => [
            own('pass', { name: `dcgm/memory@gpu ${i}` }),
            own(verdict, { name: `dcgm/power@gpu ${i}`, reason: 'DCGM says Skip' }),
          ]).flat(),
        });
      const alike = ['a', 'b', 'c'].map((node) => diagnosed(node, 3));
      const found = check([...alike, diagnosed('gone', 2), diagnosed('skips', 3, 'skipped')]);
      expect(found.named.map(({ node, cause, reason }) => [node, cause, reason])).toEqual([
        [
          'gone',
          'open-check',
          'a check of its own is open (it lacks what most nodes were judged by: dcgm/memory@gpu 2 and 1 more)',
        ],
      ]);
      expect(found.notes).toEqual([
        'skipped on skips, and judged on at least half of the nodes: dcgm/power@gpu 0 and 2 more: DCGM says Skip',
      ]);
      expect(check(alike).notes).toEqual([]);
      // Each of its own suite, which says itself what is required.
      const t0 = [own('pass', { name: 'counts', required: true })];
      const t1 = [...t0, own('pass', { name: 'load', required: true })];
      const mixed = healthyNodes(4).map((node, i) => ({ ...node, checks: i === 0 ? t0 : t1 }));
      expect(check(mixed).named).toEqual([]);
    });

    it('is none where half of the nodes have it, or where it is a whole test that is told by its entities', () => {
      const tool = { name: 'dcgm', version: null, commit: null };
      const diagnosed = (node: string, ...checks: NodeCheck[]) =>
        nodeOf(node, [], { tool, devices: {}, checks });
      const onGpu = (i: number) => own('pass', { name: `dcgm/memory@gpu ${i}` });
      const [one, two] = [[onGpu(0)], [onGpu(0), onGpu(1)]];
      expect(
        check([
          diagnosed('a', ...two),
          diagnosed('b', ...two),
          diagnosed('c', ...one),
          diagnosed('d', ...one),
        ]).named,
      ).toEqual([]);
      const whole = (verdict: 'warn' | 'fail') => own(verdict, { name: 'dcgm/memory', reason: 'hot' });
      const failed = check([diagnosed('a', ...two, whole('fail')), diagnosed('b', ...two)]);
      expect(causes(failed)).toEqual({ a: 'failed-check' });
      const warned = ['a', 'b', 'c'].map((node) => diagnosed(node, ...two, whole('warn')));
      expect(check([...warned, diagnosed('d', ...two)]).named).toEqual([]);
      // Nothing of that test at all is another matter.
      const without = diagnosed('d', own('pass', { name: 'dcgm/power' }));
      expect(causes(check([...warned, without]))).toEqual({ d: 'open-check' });
    });

    it('is none that warns, and that is told', () => {
      const warned = own('warn', { name: 'ecc@cpu', reason: 'uncorrected errors 3' });
      const { found } = withChecks(own('pass', { required: true }), warned);
      expect([found.outcome, found.named]).toEqual(['pass', []]);
      expect(found.warned).toEqual([{ check: 'ecc@cpu', nodes: ['open'], why: 'uncorrected errors 3' }]);
      expect(warnedTexts(found.warned)).toEqual(['ecc@cpu on open: uncorrected errors 3']);
    });

    it('does not hide what the node lacks', () => {
      const lacking = nodeOf('lacking', [], { checks: [own('inconclusive')] });
      const { named } = check([...healthyNodes(4), lacking]);
      expect([named[0]?.cause, named[0]?.beside]).toEqual(['lost', ['open-check']]);
    });
  });

  it('calls no node ok of which nothing was judged, neither by its KPIs nor by its own checks', () => {
    const skipped: NodeCheck = { name: 'dcgm', verdict: 'skipped', cause: null, reason: null, seconds: null };
    const nodes = [
      nodeOf('skipped', [], { checks: [skipped] }),
      nodeOf('alone', [kpiOf(ratesOf(15))]),
      nodeOf('passed', [], { checks: [{ ...skipped, verdict: 'pass' }] }),
    ].map((node) => ({ ...node, devices: node.kpis.length === 0 ? {} : node.devices }));
    const found = check(nodes);
    expect([found.outcome, found.unjudged]).toEqual(['inconclusive', ['skipped', 'alone']]);
    const ok = openMetrics(fleetOf(nodes), found, 0).match(/^pi_bench_fleet_node_ok.*$/gm);
    expect(ok?.map((line) => line.at(-1))).toEqual(['0', '0', '1']);
    expect(check(healthyNodes(4)).unjudged).toEqual([]);
  });

  it('takes a fleet that was only checked for judged: all of its checks passed', () => {
    const passed: NodeCheck = { name: 'dcgm', verdict: 'pass', cause: null, reason: null, seconds: null };
    const nodes = ['a', 'b'].map((name) => nodeOf(name, [], { checks: [passed], devices: {} }));
    const found = check(nodes);
    expect([found.outcome, found.kpis, found.named, found.notJudged, found.unjudged]).toEqual([
      'pass',
      0,
      [],
      [],
      [],
    ]);
    const open = check([...nodes, nodeOf('c', [], { devices: {} })]);
    expect([open.outcome, open.unjudged]).toEqual(['inconclusive', ['c']]);
  });

  it('names no more healthy nodes by chance where each has several devices, which are as many chances', () => {
    const gpu = { ...CPU, kind: 'gpu' as const, name: 'H200', cpus: null };
    const on = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `cuda:${i}`);
    const nodes = healthyNodes(4, 3).map((node) => ({
      ...node,
      devices: Object.fromEntries(on.map((device) => [device, gpu])) as NodeLine['devices'],
      kpis: node.kpis.flatMap((kpi) => on.map((device) => ({ ...kpi, on: device }))),
    }));
    const chances = (all: readonly NodeLine[]) =>
      judgingOf(fleetOf(all), { scale: 1, baseline: null }).options.kpis;
    expect(chances(nodes)).toBe(24);
    expect(chances(healthyNodes(4, 3))).toBe(3);
    // Of nodes of which nothing is there no chance is known; where few have a KPI it is a chance of few.
    expect(chances([...nodes, nodeOf('lost', [], { devices: {} })])).toBe(24);
    expect(chances([...healthyNodes(3, 2), ...healthyNodes(1, 4)])).toBe(2.5);
  });

  describe('of nodes with eight GPUs, which have their node’s level in common', () => {
    const gpu = { ...CPU, kind: 'gpu' as const, name: 'H200', cpus: null };
    const on = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `cuda:${i}`);
    const devices = Object.fromEntries(on.map((device) => [device, gpu])) as NodeLine['devices'];
    // The median alone, so that many fleets take little time.
    const only = { ...kpiOf([1, 1]), p05: null, sustained: null, cv: null, drift: null, shape: null };
    const nodeAt = (name: string, levels: readonly number[]): NodeLine =>
      nodeOf(
        name,
        on.map((device, i) => ({ ...only, on: device, median: 1e14 * Math.exp(levels[i] ?? 0) })),
        { devices },
      );
    const healthy = (nodes: number, spread: number, normal: () => number): NodeLine[] =>
      Array.from({ length: nodes }, (_, i) => {
        const level = spread * normal();
        return nodeAt(
          `n${i}`,
          on.map(() => level + 0.002 * normal()),
        );
      });

    it.each([
      [4, 0.015],
      [16, 0.02],
      [64, 0.02],
    ])('healthy ones of %i are hardly ever named, where levels differ by %d', (count, spread) => {
      const normal = normalOf(uniformOf(randomBits(count)));
      const all = 3200;
      let named = 0;
      for (let of = 0; of < all; of += count) named += check(healthy(count, spread, normal)).named.length;
      // Where 0.1 % are named, 8 and more of these are once in 60 times.
      expect(named).toBeLessThan(8);
    });

    it('one that is slow is named, and so is a node with all of its own', () => {
      const nodes = healthy(4, 0.005, normalOf(uniformOf(randomBits(7))));
      const one = [
        ...nodes,
        nodeAt(
          'bad',
          on.map((_, i) => (i === 3 ? -0.12 : 0)),
        ),
      ];
      expect(check(one).named.map(({ node, on: where }) => [node, where])).toEqual([['bad', ['cuda:3']]]);
      const whole = [
        ...nodes,
        nodeAt(
          'bad',
          on.map(() => -0.12),
        ),
      ];
      expect(check(whole).named.map(({ node, on: where }) => [node, where])).toEqual([['bad', on]]);
    });
  });

  it('judges each GPU of a node, and names the one that is slow', () => {
    const gpu = {
      ...fleetOf(healthyNodes(1)).nodes[0]?.devices.cpu,
      kind: 'gpu' as const,
      name: 'H200',
      cpus: null,
    };
    const nodes = Array.from({ length: 4 }, (_, i) =>
      nodeOf(
        `g${i}`,
        [0, 1, 2].map((k) =>
          kpiOf(ratesOf(20 * i + k, { level: i === 2 && k === 1 ? 0.85e14 : 1e14 }), { on: `cuda:${k}` }),
        ),
        { devices: Object.fromEntries([0, 1, 2].map((k) => [`cuda:${k}`, gpu])) as NodeLine['devices'] },
      ),
    );
    const [only, ...others] = check(nodes).named;
    expect(others).toEqual([]);
    expect([only?.node, only?.on]).toEqual(['g2', ['cuda:1']]);
  });

  describe('of fewer than three nodes with several GPUs', () => {
    const gpu = { ...CPU, kind: 'gpu' as const, name: 'H200', cpus: null };
    const on = Array.from({ length: 8 }, (_, i) => `cuda:${i}`);
    const withGpus = (count: number, level: (node: number, device: number) => number = () => 1e14) =>
      Array.from({ length: count }, (_, node) =>
        nodeOf(
          `g${node}`,
          on.map((one, k) => kpiOf(ratesOf(20 * node + k, { level: level(node, k) }), { on: one })),
          { devices: Object.fromEntries(on.map((one) => [one, gpu])) },
        ),
      );
    it.each([
      [1, 'one node has it: 8 devices were compared among themselves only, and fewer than 3 nodes'],
      [2, '2 nodes have it: 16 devices were compared among themselves only, each as if it were a node'],
    ])('compares these among themselves, says so, and passes none: %i', (count, why) => {
      const found = check(withGpus(count));
      expect([found.outcome, found.named, found.unjudged]).toEqual(['inconclusive', [], []]);
      expect(found.notJudged.map((one) => one.why)).toEqual([expect.stringContaining(why)]);
      expect(found.notCompared).toEqual(['g0', 'g1'].slice(0, count));
    });
    it('names the one that is slow all the same', () => {
      const found = check(withGpus(1, (_, k) => (k === 3 ? 0.85e14 : 1e14)));
      expect([found.outcome, found.named[0]?.on]).toEqual(['fail', ['cuda:3']]);
    });
    it('names all devices of the slower of two, as it says', () => {
      const [only, ...others] = check(withGpus(2, (node) => (node === 1 ? 0.85e14 : 1e14))).named;
      expect([only?.node, only?.on, others]).toEqual(['g1', on, []]);
    });
    it('has nothing to say of that with three nodes', () => {
      const found = check(withGpus(3));
      expect([found.outcome, found.notJudged, found.notCompared]).toEqual(['pass', [], []]);
    });
  });

  it('names a node without a device that others have, and one without anything, and calls neither good', () => {
    const [first, second, ...rest] = healthyNodes(6);
    const gpu = { ...CPU, kind: 'gpu' as const, name: 'H200', cpus: null };
    const both = [first, ...rest].map((node, i) => ({
      ...(node as NodeLine),
      devices: { cpu: CPU, 'cuda:0': gpu },
      kpis: [
        ...(node?.kpis ?? []),
        kpiOf(ratesOf(i), { key: 'memory?a=1@embedded#pibench_memory_rate_bytes_per_second', on: 'cuda:0' }),
      ],
    }));
    const found = check([...both, second as NodeLine, nodeOf('empty', [], { devices: {} })]);
    expect(causes(found)).toEqual({ empty: 'lost', n1: 'lost' });
    expect(found.named.find(({ node }) => node === 'n1')?.reason).toMatch(/nothing was measured on cuda:0/);
    expect(found.named.find(({ node }) => node === 'empty')?.reason).toMatch(/on cpu and 1 more/);
    expect(found.outcome).toBe('inconclusive');
  });

  it('tells a node that lost a launch of a device that it lacks, too, and of no KPI, which the launch explains', () => {
    const gpu = { ...CPU, kind: 'gpu' as const, name: 'H200', cpus: null };
    const withGpu = healthyNodes(4, 2).map((node, i) => ({
      ...node,
      devices: { cpu: CPU, 'cuda:0': gpu },
      kpis: [...node.kpis, kpiOf(ratesOf(i), { on: 'cuda:0' })],
    }));
    const [one] = healthyNodes(1, 1, 7);
    const problems = [{ kind: 'lost' as const, what: 'matmul 513', why: 'launch 1 crashed' }];
    const found = check([...withGpu, { ...(one as NodeLine), node: 'bad', problems }]);
    expect(found.named.map(({ node, reason }) => [node, reason])).toEqual([
      [
        'bad',
        'not everything was measured (matmul 513: launch 1 crashed; nothing was measured on cuda:0, as on others)',
      ],
    ]);
  });

  it('does not let a node with few repetitions hide another that scatters', () => {
    const few = kpiOf(ratesOf(61).slice(0, 3));
    const wide = kpiOf(
      ratesOf(62, {}, (rate) => 1e11 + 20 * (rate - 1e11)),
      { shape: null, p05: null },
    );
    const named = check([...healthyNodes(20), nodeOf('few', [few]), nodeOf('wide', [wide])]).named;
    expect(named.map(({ node }) => node)).toEqual(['wide']);
    expect(named[0]?.findings.map(({ rule }) => rule)).toEqual(['spread']);
  });

  it('says which power limits differ, in one line', () => {
    const gpu = { ...CPU, kind: 'gpu' as const, name: 'H200', cpus: null };
    const nodes = healthyNodes(5).map((node, i) => ({
      ...node,
      devices: { cpu: { ...gpu, powerLimitWatts: i === 3 ? 500 : 700 } },
    }));
    expect(check(nodes).powerLimits).toEqual([
      'H200 has power limits of 700 W (4 nodes, such as n0), 500 W (n3)',
    ]);
    expect(check(healthyNodes(5)).powerLimits).toEqual([]);
  });

  it('says where a group is faster than the middle: then the middle may be slow, and nobody is named', () => {
    const fleetWith = (slow: number) =>
      check(
        healthyNodes(20, 2).map(({ kpis, ...node }, i) => ({
          ...node,
          kpis: kpis.map((kpi) =>
            i < slow ? { ...kpiOf(ratesOf(200 + i, { level: 0.92e11 })), key: kpi.key } : kpi,
          ),
        })),
      );
    const most = fleetWith(13);
    expect([most.outcome, most.named]).toEqual(['pass', []]);
    expect(most.notes).toEqual([
      expect.stringMatching(
        /^7 of 20 nodes are 8\.\d % faster than the middle at matmul 512.*, and at 1 KPI more: either these are unusual or the rest is slow; hold them against a baseline$/,
      ),
    ]);
    // Where they are few the slow ones are named, and one fast node is no group.
    expect(fleetWith(4).named).toHaveLength(4);
    expect(fleetWith(4).notes).toEqual([]);
    expect(fleetWith(19).notes).toEqual([]);
  });

  it('counts in such a group the nodes, not their devices: one node of eight GPUs is none', () => {
    const gpus = Array.from({ length: 8 }, (_, i) => `cuda:${i}`);
    const device = { ...CPU, kind: 'gpu' as const };
    const fleetWith = (isFast: (node: number, gpu: number) => boolean) =>
      check(
        healthyNodes(10).map((node, i) => ({
          ...node,
          devices: Object.fromEntries(gpus.map((on) => [on, device])),
          kpis: gpus.map((on, j) =>
            kpiOf(ratesOf(8 * i + j, { level: isFast(i, j) ? 1.12e11 : 1e11 }), { on }),
          ),
        })),
      ).notes;
    expect(fleetWith((node) => node === 3)).toEqual([]);
    // Nor are nodes that have one such GPU.
    expect(fleetWith((_, gpu) => gpu === 0)).toEqual([]);
    expect(fleetWith((node) => node < 3)).toEqual([
      expect.stringMatching(/^3 of 10 nodes are 1[12](\.\d)? % faster than the middle at matmul 512/),
    ]);
  });

  it('leaves open what more than half of the nodes lack, as it does what fewer lack', () => {
    const having = (count: number) =>
      check(
        healthyNodes(9, 2).map((node, i) => (i < count ? node : { ...node, kpis: node.kpis.slice(0, 1) })),
      );
    const few = having(4);
    expect([few.outcome, few.named]).toEqual(['inconclusive', []]);
    expect(few.notJudged).toEqual([
      {
        what: expect.stringMatching(/^matmul 512.*513/),
        why: '5 nodes of 9 lack it (n4, n5, n6, ...), too many to call them lost',
      },
    ]);
    const most = having(5);
    expect([most.outcome, most.notJudged]).toEqual(['inconclusive', []]);
    expect(most.named.map(({ node, cause }) => [node, cause])).toEqual(
      ['n5', 'n6', 'n7', 'n8'].map((node) => [node, 'lost']),
    );
    // That nobody can be judged by it is said once.
    expect(having(2).notJudged.map(({ why }) => why)).toEqual([expect.stringMatching(/fewer than 3/)]);
  });

  it('lets no lost node vote on settings, however many are lost', () => {
    const settings = { governor: 'performance', allowed_cpus: '0-1' };
    const known = healthyNodes(5).map((node) => ({ ...node, settings }));
    const slow = nodeOf('slow', [kpiOf(ratesOf(7, { level: 0.8e11 }))], { settings });
    const lost = Array.from({ length: 9 }, (_, i) =>
      nodeOf(`lost${i}`, [], {
        settings: {},
        devices: {},
        problems: [{ kind: 'lost', what: 'campaign', why: 'killed' }],
      }),
    );
    const found = check([...known, slow, ...lost]);
    expect(causes(found)).toMatchObject({ slow: 'slow', lost0: 'lost' });
    expect(found.settings).toEqual([]);
    // Of those that tell theirs most decide.
    const limited = { ...slow, settings: { ...settings, governor: 'powersave' } };
    const [other] = check([...known, limited, ...lost]).named;
    expect(other?.cause).toBe('settings');
    expect(other?.reason).toMatch(/governor is powersave, of 5 others performance/);
  });

  it('takes a quota, a limit or a hypervisor for the cause only where others are seen to have none', () => {
    const shown = machineOf();
    const guest = { ...shown.virtualisation, guest: true, hypervisor: null };
    const group = { version: 2, path: '/a', visible: false } as const;
    const hidden = machineOf({ cgroup: group, memoryCgroup: group });
    const of = (others: MachineDescription, own: NodeLine['settings']) => {
      const { settings } = identityOf({}, others);
      const nodes = healthyNodes(6).map((node) => ({ ...node, settings: { ...settings, kernel: '6.1' } }));
      const slow = nodeOf('slow', [kpiOf(ratesOf(8, { level: 0.8e11 }))], {
        settings: { kernel: '6.1', ...own },
      });
      const { named, settings: differ } = check([...nodes, slow]);
      return [named[0]?.cause, named[0]?.reason ?? '', differ.map(disagreementText)] as const;
    };
    const own = { hypervisor: 'KVM', cgroup_cpu_quota: 1, cgroup_memory_limit_bytes: 2 ** 30 };
    const [unknown, , differ] = of({ ...hidden, virtualisation: guest }, own);
    expect(unknown).toBe('slow');
    expect(differ).toEqual(
      Object.entries(own)
        .sort()
        .map(([name, value]) => `${name}: not known (6 nodes, such as n0), ${JSON.stringify(value)} (slow)`),
    );
    const bare = { ...shown, virtualisation: { ...shown.virtualisation, guest: false } };
    for (const [name, value] of Object.entries(own)) {
      const [cause, reason] = of(bare, { [name]: value });
      expect(cause).toBe('settings');
      expect(reason).toContain(`${name} is ${value}, of 6 others none`);
    }
  });

  it('takes a setting that a node, or most nodes, do not tell for no value', () => {
    const slow = (settings: NodeLine['settings']) =>
      nodeOf('slow', [kpiOf(ratesOf(8, { level: 0.8e11 }))], { settings });
    const known = { governor: 'performance', kernel: '6.1' };
    const silent = healthyNodes(6).map((node) => ({ ...node, settings: { kernel: '6.1' } }));
    expect(causes(check([...silent, slow(known)]))).toEqual({ slow: 'slow' });
    const telling = healthyNodes(6).map((node) => ({ ...node, settings: known }));
    expect(causes(check([...telling, slow({ kernel: '6.1' })]))).toEqual({ slow: 'slow' });
    expect(causes(check([...telling, slow({ ...known, governor: 'powersave' })]))).toEqual({
      slow: 'settings',
    });
  });

  it('notes a flag that spoils half or more of the rates of a KPI: of such nodes none stands out', () => {
    const flagged = (count: number, flag: string) =>
      check(
        healthyNodes(8, 2).map((node, i) => ({
          ...node,
          kpis: node.kpis.map((kpi, k) => ({ ...kpi, flags: i < count - k ? [flag] : [] })),
        })),
      );
    const hot = flagged(6, 'thermal');
    expect([hot.outcome, hot.named]).toEqual(['pass', []]);
    expect(hot.notes).toEqual([
      expect.stringMatching(
        /^thermal: 6 of 8 rates of matmul 512.* have this flag, and half or more of the rates of 1 other KPI: all of these nodes may be too slow by it/,
      ),
    ]);
    expect(flagged(4, 'thermal').notes).toEqual([expect.stringMatching(/ have this flag: all of these/)]);
    expect(flagged(3, 'thermal').notes).toEqual([]);
    expect(flagged(8, 'power-capped').notes).toEqual([]);
    expect(flagged(8, 'multimodal').notes).toEqual([]);
  });

  it('says which nodes are one machine', () => {
    const nodes = healthyNodes(5).map((node, i) => ({ ...node, machine: i < 2 ? 'one' : node.machine }));
    expect(check(nodes).sameMachines).toEqual([['n0', 'n1']]);
    expect(check(healthyNodes(5)).sameMachines).toEqual([]);
  });

  it('does not judge two nodes, and says so', () => {
    const found = check(healthyNodes(2));
    expect(found.outcome).toBe('inconclusive');
    expect(found.notJudged[0]?.why).toMatch(/2 nodes have it, and fewer than 3 cannot say/);
  });

  it('does not depend on the order of the nodes', () => {
    const nodes = [
      ...healthyNodes(9, 2),
      nodeOf('slow', [kpiOf(ratesOf(30, { level: 0.9e11 }))]),
      nodeOf('stalls', [kpiOf(ratesOf(31, {}, (rate, i) => (i % 50 === 0 ? 0.3 : 1) * rate))]),
    ];
    const expected = check(nodes).named;
    expect(expected.map(({ node }) => node)).toContain('slow');
    fc.assert(
      fc.property(fc.shuffledSubarray(nodes, { minLength: nodes.length }), (shuffled) => {
        expect(check(shuffled).named).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});
