/** A baseline from a fleet, and nodes that are held against it. */
import { describe, expect, it } from 'vitest';
import { makeBaseline, sketchOfEntry } from '../../src/fleet/baseline.js';
import { heldAgainst } from '../../src/fleet/baseline-centres.js';
import { checkFleet } from '../../src/fleet/check.js';
import type { NodeLine } from '../../src/fleet/node-line.js';
import { fleetOf } from '../../src/fleet/table.js';
import { unseenText } from '../../src/fleet/unseen-rules.js';
import { parseBaseline } from '../../src/qualify/baseline.js';
import { type Baseline, writtenBaseline } from '../../src/qualify/baseline-schema.js';
import { versionsOf } from '../../src/qualify/versions.js';
import { normalOf, randomBits, uniformOf } from '../../src/random.js';
import { renderFleetCheck } from '../../src/readers/terminal/fleet.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { robustDeviationOfGroups } from '../../src/statistics/scale.js';
import { CPU, healthyNodes, KEY, kpiOf, nodeOf, ratesOf } from './support.js';

const ABOUT = {
  name: 'made-up',
  createdAt: '2026-01-02T03:04:05.000Z',
  piBench: { version: '0.0.0', commit: null },
};

const baselineOf = (nodes: readonly NodeLine[]): Baseline => makeBaseline(fleetOf(nodes), ABOUT, 1).baseline;

const against = (baseline: Baseline, nodes: readonly NodeLine[]) => {
  const fleet = fleetOf(nodes);
  return checkFleet(fleet, { scale: 1, baseline: heldAgainst(baseline, fleet) });
};

/** As an older pi-bench wrote it: only medians and their spread. */
const older = ({ overall: _, ...baseline }: Baseline): Baseline => ({
  ...baseline,
  entries: baseline.entries.map(({ apart: _apart, ...entry }) => entry),
});

/** At everything alike. */
const slower = (node: NodeLine | undefined, factor: number): NodeLine => ({
  ...(node as NodeLine),
  kpis: (node as NodeLine).kpis.map((kpi) => ({
    ...kpi,
    median: kpi.median * factor,
    p05: (kpi.p05 ?? 0) * factor,
    sustained: (kpi.sustained ?? 0) * factor,
  })),
});

const withPeak = (nodes: readonly NodeLine[], value: number, measured = false): NodeLine[] =>
  nodes.map((node) => ({
    ...node,
    kpis: node.kpis.map((kpi) => ({ ...kpi, peak: { value, source: 'a datasheet', measured } })),
  }));

const by =
  (version: string, name = 'pi-bench') =>
  (node: NodeLine): NodeLine => ({
    ...node,
    tool: { name, version, commit: null },
  });

describe('a baseline that another version measured', () => {
  const baseline = baselineOf(healthyNodes(3).map(by('0.0.9')));

  it('says which, whoever wrote it; one of an older pi-bench is taken for its writer’s', () => {
    expect(versionsOf(writtenBaseline.parse(baseline))).toEqual(['0.0.9']);
    expect(versionsOf(baselineOf(healthyNodes(3).map(by('1.2', 'other'))))).toEqual([]);
    const silent = { ...baseline, nodes: baseline.nodes.map(({ piBench: _, ...node }) => node) };
    expect(versionsOf(writtenBaseline.parse(silent))).toEqual(['0.0.0']);
  });

  it('is named as such beside the check, and its own is not', () => {
    const versions = (version: string) =>
      against(baseline, healthyNodes(3).map(by(version))).baseline?.otherVersions;
    expect(versions('0.0.9')).toEqual([]);
    expect(versions('0.1.0')).toEqual(['0.0.9']);
    const shown = renderFleetCheck(against(baseline, healthyNodes(3).map(by('0.1.0'))), terminalStyle({}));
    expect(shown.replaceAll(/\s+/g, ' ')).toContain('measured by pi-bench 0.0.9');
  });
});

