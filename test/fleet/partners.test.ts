/** Partners for as many as can have one. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partnersOf } from '../../src/fleet/partners.js';

/** By trying every way to pair them. */
function mostOf(ones: readonly string[], others: readonly string[], may: ReadonlySet<string>): number {
  const [one, ...rest] = ones;
  if (one === undefined) return 0;
  const without = mostOf(rest, others, may);
  const within = others
    .filter((other) => may.has(one + other))
    .map(
      (other) =>
        1 +
        mostOf(
          rest,
          others.filter((more) => more !== other),
          may,
        ),
    );
  return Math.max(without, ...within);
}

const ONES = ['a', 'b', 'c', 'd', 'e'];
const OTHERS = ['1', '2', '3', '4'];
const ALL = ONES.flatMap((one) => OTHERS.map((other) => one + other));

it('are of those that may be paired, each once, and no way has more of them', () => {
  fc.assert(
    fc.property(fc.subarray(ALL), (allowed) => {
      const may = new Set(allowed);
      const partners = partnersOf(ONES, OTHERS, (one, other) => may.has(one + other));
      expect(new Set(partners.values()).size).toBe(partners.size);
      for (const [one, other] of partners) expect(may.has(one + other)).toBe(true);
      expect(partners.size).toBe(mostOf(ONES, OTHERS, may));
    }),
  );
});
