// What benchmarks draw: numbers from a seed, and orders. Pure.

/**
 * Numbers in [0, 1) from a seed: mulberry32.
 * @param {number} seed
 * @returns {() => number}
 */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The items in an order drawn from `draw`: Fisher and Yates.
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} draw
 * @returns {T[]}
 */
export function shuffled(items, draw) {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(draw() * (i + 1));
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}
