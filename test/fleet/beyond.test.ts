/** A rate above what bounds it: by it nobody passes, no centre moves, and no baseline learns. */
import { describe, expect, it } from 'vitest';
import { makeBaseline } from '../../src/fleet/baseline.js';
import { heldAgainst } from '../../src/fleet/baseline-centres.js';
import { checkFleet } from '../../src/fleet/check.js';
import type { NodeKpi, NodeLine } from '../../src/fleet/node-line.js';
import { fleetOf } from '../../src/fleet/table.js';
import { healthyNodes, kpiOf, nodeOf, ratesOf } from './support.js';

const ABOUT = {
  name: 'made-up',
  createdAt: '2026-01-02T03:04:05.000Z',
  piBench: { version: '0.0.0', commit: null },
};
const check = (nodes: readonly NodeLine[]) => checkFleet(fleetOf(nodes), { scale: 1, baseline: null });
const baselineOf = (nodes: readonly NodeLine[]) => makeBaseline(fleetOf(nodes), ABOUT, 1);

const peakOf = (value: number, measured = true): Partial<NodeKpi> => ({
  peak: { value, source: 'ceilings of the same launches', measured },
});
const FLAGGED: Partial<NodeKpi> = { flags: ['above-ceiling'] };
const withKpi = (nodes: readonly NodeLine[], more: Partial<NodeKpi>): NodeLine[] =>
  nodes.map((node) => ({ ...node, kpis: node.kpis.map((kpi) => ({ ...kpi, ...more })) }));

const HEALTHY = withKpi(healthyNodes(12), peakOf(1.3e11));
/** Ten times as fast as the others. */
const far = (more: Partial<NodeKpi>) => nodeOf('far', [kpiOf(ratesOf(70, { level: 1e12 }), more)]);

describe('a node with a rate above what bounds it', () => {
  it.each<[string, Partial<NodeKpi>, RegExp]>([
    [
      'its own peak, measured in the same launches',
      peakOf(1.3e11),
      /is 769 % of its own peak of 130\.0 GFLOP/,
    ],
    ['a ceiling, as a flag says', FLAGGED, /1\.000 TFLOP\/s is flagged as above its ceiling/],
  ])('is neither good nor bad: %s', (_, more, reason) => {
    const { named, outcome } = check([...HEALTHY, far(more)]);
    expect(named).toMatchObject([
      { node: 'far', verdict: 'inconclusive', cause: 'above-ceiling', beside: [] },
    ]);
    expect(named[0]?.reason).toMatch(reason);
    expect(outcome).toBe('inconclusive');
  });

  it('is so against a baseline, too, even where each of them is', () => {
    const { baseline } = baselineOf(HEALTHY);
    const fleet = fleetOf([far(FLAGGED), { ...far(peakOf(1.3e11)), node: 'too' }]);
    const { named, outcome } = checkFleet(fleet, { scale: 1, baseline: heldAgainst(baseline, fleet) });
    expect(named.map(({ node, cause }) => [node, cause])).toEqual([
      ['far', 'above-ceiling'],
      ['too', 'above-ceiling'],
    ]);
    expect(outcome).toBe('inconclusive');
  });

  it('is failed all the same for what it is worse at', () => {
    const slow = [kpiOf(ratesOf(71, { level: 0.8e11 })), kpiOf(ratesOf(72, { level: 1e12 }), FLAGGED)].map(
      (kpi, k) => ({ ...kpi, key: healthyNodes(1, 2)[0]?.kpis[k]?.key ?? '' }),
    );
    expect(check([...healthyNodes(12, 2), nodeOf('bad', slow)]).named).toMatchObject([
      { node: 'bad', verdict: 'fail', cause: 'slow', beside: ['above-ceiling'] },
    ]);
  });

  it('moves no centre: others are judged as without it', () => {
    const slow = nodeOf('slow', [kpiOf(ratesOf(73, { level: 0.9e11 }))]);
    const worse = (nodes: readonly NodeLine[]) =>
      check(nodes).named.find(({ node }) => node === 'slow')?.findings;
    const several = [1, 2, 3, 4].map((i) => ({ ...far(FLAGGED), node: `far${i}` }));
    expect(worse([...HEALTHY, slow, ...several])).toEqual(worse([...HEALTHY, slow]));
  });

  it('is not named for a bound that most of its fleet passes: then the bound is wrong', () => {
    const { outcome, named, notes } = check(withKpi(HEALTHY, FLAGGED));
    expect([outcome, named]).toEqual(['pass', []]);
    expect(notes).toEqual([
      expect.stringMatching(/^matmul 512.*: 12 of 12 rates lie above what bounds them/),
    ]);
    expect(check(HEALTHY).notes).toEqual([]);
  });

  it.each<[string, Partial<NodeKpi>]>([
    ['no more than measurements scatter', peakOf(0.99e11)],
    ['a datasheet’s peak, which may be of another clock', peakOf(0.9e11, false)],
  ])('is judged as any other where it passes %s', (_, more) => {
    const [first, ...others] = healthyNodes(12);
    expect(check([...withKpi([first as NodeLine], more), ...others]).named).toEqual([]);
  });

  it('has no part in a baseline, and that is said', () => {
    const { baseline, leftOut } = baselineOf([...HEALTHY, far(peakOf(1.3e11))]);
    const [entry] = baseline.entries;
    expect([entry?.nodes, entry?.dropped]).toEqual([12, 1]);
    expect(entry?.spread.high).toBeLessThan(1.1e11);
    expect(baseline.nodes.map(({ hostname }) => hostname)).not.toContain('far');
    expect(leftOut).toEqual([{ node: 'far', why: expect.stringMatching(/769 % of its own peak/) }]);
  });
});
