/** How far chance takes healthy nodes, and what a few slow ones make of it. */
import { describe, expect, it } from 'vitest';
import { type Centre, centreOf, centreWithoutWorst, levelOf, reachesOf } from '../../src/fleet/limits.js';
import { RULES } from '../../src/fleet/rules.js';
import { normalOf, randomBits, uniformOf } from '../../src/random.js';

const normals = (count: number, draw: () => number): Float64Array =>
  Float64Array.from({ length: count }, () => draw());

function known(values: Float64Array): Centre {
  const all = centreOf(values);
  if (all === null) throw new Error('no values');
  return centreWithoutWorst(values, all);
}

describe('the limit of chance', () => {
  it('is passed by less than 0.1 % of healthy nodes, even if every rule at every KPI had a chance of its own', () => {
    const all = RULES.reduce((sum, rule) => sum + 200 * levelOf(rule, 200), levelOf('overall', 1));
    expect(all).toBeLessThan(0.001);
  });

  // Degrees of freedom, a node's part in its own spread and the spread that a far node has no part in, all together.
  it.each([
    16, 39, 40, 60, 250,
  ])('is passed about as often as its level says, or less often, where %i nodes differ normally', (nodes) => {
    const level = 0.0005;
    const draw = normalOf(uniformOf(randomBits(nodes)));
    const values = 240_000;
    let beyond = 0;
    for (let fleet = 0; fleet < values / nodes; fleet++) {
      const own = normals(nodes, draw);
      const centre = known(own);
      const limit = centre.centre + reachesOf(level, centre).reach * centre.deviation;
      beyond += own.filter((value) => value > limit).length;
    }
    expect(beyond).toBeLessThan(1.35 * level * values);
    expect(beyond).toBeGreaterThan(0.3 * level * values);
  });
});

describe('of nodes with several values each', () => {
  const levels = normals(9, normalOf(uniformOf(randomBits(11))));
  const of = Int32Array.from({ length: 72 }, (_, i) => Math.floor(i / 8));
  const each = Float64Array.from(of, (node) => levels[node] ?? Number.NaN);

  it('spread and degrees of freedom are those of so many nodes', () => {
    const [many, single] = [centreOf(each, of), centreOf(levels)];
    expect(many).toMatchObject({ nodes: 9, degrees: 8 });
    expect(many?.deviation).toBeCloseTo(single?.deviation ?? Number.NaN, 9);
  });

  it('only nodes with a value that is known count, and of two each value counts for itself', () => {
    const few = each.map((value, i) => (i < 8 || i % 8 === 3 ? Number.NaN : value));
    expect(centreOf(few, of)?.nodes).toBe(8);
    expect(centreOf(each.slice(0, 16), of.slice(0, 16))).toEqual(centreOf(each.slice(0, 16)));
  });
});

describe('the spread of a fleet', () => {
  const healthy = normals(60, normalOf(uniformOf(randomBits(5))));
  const slow = healthy.map((value, i) => (i % 30 === 0 ? value + 6.2 : value));

  it('is not made larger by the slow ones among the nodes, which would hide each other', () => {
    const [{ deviation }, all] = [known(slow), centreOf(slow)];
    const clean = centreOf(healthy)?.deviation ?? 0;
    expect(Math.abs(deviation / clean - 1)).toBeLessThan(0.03);
    expect(all?.deviation ?? 0).toBeGreaterThan(1.04 * clean);
  });

  it('is that of all nodes where these are few, or fast, or alike', () => {
    const same = (values: Float64Array): void => expect(known(values)).toEqual(centreOf(values));
    same(slow.slice(0, 12));
    same(healthy.map((value, i) => (i === 7 ? value - 9 : Math.min(value, 2))));
    same(Float64Array.from({ length: 40 }, (_, i) => (i === 3 ? 5 : 1)));
  });
});
