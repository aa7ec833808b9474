/** Random numbers that a seed decides: the same plan, the same permutations, each time and on each machine. */

/** The largest seed: 32 bits are taken of each. */
export const MOST_SEED = 2 ** 32 - 1;

/** Mulberry32 (public domain): whole numbers from 0 to 2^32 - 1. Its 32 bits of state are plenty to shuffle. */
export function randomBits(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return (z ^ (z >>> 14)) >>> 0;
  };
}

/** Uniform between 0 and 1, both excluded, from whole numbers of 32 bits. */
export const uniformOf =
  (bits: () => number): (() => number) =>
  () =>
    (bits() + 0.5) / 2 ** 32;

/** Standard normal (Box & Muller 1958), from uniform ones. */
export const normalOf =
  (uniform: () => number): (() => number) =>
  () =>
    Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

/** Fisher & Yates: every order equally likely. In place. */
export function shuffle<T>(items: { [index: number]: T; readonly length: number }, bits: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = bits() % (i + 1);
    const [a, b] = [items[i] as T, items[j] as T];
    items[i] = b;
    items[j] = a;
  }
}
