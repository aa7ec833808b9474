/** Fleets whose healthy nodes differ with heavy tails: who is sure to be bad, and who has to be measured again. */
import { describe, expect, it } from 'vitest';
import { checkFleet, type FleetCheck } from '../../src/fleet/check.js';
import { fleetOf } from '../../src/fleet/table.js';
import { reachOfTail, tailOf } from '../../src/fleet/tail.js';
import { normalOf, randomBits, uniformOf } from '../../src/random.js';
import { studentReach } from '../../src/statistics/student.js';
import { KEY, kpiOf, nodeOf, ratesOf } from './support.js';

/** Absolute values of Student's t with so many degrees; none: normal. */
function drawn(count: number, degrees: number | null, seed: number): Float64Array {
  const normal = normalOf(uniformOf(randomBits(seed)));
  return Float64Array.from({ length: count }, () => {
    const z = normal();
    if (degrees === null) return Math.abs(z);
    let squares = 0;
    for (let i = 0; i < degrees; i++) squares += normal() ** 2;
    return Math.abs(z) / Math.sqrt(squares / degrees);
  });
}

describe('the tail of a fleet', () => {
  it('is not taken for heavy where nodes differ normally, but for 1 fleet of 100', () => {
    const heavy = Array.from({ length: 60 }, (_, i) => tailOf(drawn(1000, null, 400 + i))).filter(Boolean);
    expect(heavy.length).toBeLessThanOrEqual(4);
  });

  it.each([
    2, 3, 5,
  ])('is known where nodes differ by Student’s t of %i degrees, rather too heavy than too light', (degrees) => {
    for (let i = 0; i < 8; i++) {
      const tail = tailOf(drawn(1500, degrees, 900 + i).map((value) => 2 * value));
      expect(tail?.degrees).toBeLessThanOrEqual(degrees + 1);
      expect(tail?.degrees).toBeGreaterThanOrEqual(degrees - 2);
      expect(tail?.scale).toBeGreaterThan(1.7);
      expect(tail?.scale).toBeLessThan(2.3);
    }
  });

  it('is not known of few values, and reaches as far as its distribution says', () => {
    expect(tailOf(drawn(50, 1, 3))).toBeNull();
    expect(tailOf(new Float64Array(500))).toBeNull();
    expect(reachOfTail({ degrees: 3, scale: 2 }, 0.00005)).toBeCloseTo(2 * studentReach(1 - 0.0001, 3), 9);
  });
});

describe('fleet check of nodes with heavy tails', () => {
  /** Levels of each KPI differ by Student's t of 3 degrees, and one node of KPI 0 by what is asked. */
  const fleet = (own: number, flags: readonly string[] = []): FleetCheck => {
    const normal = normalOf(uniformOf(randomBits(17)));
    const heavy = (): number => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3);
    const nodes = Array.from({ length: 120 }, (_, node) =>
      nodeOf(
        `n${node}`,
        Array.from({ length: 8 }, (_, k) => {
          const level = node === 0 && k === 0 ? 1 - own : Math.exp(0.003 * heavy());
          return kpiOf(ratesOf(8 * node + k, { level: 1e11 * level, n: 300 }), {
            key: KEY.replace('k=512', `k=${512 + k}`),
            flags: node === 0 ? flags : [],
          });
        }),
      ),
    );
    return checkFleet(fleetOf(nodes), { scale: 1, baseline: null });
  };
  const named = ({ named: all }: FleetCheck) => all.find(({ node }) => node === 'n0');

  it('has a node measured again that lies no further off than healthy ones do, and fails one that does', () => {
    const near = fleet(0.06);
    expect(near.named.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(near.outcome).toBe('inconclusive');
    expect(named(near)).toMatchObject({ verdict: 'inconclusive', cause: 'slow', severity: 'monitor' });
    expect(named(near)?.action).toMatch(/^measure it again/);
    expect(named(near)?.reason).toMatch(
      /nodes of this fleet lie as far from its middle where nothing is wrong/,
    );
    expect(named(fleet(0.5))).toMatchObject({ verdict: 'fail', cause: 'slow' });
  });

  it('fails a node all the same where something else speaks against it', () => {
    expect(named(fleet(0.06, ['thermal']))).toMatchObject({ verdict: 'fail', cause: 'thermal' });
  });
});
