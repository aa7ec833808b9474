/** What bounds the calls of a framework, looked at again where a rate is above it: the twin of ceilings_of() in native/inspection.cc. Pure but for `look`. */
import type { NativeCeilings } from '../native.js';
import type { Seconds } from '../units.js';

const MOST_LOOKS = 30;
const LOOKING_MS = 1000;

/** The better of two looks; one that found wrong sums leaves it unknown. */
function better<T extends { readonly rate: number }>(one: T | null, other: T | null): T | null {
  if (one === null || other === null) return null;
  return one.rate > other.rate ? one : other;
}

/**
 * A peak is measured at another moment than the repetitions, which may have had a lower clock or less of the CPUs: one that
 * a rate is above is measured again for a while, and the best counts.
 * @param look measures them
 * @param operations of a call; 0: not told
 * @param call its median time
 */
export function ceilingsOf(look: () => NativeCeilings, operations: number, call: Seconds): NativeCeilings {
  let best = look();
  const until = performance.now() + LOOKING_MS;
  for (let looks = 1; looks < MOST_LOOKS && performance.now() < until; looks++) {
    const { arithmetic, memory } = best;
    if (arithmetic === null || operations <= arithmetic.rate * call) break;
    const again = look();
    best = {
      ...best,
      arithmetic: better(arithmetic, again.arithmetic),
      memory: better(memory, again.memory),
    };
  }
  return best;
}
