/** What the launches of a batch executed, as the stack told it in each. Pure. */
const OR = ' or ';

/** One text where all did the same; else all of them, the most frequent first: `avx2 or avx512`. null where none told. */
export function executedByAll(told: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const text of told) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
  const texts = [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text);
  return texts.length === 0 ? null : texts.join(OR);
}

/** The texts that were put together. */
export const executedTexts = (implementation: string | null): readonly string[] =>
  implementation === null ? [] : implementation.split(OR);
