/** Who is slow at everything: found also beside others, and not failed where healthy nodes differ as much. */
import { describe, expect, it } from 'vitest';
import { checkFleet, type FleetCheck, judgingOf } from '../../src/fleet/check.js';
import { judgeAll } from '../../src/fleet/judge-series.js';
import type { NodeLine } from '../../src/fleet/node-line.js';
import { judgeOverall } from '../../src/fleet/overall.js';
import { fleetOf } from '../../src/fleet/table.js';
import { normalOf, randomBits, uniformOf } from '../../src/random.js';
import { KEY, kpiOf, nodeOf, ratesOf } from './support.js';

const KPIS = 6;
const BASE = kpiOf(ratesOf(1, { n: 300 }));

/** A node that is so much slower, in logarithms, at all of its KPIs; each has somewhat of its own beside that. */
function nodeAt(node: string, slower: number, own: () => number): NodeLine {
  const kpis = Array.from({ length: KPIS }, (_, k) => {
    const level = Math.exp(-slower - own());
    const { median, p05, sustained } = BASE;
    return {
      ...BASE,
      key: KEY.replace('k=512', `k=${512 + k}`),
      median: level * median,
      p05: level * (p05 ?? 0),
      sustained: level * (sustained ?? 0),
    };
  });
  return nodeOf(node, kpis);
}

const nothing = (): number => 0;

describe('nodes that are slow at everything', () => {
  /** Beside healthy nodes whose levels differ by 1.5 %, who is found by all KPIs together. */
  function found(healthy: number, slow: readonly number[]): readonly string[] {
    const normal = normalOf(uniformOf(randomBits(3)));
    const own = (): number => 0.001 * normal();
    const fleet = fleetOf([
      ...Array.from({ length: healthy }, (_, i) => nodeAt(`n${i}`, 0.015 * normal(), own)),
      ...slow.map((by, i) => nodeAt(`slow${i}`, by, own)),
    ]);
    const task = judgingOf(fleet, { scale: 1, baseline: null });
    const { findings } = judgeOverall(fleet, judgeAll(task), task.options);
    return findings.map(({ place }) => fleet.nodes[fleet.places[place]?.node ?? -1]?.node ?? '');
  }

  it('do not hide one that is less so: what is found is taken out, and the rest is looked at again', () => {
    expect(found(16, [0.08])).toEqual(['slow0']);
    expect(found(16, [0.5, 0.5, 0.5, 0.5, 0.08])).toEqual(['slow0', 'slow1', 'slow2', 'slow3', 'slow4']);
  });

  it('do not hide each other where they have no part in how far the others differ', () => {
    expect(
      found(
        60,
        Array.from({ length: 6 }, () => 0.063),
      ),
    ).toHaveLength(6);
  });
});

describe('nodes whose levels differ with heavy tails', () => {
  /** By Student's t of 3 degrees, at all KPIs alike; and one that is so much slower. */
  function checked(healthy: number, slower: number): FleetCheck {
    const normal = normalOf(uniformOf(randomBits(healthy)));
    const heavy = (): number => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3);
    const nodes = Array.from({ length: healthy }, (_, i) => nodeAt(`n${i}`, 0.006 * heavy(), nothing));
    return checkFleet(fleetOf([...nodes, nodeAt('slow', slower, nothing)]), { scale: 1, baseline: null });
  }
  const failed = ({ named }: FleetCheck): readonly string[] =>
    named.filter(({ verdict }) => verdict === 'fail').map(({ node }) => node);

  it.each([
    90, 250, 1000,
  ])('do not fail for lying as far off at everything as healthy ones of %i do', (nodes) => {
    const near = checked(nodes, 0.06);
    const slow = near.named.find(({ node }) => node === 'slow');
    expect(slow?.findings.map(({ rule }) => rule)).toContain('overall');
    expect(slow?.verdict).toBe('inconclusive');
    expect(failed(near)).toEqual([]);
  });

  it('fail where they lie further off than that', () => {
    expect(failed(checked(250, 0.7))).toEqual(['slow']);
  });
});