describe('fleet baseline', () => {
  it('fits its schema, says what it rests on, and leaves outliers out', () => {
    const nodes = [...healthyNodes(10), nodeOf('slow', [kpiOf(ratesOf(50, { level: 0.7e11 }))])];
    const baseline = writtenBaseline.parse(baselineOf(withPeak(nodes, 1.5e11)));
    const [rate, sustained] = baseline.entries;
    expect(baseline.nodes).toHaveLength(10);
    const lost = nodeOf('lost', [], { devices: {}, problems: [{ kind: 'lost', what: 'x', why: 'killed' }] });
    const without = makeBaseline(fleetOf([...healthyNodes(3), lost]), ABOUT, 1);
    expect(without.baseline.nodes).toHaveLength(3);
    expect(without.leftOut).toEqual([{ node: 'lost', why: 'x: killed' }]);
    expect(rate).toMatchObject({ indicator: 'matmul', nodes: 10, dropped: 1, unit: 'FLOP/s', device: CPU });
    expect(rate?.parameters).toMatchObject({ m: 512, dtype: 'float32', pin: true });
    expect(rate?.median).toBeGreaterThan(0.99e11);
    expect(rate?.spread.low).toBeGreaterThan(0.95e11);
    expect(sustained?.kpi).toBe('pibench_matmul_sustained_rate_flops_per_second');
  });

  it('names who is an outlier, with the worst of it, and counts among its nodes only those that some entry rests on', () => {
    const nodes = healthyNodes(10, 2).map((node, i) => ({
      ...node,
      kpis: node.kpis.map((kpi, k) =>
        i === 3 || (i === 6 && k === 1)
          ? kpiOf(ratesOf(90 + i + k, { level: 0.8e11 }), { key: kpi.key })
          : kpi,
      ),
    }));
    const { baseline, leftOut } = makeBaseline(fleetOf(nodes), ABOUT, 1);
    const lower = 'median rate (19|2\\d) % lower \\(limit \\S+ %\\)';
    expect(leftOut).toEqual([
      { node: 'n3', why: expect.stringMatching(new RegExp(`^an outlier at .*: ${lower}, and at 1 more$`)) },
      { node: 'n6', why: expect.stringMatching(new RegExp(`^an outlier at .* 513 .*: ${lower}$`)) },
    ]);
    const names = baseline.nodes.map(({ hostname }) => hostname);
    expect([names.length, names.includes('n3'), names.includes('n6')]).toEqual([9, false, true]);
    expect(baseline.entries.map((entry) => entry.nodes)).toEqual([9, 9, 8, 8]);
  });

  it('has a figure for who was taken out beside others without whom it would not have been', () => {
    // Of its four slow nodes the sustained rates are high: beside them `a` is 6 % below the middle, without them 4 %.
    const sustained = [...Array(4).fill(1e11), 0.94e11, 1e11, 1e11, 1e11, ...Array(3).fill(0.955e11)];
    const nodes = healthyNodes(11).map((node, i) => {
      const { kpis, ...rest } = i < 4 ? slower(node, 0.8) : node;
      return {
        ...rest,
        node: i === 4 ? 'a' : node.node,
        kpis: kpis.map((kpi) => ({ ...kpi, sustained: sustained[i] })),
      };
    });
    const { leftOut } = makeBaseline(fleetOf(nodes), ABOUT, 1);
    expect(leftOut).toHaveLength(5);
    expect(leftOut.find(({ node }) => node === 'a')?.why).toMatch(
      /^an outlier at .*: rate over the wall clock 6\.0 % lower \(limit 5\.0 %\)$/,
    );
  });

  it.each([
    ['slower than any healthy node', 1e12, /10\.0 % of the peak .* only 20 % to 100 % can be/],
    ['faster than its peak', 0.9e11, /111\.\d % of the peak/],
  ])('refuses an entry that is %s', (_, peak, why) => {
    expect(() => baselineOf(withPeak(healthyNodes(4), peak))).toThrow(why);
    const mixed = healthyNodes(4, 2).map((node) => ({
      ...node,
      kpis: node.kpis.map((kpi, k) => ({
        ...kpi,
        peak: { value: k === 0 ? peak : 1.2e11, source: 'a datasheet', measured: false },
      })),
    }));
    const { baseline, refused } = makeBaseline(fleetOf(mixed), ABOUT, 1);
    expect(refused.map((one) => one.why).join()).toMatch(why);
    expect(new Set(baseline.entries.map(({ parameters }) => parameters.k))).toEqual(new Set([513]));
  });

  it('leaves out a sustained rate that its own reader would refuse, says so, and keeps the rate', () => {
    const nodes = withPeak(healthyNodes(4), 1.5e11).map((node) => ({
      ...node,
      kpis: node.kpis.map((kpi) => ({ ...kpi, sustained: 0.2e11 })),
    }));
    const { baseline, refused } = makeBaseline(fleetOf(nodes), ABOUT, 1);
    expect(baseline.entries.map(({ kpi }) => kpi)).toEqual(['pibench_matmul_rate_flops_per_second']);
    expect(refused).toEqual([
      {
        title: expect.stringMatching(/^the sustained rate of matmul /),
        why: expect.stringMatching(/13\.3 % of the peak .* only 20 % to 100 % can be/),
      },
    ]);
    expect(parseBaseline(JSON.stringify(baseline), 'b').entries).toHaveLength(1);
    const { outcome } = against(baseline, withPeak(healthyNodes(1, 1, 9), 1.5e11));
    expect(outcome).toBe('pass');
  });

  it('refuses fewer than three nodes, and GPUs with different power limits', () => {
    expect(() => baselineOf(healthyNodes(2))).toThrow(/2 of the nodes have it; a baseline needs 3/);
    const gpusOf = (limit: (i: number) => number) =>
      healthyNodes(4).map((node, i) => ({
        ...node,
        devices: { cpu: { ...CPU, kind: 'gpu' as const, name: 'H200', powerLimitWatts: limit(i) } },
      }));
    expect(() => baselineOf(gpusOf((i) => (i === 1 ? 500 : 700)))).toThrow(
      /^mixed power limits: H200 has power limits of 700 W \(3 nodes, such as n0\), 500 W \(n1\); a baseline is of one limit: set the same everywhere/,
    );
    expect(() =>
      against(
        baselineOf(gpusOf(() => 700)),
        gpusOf((i) => (i === 1 ? 500 : 700)),
      ),
    ).toThrow(/^mixed power limits: H200 has/);
    expect(() =>
      against(
        baselineOf(gpusOf(() => 700)),
        gpusOf(() => 500),
      ),
    ).toThrow(
      /^made-up is a baseline of H200 with a power limit of 700 W, and these nodes are H200 with a power limit of 500 W: set it/,
    );
  });

  it('against nodes with the same CPU and GPUs of another power limit is refused by those: they are not lost', () => {
    const withGpu = (limit: number) =>
      healthyNodes(4).map((node, i) => ({
        ...node,
        devices: {
          cpu: CPU,
          'cuda:0': { ...CPU, kind: 'gpu' as const, name: 'H200', cpus: null, powerLimitWatts: limit },
        },
        kpis: [...node.kpis, kpiOf(ratesOf(800 + i), { on: 'cuda:0' })],
      }));
    const baseline = baselineOf(withGpu(700));
    expect(against(baseline, withGpu(700)).named).toEqual([]);
    expect(() => against(baseline, withGpu(500))).toThrow(
      /^made-up is a baseline of H200 with a power limit of 700 W, and these nodes are H200 with a power limit of 500 W: set it/,
    );
  });

  it('does not take a node that computed wrong results for an example, nor for the reference', () => {
    const wrong = healthyNodes(4).map((node, i) => ({
      ...node,
      problems: i < 2 ? [{ kind: 'wrong' as const, what: 'matmul', why: 'C[0] is 1' }] : [],
    }));
    expect(() => baselineOf(wrong)).toThrow(/2 of the nodes that have it computed only right results/);
  });

  it('leaves out every node of which a check of its own failed, and says which and why', () => {
    const checks = (verdict: 'fail' | 'warn', name: string) => [
      { name, verdict, cause: null, reason: 'uncorrected errors 3', seconds: null },
    ];
    const nodes = healthyNodes(6).map((node, i) => ({
      ...node,
      checks: i === 1 ? checks('fail', 'ecc@cpu') : i === 2 ? checks('warn', 'ecc@cpu') : [],
      problems: i === 4 ? [{ kind: 'wrong' as const, what: 'matmul', why: 'C[0] is 1' }] : [],
    }));
    const { baseline, leftOut } = makeBaseline(fleetOf(nodes), ABOUT, 1);
    expect(leftOut).toEqual([
      { node: 'n1', why: 'ecc@cpu: uncorrected errors 3' },
      { node: 'n4', why: 'matmul: C[0] is 1' },
    ]);
    expect(baseline.nodes.map(({ hostname }) => hostname)).toEqual(['n0', 'n2', 'n3', 'n5']);
    expect([baseline.entries[0]?.nodes, baseline.entries[0]?.dropped]).toEqual([4, 2]);
    expect(makeBaseline(fleetOf(healthyNodes(3)), ABOUT, 1).leftOut).toEqual([]);
  });

  it('keeps the reference node’s distribution, which is read back', () => {
    const [entry] = baselineOf(healthyNodes(6)).entries;
    const sketch = sketchOfEntry(entry as NonNullable<typeof entry>);
    expect(sketch?.[12]).toBeCloseTo(entry?.median ?? 0, -3);
    expect(sketch?.[0]).toBeLessThan(0.995e11);
  });
});

