/** Whether what a library chose for this CPU is what the CPU is good for. Vendors' tables do not know every CPU. Pure. */
import type { Advice } from '../machine/advice.js';
import type { LibrarySpec } from './library-spec.js';

type Level = 'avx512' | 'avx2';
const LEVEL_NAMES: Readonly<Record<Level, string>> = { avx512: 'AVX-512', avx2: 'AVX2' };

/** The widest vectors that a CPU has; null: none that would matter here. */
function levelOf(features: readonly string[]): Level | null {
  if (features.includes('avx512f') && features.includes('avx512bw')) return 'avx512';
  return features.includes('avx2') && features.includes('fma') ? 'avx2' : null;
}

/**
 * @param chose the library's own word
 * @param features of the CPU, as the machine's description has them
 * @returns null where the choice is good, or nothing is known of it
 */
export function choiceAdvice(
  { provider, choices }: LibrarySpec,
  path: string,
  chose: string | null,
  features: readonly string[],
): Advice | null {
  const level = levelOf(features);
  if (choices === null || chose === null || level === null) return null;
  const good = choices.avx512.test(chose) || (level === 'avx2' && choices.avx2.test(chose));
  if (good) return null;
  return {
    topic: `${provider}-choice`,
    level: 'important',
    seen: `${path} chose its code for "${chose}" on a CPU with ${LEVEL_NAMES[level]}`,
    why: 'a library that does not know a CPU takes code for another one and may leave a good part of its speed unused: a comparison would then be about that',
    action: `${choices.remedy}; the record names what was chosen either way`,
  };
}
