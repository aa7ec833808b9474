/** What the launches of a batch executed, as the stack told it in each. Pure. */
import type { Seconds } from '../units.js';

const OR = ' or ';
const MICROSECONDS_A_SECOND = 1e6;

/** How well the clocks of several hosts agreed: measured in each launch, and no other way to execute. */
const BOUND = /(?<=clocks within )\d+(\.\d+)?(?= us)/;
const boundOf = (text: string): number => Number(BOUND.exec(text)?.[0] ?? 0);

/**
 * One text where all did the same; else all of them, the most frequent first: `avx2 or avx512`. Of bounds on clocks the largest,
 * which holds for all. null where none told.
 */
export function executedByAll(told: readonly (string | null)[]): string | null {
  const ways = new Map<string, readonly string[]>();
  for (const text of told) {
    if (text === null) continue;
    const way = text.replace(BOUND, '');
    ways.set(way, [...(ways.get(way) ?? []), text]);
  }
  const texts = [...ways.values()]
    .sort((a, b) => b.length - a.length)
    .map((same) => same.reduce((widest, text) => (boundOf(text) > boundOf(widest) ? text : widest)));
  return texts.length === 0 ? null : texts.join(OR);
}

/** The texts that were put together. */
export const executedTexts = (implementation: string | null): readonly string[] =>
  implementation === null ? [] : implementation.split(OR);

/** How well the clocks agreed on which ranks' times are, at worst; null where all ranks read one clock. */
export function clocksWithin(implementation: string | null): Seconds | null {
  const bounds = executedTexts(implementation).filter((text) => BOUND.test(text));
  return bounds.length === 0 ? null : Math.max(...bounds.map(boundOf)) / MICROSECONDS_A_SECOND;
}