describe('fleet check against a baseline', () => {
  const baseline = baselineOf(healthyNodes(12));

  it('passes one healthy node and names one bad one of each kind', () => {
    const node = (seed: number, wrong?: (rate: number, i: number) => number) => [
      nodeOf('one', [kpiOf(ratesOf(seed, {}, wrong))]),
    ];
    expect(against(baseline, node(70)).outcome).toBe('pass');
    const causeOf = (wrong: (rate: number, i: number) => number) =>
      against(baseline, node(71, wrong)).named[0]?.cause;
    expect(causeOf((rate) => 0.93 * rate)).toBe('slow');
    expect(causeOf((rate, i) => (i % 10 === 0 ? 0.7 : 1) * rate)).toBe('stalling');
    expect(causeOf((rate, i) => (i % 100 === 0 ? 0.4 : 1) * rate)).toBe('stalling');
    expect(causeOf((rate, i) => rate * (1 - (0.08 * i) / 2000))).toBe('drifting');
    expect(causeOf((rate) => 1e11 + 10 * (rate - 1e11))).toBe('scattered');
  });

  it('refuses other hardware, and does not judge what it has no entry for', () => {
    const other = healthyNodes(1).map((node) => ({ ...node, devices: { cpu: { ...CPU, name: 'another' } } }));
    expect(() => against(baseline, other)).toThrow(
      /made-up is a baseline of other hardware: it is of made-up \(4 CPUs\), and these nodes are another \(4 CPUs\)/,
    );
    const more = nodeOf('one', [
      kpiOf(ratesOf(72)),
      kpiOf(ratesOf(73), { key: KEY.replace('float32', 'float64') }),
    ]);
    const found = against(baseline, [more]);
    expect(found.outcome).toBe('inconclusive');
    expect(found.notJudged.map(({ why }) => why)).toEqual(['the baseline has no entry for it']);
    expect(found.named).toEqual([]);
    const otherUnit = nodeOf('one', [kpiOf(ratesOf(72), { unit: 'GFLOP/s' })]);
    expect(against(baseline, [otherUnit]).outcome).toBe('inconclusive');
  });
});

