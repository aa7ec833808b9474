import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupsOf, holm } from '../../src/statistics/several.js';
import { SEEDED } from './support.js';

describe('Holm’s correction', () => {
  it('gives the published example: 0.01, 0.02, 0.03, 0.04 become 0.04, 0.06, 0.06, 0.06', () => {
    expect(holm([0.02, 0.01, 0.04, 0.03]).map((p) => Number(p.toFixed(9)))).toEqual([0.06, 0.04, 0.06, 0.06]);
    expect(holm([])).toEqual([]);
  });

  it('keeps the order, never lowers a p, and leaves a single one as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (ps) => {
        const adjusted = holm(ps);
        ps.forEach((p, i) => {
          expect(adjusted[i]).toBeGreaterThanOrEqual(p);
          ps.forEach((other, j) => {
            if (p < other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j] ?? 0);
          });
        });
        if (ps.length === 1) expect(adjusted).toEqual(ps);
      }),
      SEEDED,
    );
  });
});

describe('groups that cannot be told apart', () => {
  it('lets one be in two: A like B, B like C, A unlike C', () => {
    expect(groupsOf(3, (i, j) => i === 0 && j === 2)).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it('is one group where nothing differs, and each its own where all differ', () => {
    expect(groupsOf(4, () => false)).toEqual([[0, 1, 2, 3]]);
    expect(groupsOf(3, () => true)).toEqual([[0], [1], [2]]);
    expect(groupsOf(0, () => true)).toEqual([]);
  });

  it('shares a group exactly where two are not apart, and no group lies in another', () => {
    const graphs = fc
      .integer({ min: 1, max: 7 })
      .chain((n) => fc.tuple(fc.constant(n), fc.array(fc.boolean(), { minLength: n * n, maxLength: n * n })));
    fc.assert(
      fc.property(graphs, ([n, edges]) => {
        const apart = (i: number, j: number) => edges[i * n + j] === true;
        const groups = groupsOf(n, apart);
        for (let i = 0; i < n; i++) {
          expect(groups.some((group) => group.includes(i))).toBe(true);
          for (let j = i + 1; j < n; j++) {
            const together = groups.some((group) => group.includes(i) && group.includes(j));
            expect(together).toBe(!apart(i, j));
          }
        }
        groups.forEach((one, i) => {
          groups.forEach((other, j) => {
            if (i !== j) expect(one.every((item) => other.includes(item))).toBe(false);
          });
        });
      }),
      SEEDED,
    );
  });
});