/** Nodes that are healthy and differ by what is not their median: what is slow on them, how they scatter, which way they drift. */
const differing = (count: number, seed: number): NodeLine[] => {
  const normal = normalOf(uniformOf(randomBits(seed)));
  return Array.from({ length: count }, (_, i) => {
    const [slow, scatter, drift] = [0.05 * normal(), 0.03 * normal(), 0.02 * normal()];
    const kpis = Array.from({ length: 5 }, (__, k) => {
      const kpi = kpiOf(ratesOf(1000 * seed + 97 * i + k), { key: KEY.replace('k=512', `k=${512 + k}`) });
      const p05 = 0.8 * kpi.median * Math.exp(-slow);
      return { ...kpi, p05, cv: 0.15 + scatter, drift, shape: null };
    });
    return nodeOf(`n${i}`, kpis);
  });
};

describe('what nodes differ by beside their medians', () => {
  const baseline = parseBaseline(JSON.stringify(baselineOf(differing(40, 3))), 'b');

  it('is kept with each entry, and names no healthy node of the same kind', () => {
    const [{ apart } = {}] = baseline.entries;
    expect(apart?.p05?.centre).toBeCloseTo(0.8e11, -10);
    expect(apart?.p05?.deviation).toBeGreaterThan(0.03);
    expect(apart?.cv?.centre).toBeCloseTo(0.15, 1);
    expect(apart?.drift?.nodes).toBe(40);
    // Nobody's shape is known.
    expect(apart?.distribution).toBeNull();
    const { named, unseen } = against(baseline, differing(40, 4));
    expect(named).toEqual([]);
    expect(unseen.map(({ rule, why }) => [rule, why])).toEqual([['distribution', null]]);
    // In which there is no other opinion of what is far off.
    const far = differing(1, 5).map((node) => ({
      ...node,
      kpis: node.kpis.map((kpi) => ({ ...kpi, drift: -0.2 })),
    }));
    expect(against(baseline, far).named[0]?.cause).toBe('drifting');
  });

  it('is not known of an older baseline: no node is judged by it, and that is said', () => {
    const found = against(parseBaseline(JSON.stringify(older(baseline)), 'b'), differing(40, 4));
    expect(found.named).toEqual([]);
    expect(found.unseen.map(({ rule }) => rule)).toEqual([
      'p05',
      'spread',
      'drift',
      'distribution',
      'overall',
    ]);
    expect(found.unseen.map(unseenText)[0]).toBe(
      'p05: not known of any KPI (the baseline is from before it was kept how far nodes differ by that: make it anew)',
    );
    expect(found.unseen.map(unseenText)[4]).toMatch(
      /^overall: not known of 40 devices \(the baseline is from/,
    );
    expect(against(older(baseline), [slower(differing(1, 6)[0], 0.9)]).named[0]?.cause).toBe('slow');
  });

  it('is over all KPIs together what those nodes were, not those that are judged', () => {
    // The levels of the baseline's nodes differ by 2 %, at all KPIs alike.
    const level = (i: number): number => 1 + 0.02 * Math.sin(17 * i);
    const leveled = differing(40, 7).map((node, i) => slower(node, level(i)));
    const wide = baselineOf(leveled);
    expect(wide.overall?.[0]?.apart?.deviation).toBeGreaterThan(0.01);
    // Alone, a node tells nothing of how far nodes differ.
    const one = (factor: number) => against(wide, [slower(differing(1, 8)[0], factor)]);
    expect(one(0.96).named).toEqual([]);
    expect(one(0.85).named[0]?.findings.map(({ rule }) => rule)).toContain('overall');
  });

  it('rests over all KPIs together, too, on no node that is left out', () => {
    const healthy = healthyNodes(7, 8);
    const slow = healthyNodes(5, 8, 2).map((node, i) => ({
      ...slower(node, 0.9 - 0.05 * i),
      node: `slow${i}`,
    }));
    const mixed = baselineOf([...healthy, ...slow]);
    expect([mixed.nodes.length, mixed.overall]).toEqual([7, baselineOf(healthy).overall]);
  });
});

describe('what a node lacks of its baseline', () => {
  const baseline = baselineOf(healthyNodes(6, 5));
  const [node] = healthyNodes(1, 5, 9);
  const without = (from: number, one = node): NodeLine => ({
    ...(one as NodeLine),
    kpis: (one as NodeLine).kpis.slice(0, from),
  });

  it('leaves it lost, whether others have it or nobody', () => {
    expect(against(baseline, [node as NodeLine]).outcome).toBe('pass');
    const alone = against(baseline, [without(1)]);
    expect([alone.outcome, alone.named[0]?.cause]).toEqual(['inconclusive', 'lost']);
    expect(alone.named[0]?.reason).toMatch(/cpu lacks what the baseline has: matmul 512.* and 3 more/);
    const several = healthyNodes(3, 5, 9).map((one, i) => (i === 1 ? without(3, one) : one));
    expect(against(baseline, several).named.map(({ node: name, cause }) => [name, cause])).toEqual([
      ['n1', 'lost'],
    ]);
  });

  it('is the device itself where that is gone, and not one of another kind of the same baseline', () => {
    const gpu = { ...CPU, kind: 'gpu' as const, name: 'H200', cpus: null };
    const withGpu = (one: NodeLine, i: number, name = 'H200'): NodeLine => ({
      ...one,
      devices: { cpu: CPU, 'cuda:0': { ...gpu, name } },
      kpis: [...one.kpis, kpiOf(ratesOf(800 + i), { on: 'cuda:0' })],
    });
    const both = baselineOf([
      ...healthyNodes(4).map((one, i) => withGpu(one, i)),
      ...healthyNodes(4, 1, 2).map((one, i) => ({ ...withGpu(one, 50 + i, 'H100'), node: `h${i}` })),
    ]);
    const [bare] = healthyNodes(1, 1, 9);
    expect(against(both, [withGpu(bare as NodeLine, 90)]).named).toEqual([]);
    expect(against(both, [bare as NodeLine]).named[0]?.reason).toMatch(
      /nothing was measured on H200, which the baseline has/,
    );
  });
});

describe('the GPUs of a baseline’s nodes', () => {
  const gpu = { ...CPU, kind: 'gpu' as const, name: 'H100', cpus: null };
  const withGpus = (count: number, name: string, seed: number): NodeLine => {
    const on = Array.from({ length: count }, (_, i) => `cuda:${i}`);
    return nodeOf(
      name,
      ['cpu', ...on].map((one, i) => kpiOf(ratesOf(seed + i), { on: one })),
      { devices: { cpu: CPU, ...Object.fromEntries(on.map((one) => [one, gpu])) } },
    );
  };
  const nodes = [8, 8, 7, 8].map((count, i) => withGpus(count, `n${i}`, 100 * i));
  const baseline = baselineOf(nodes);

  it('are counted as most of them have them, and a node with fewer lacks some', () => {
    expect(writtenBaseline.parse(baseline).gpusPerNode).toBe(8);
    const whole = against(baseline, [withGpus(8, 'n8', 900)]);
    expect([whole.outcome, whole.notes.filter((text) => /GPU/.test(text))]).toEqual(['pass', []]);
    const { outcome, named } = against(baseline, [withGpus(7, 'n9', 900)]);
    expect([outcome, named[0]?.cause, named[0]?.verdict]).toEqual([
      'inconclusive',
      'missing-device',
      'inconclusive',
    ]);
    expect(named[0]?.reason).toBe(
      'a device is missing (something was measured on 7 GPUs, and a node of the baseline has 8)',
    );
    expect(against(baseline, [withGpus(0, 'n9', 900)]).named[0]?.cause).toBe('missing-device');
    expect(baselineOf(healthyNodes(3)).gpusPerNode).toBeUndefined();
  });

  it('were not counted by an older pi-bench: then a note says that nobody knows whether some are missing', () => {
    const { gpusPerNode: _, ...before } = baseline;
    const { outcome, notes } = against(parseBaseline(JSON.stringify(before), 'b'), [withGpus(7, 'n9', 900)]);
    expect(outcome).toBe('pass');
    expect(notes.join()).toMatch(/made-up does not say how many GPUs a node has, so a node that lost some/);
  });
});

describe('a baseline of nodes with several devices', () => {
  const gpu = { ...CPU, kind: 'gpu' as const, name: 'H100', cpus: null };
  const on = Array.from({ length: 8 }, (_, i) => `cuda:${i}`);
  const withGpus = (nodes: number): NodeLine[] =>
    Array.from({ length: nodes }, (_, node) =>
      nodeOf(
        `n${node}`,
        on.map((one, i) => kpiOf(ratesOf(100 * node + i), { on: one })),
        { devices: Object.fromEntries(on.map((one) => [one, gpu])) },
      ),
    );

  it.each([1, 2])('is none of %i, however many devices these have', (nodes) => {
    expect(() => baselineOf(withGpus(nodes))).toThrow(
      new RegExp(`: ${nodes} of the nodes ${nodes === 1 ? 'has' : 'have'} it; a baseline needs 3$`),
    );
  });

  it('rests on as many nodes as there are, in all that it keeps', () => {
    const [entry, sustained] = baselineOf(withGpus(3)).entries;
    expect([entry?.nodes, entry?.dropped, sustained?.nodes]).toEqual([3, 0, 3]);
    const { p05, cv, drift, distribution } = entry?.apart ?? {};
    expect([p05, cv, drift, distribution].map((apart) => apart?.nodes)).toEqual([3, 3, 3, 3]);
  });

  it('of more than 200 devices tells how far those of different nodes lie apart as is read of so few nodes, by Qn', () => {
    const nodes = withGpus(64);
    const { apart } = baselineOf(nodes).entries[0] ?? {};
    const cvs = nodes.map(({ kpis }) => kpis.map(({ cv }) => cv ?? Number.NaN));
    expect(apart?.cv?.nodes).toBe(64);
    expect(apart?.cv?.deviation).toBeCloseTo(robustDeviationOfGroups(cvs), 12);
  });

  it('drops a node of which no device is kept, and none for one device that is slow', () => {
    const slow = (nodes: readonly NodeLine[], isSlow: (node: number, device: number) => boolean) =>
      nodes.map((one, node) => ({
        ...one,
        kpis: one.kpis.map((kpi, i) =>
          isSlow(node, i) ? kpiOf(ratesOf(900 + i, { level: 0.8e11 }), { on: kpi.on }) : kpi,
        ),
      }));
    const counts = (nodes: readonly NodeLine[]) => {
      const [entry] = baselineOf(nodes).entries;
      return [entry?.nodes, entry?.dropped];
    };
    expect(counts(slow(withGpus(4), (node, i) => node === 1 && i === 5))).toEqual([4, 0]);
    expect(counts(slow(withGpus(4), (node) => node === 1))).toEqual([3, 1]);
  });
});

describe('against a baseline a flag is evidence, however many nodes have it', () => {
  const baseline = baselineOf(healthyNodes(12));
  const named = (count: number, flag: string) => {
    const nodes = healthyNodes(4, 1, 5).map((node, i) => ({
      ...node,
      kpis: node.kpis.map((kpi) =>
        i < count ? { ...kpiOf(ratesOf(60 + i, { level: 0.85e11 })), flags: [flag] } : kpi,
      ),
    }));
    return against(baseline, nodes);
  };

  it.each([1, 2, 3, 4])('%i of 4 throttled nodes have one cause', (count) => {
    const { named: found, notes } = named(count, 'throttled');
    expect(found.map(({ cause, severity }) => [cause, severity])).toEqual(
      Array(count).fill(['cpu-quota', 'config']),
    );
    // That all are stopped is to be known, and not that nobody is named.
    expect(notes.filter((note) => note.startsWith('throttled'))).toEqual(
      count < 2 ? [] : [expect.stringMatching(/, and those are named for it that the baseline finds to be$/)],
    );
  });

  it('but for one that is usual under load, of which it says nothing', () => {
    expect(named(1, 'power-capped').named.map(({ cause }) => cause)).toEqual(['slow']);
  });
});

describe('a baseline of nodes that were hot, busy or not qualified', () => {
  const flagged = (count: number, ...flags: string[]) =>
    healthyNodes(6).map((node, i) => ({
      ...node,
      kpis: node.kpis.map((kpi) => ({ ...kpi, flags: i < count ? flags : [] })),
    }));

  it('leaves out each rate with a flag that spoils it, and says which', () => {
    const { baseline, leftOut } = makeBaseline(fleetOf(flagged(2, 'thermal', 'multimodal')), ABOUT, 1);
    expect(baseline.nodes.map(({ hostname }) => hostname)).toEqual(['n2', 'n3', 'n4', 'n5']);
    expect(baseline.entries[0]?.nodes).toBe(4);
    expect(leftOut).toEqual([
      { node: 'n0', why: expect.stringMatching(/^matmul 512.*: flagged thermal$/) },
      { node: 'n1', why: expect.stringMatching(/: flagged thermal$/) },
    ]);
    // GPUs under full load are held by their power limit wherever all is well.
    const usual = makeBaseline(fleetOf(flagged(6, 'power-capped', 'multimodal')), ABOUT, 1);
    expect([usual.baseline.entries[0]?.nodes, usual.leftOut]).toEqual([6, []]);
  });

  it('is none where all of them were', () => {
    expect(() => makeBaseline(fleetOf(flagged(6, 'stolen')), ABOUT, 1)).toThrow(
      /none of the nodes that have it .* without a flag that spoils it; a baseline needs 3; n0 is left out for matmul 512.*: flagged stolen$/,
    );
  });

  it('leaves out nodes with an open check that is required, and no others', () => {
    const check = (verdict: 'inconclusive' | 'skipped' | 'pass', required: boolean, name = 'load') => ({
      name,
      verdict,
      required,
      cause: null,
      reason: 'busy cpus 40 %',
      seconds: null,
    });
    const nodes = healthyNodes(5).map((node, i) => ({
      ...node,
      checks: [
        check('pass', true, 'ecc'),
        i === 0 ? check('inconclusive', true) : check(i === 1 ? 'skipped' : 'inconclusive', i === 1),
      ],
    }));
    const { baseline, leftOut } = makeBaseline(fleetOf(nodes), ABOUT, 1);
    expect(leftOut).toEqual([
      { node: 'n0', why: 'open: load: busy cpus 40 %' },
      { node: 'n1', why: 'open: load: busy cpus 40 %' },
    ]);
    expect(baseline.entries[0]?.nodes).toBe(3);
  });
});

describe('the hardware of a baseline’s nodes', () => {
  const on = (nodes: readonly NodeLine[], hardware: NodeLine['hardware']): NodeLine[] =>
    nodes.map((node) => ({ ...node, hardware: { ...node.hardware, ...hardware } }));
  const zen3 = { cpu_family_model_stepping: '25-1-1', sockets: 1, cores: 2 };
  const zen5 = { cpu_family_model_stepping: '26-2-1', sockets: 2, cores: 2 };
  const baseline = baselineOf(on(healthyNodes(4), zen3));

  it('is kept, as far as they agree on it and know it', () => {
    expect(writtenBaseline.parse(baseline).hardware).toEqual(zen3);
    const [first, ...others] = on(healthyNodes(4), zen3) as [NodeLine, ...NodeLine[]];
    const mixed = [...on([first], { sockets: 2 }), ...others];
    expect(baselineOf(mixed).hardware).toEqual({ cpu_family_model_stepping: '25-1-1', cores: 2 });
    expect(baselineOf(on(healthyNodes(4), { cpu_family_model_stepping: '?-?-?' })).hardware).toEqual({});
  });

  it('has to be that of nodes that are held against it, whatever their CPUs are called', () => {
    const nodes = on(healthyNodes(1, 1, 9), zen5);
    expect(() => against(baseline, nodes)).toThrow(
      /^made-up is a baseline of other hardware: cpu_family_model_stepping is 25-1-1 there and 26-2-1 here/,
    );
    const fleet = fleetOf(nodes);
    expect(() => heldAgainst(baseline, fleet, ['cpu_family_model_stepping', 'sockets'])).not.toThrow();
    expect(against(baseline, on(healthyNodes(1, 1, 9), zen3)).notes).toEqual([]);
  });

  it('is not known of an older baseline, which judges as before and says so', () => {
    const { hardware: _, ...former } = baseline;
    const { outcome, notes } = against(former, on(healthyNodes(1, 1, 9), zen5));
    expect(outcome).toBe('pass');
    expect(notes).toEqual([expect.stringMatching(/^the hardware of made-up’s nodes is not known/)]);
  });
});

describe('a repetition that stood still for very long', () => {
  /** So slow that in hundred-thousandths of the median its rate is 0. */
  const still = ratesOf(3, {}, (rate, i) => (i === 7 ? 1e-9 * rate : rate));

  it('has a rate above 0 in a line, so that a baseline of such nodes can be read', () => {
    const nodes = healthyNodes(3).map(({ node }) => nodeOf(node, [kpiOf(still)]));
    expect(nodes[0]?.kpis[0]?.shape?.[0]).toBe(-99_999);
    const [entry] = parseBaseline(JSON.stringify(baselineOf(nodes)), 'b').entries;
    expect(entry?.distribution?.seconds.every(Number.isFinite)).toBe(true);
  });

  it('leaves no distribution where an older line has 0 for it, and the entry can be read', () => {
    const nodes = healthyNodes(3).map(({ node }) => {
      const kpi = kpiOf(still);
      return nodeOf(node, [{ ...kpi, shape: (kpi.shape ?? []).map((value, i) => (i === 0 ? -1e5 : value)) }]);
    });
    const [entry] = parseBaseline(JSON.stringify(baselineOf(nodes)), 'b').entries;
    expect(entry?.distribution).toBeNull();
  });
});

describe('stacks of a stack file', () => {
  it('of one provider have an entry each', () => {
    const nodes = healthyNodes(3).map((one, i) => ({
      ...one,
      kpis: ['old', 'new'].map((own, k) =>
        kpiOf(ratesOf(20 * i + k, { level: (k + 1) * 1e11 }), {
          key: KEY.replace('@embedded', `@openblas+${own}`),
        }),
      ),
    }));
    const rates = parseBaseline(JSON.stringify(baselineOf(nodes)), 'b').entries.filter(
      ({ kpi }) => !kpi.includes('sustained'),
    );
    expect(rates.map(({ stack }) => stack)).toEqual([
      { provider: 'openblas', variant: null, own: 'old' },
      { provider: 'openblas', variant: null, own: 'new' },
    ]);
    expect(rates.map(({ median }) => Math.round(median / 1e11))).toEqual([1, 2]);
  });
});
