/** How long launches take, told by those that have ended and by what is asked of the others. */
import { groupsOf } from '../record/at-once.js';
import type { BatchSpec } from '../record/schema.js';
import type { Seconds } from '../units.js';

export interface LaunchTimes {
  /** @param measured to its end: one that failed at once says nothing of how long the next takes */
  ended(batch: number, wall: Seconds, measured: boolean): void;
  /**
   * Of one launch of the batch: the mean of its own; before there is one, what it is asked to take with what others took beyond
   * that. Of a number of repetitions nobody knows how long they are: the mean of all launches that have ended, of any batch; the longest
   * that failed, as long as none was measured.
   * @returns null where nothing tells
   */
  expected(batch: number): Seconds | null;
  /** Of launches of these batches that begin together: that of the longest; 0 where nothing tells. */
  together(batches: readonly number[]): Seconds;
  /**
   * @param launches how many of each batch; those that are measured at once take the time of the longest
   * @returns null where nothing tells of one of them
   */
  ofAll(launches: readonly number[]): Seconds | null;
}

/** What one launch is asked to take, without its start and its end; null where a count decides. */
export function askedOf({ sampling, warmup }: Pick<BatchSpec, 'sampling' | 'warmup'>): Seconds | null {
  if (sampling.kind === 'fixed') return null;
  return sampling.seconds + (warmup.kind === 'time' ? warmup.seconds : 0);
}

/** A mean that grows: campaigns of thousands of batches ask for it before each launch. */
class Mean {
  #sum: Seconds = 0;
  #count = 0;

  add(value: Seconds): void {
    this.#sum += value;
    this.#count++;
  }

  /** null: of nothing. */
  get value(): Seconds | null {
    return this.#count === 0 ? null : this.#sum / this.#count;
  }
}

export function createLaunchTimes(batches: readonly BatchSpec[]): LaunchTimes {
  const groups = groupsOf(batches);
  const asked = batches.map(askedOf);
  const own = batches.map(() => new Mean());
  const all = new Mean();
  /** What launches took beyond what was asked of them. */
  const beyond = new Mean();
  /** Of a number of repetitions, where nothing told how long they are. */
  let longestFailed: Seconds | null = null;

  function expected(batch: number): Seconds | null {
    const known = own[batch]?.value ?? null;
    if (known !== null) return known;
    const seconds = asked[batch] ?? null;
    return seconds === null ? (all.value ?? longestFailed) : seconds + (beyond.value ?? 0);
  }

  /** How long launches of the batch take, by one that was not measured to its end; null: it does not tell. */
  function despiteFailure(batch: number, wall: Seconds): Seconds | null {
    const seconds = asked[batch] ?? null;
    if (seconds !== null) return Math.max(wall, seconds);
    const known = own[batch]?.value ?? all.value;
    if (known === null) longestFailed = Math.max(longestFailed ?? 0, wall);
    return known !== null && wall > known ? wall : null;
  }

  /** All launches of batches that are measured at once. */
  function ofGroup(group: readonly number[], launches: readonly number[]): Seconds | null {
    let longest: Seconds = 0;
    for (const batch of group) {
      const count = launches[batch] ?? 0;
      const each = count === 0 ? 0 : expected(batch);
      if (each === null) return null;
      longest = Math.max(longest, count * each);
    }
    return longest;
  }

  return {
    ended(batch, wall, measured) {
      const seconds = asked[batch] ?? null;
      const took = measured ? wall : despiteFailure(batch, wall);
      if (took === null) return;
      own[batch]?.add(took);
      all.add(took);
      if (measured && seconds !== null) beyond.add(Math.max(0, wall - seconds));
    },
    expected,
    together: (batches) => Math.max(...batches.map((batch) => expected(batch) ?? 0)),
    ofAll(launches) {
      let total: Seconds = 0;
      for (const [first, group] of groups.entries()) {
        const seconds = group[0] === first ? ofGroup(group, launches) : 0;
        if (seconds === null) return null;
        total += seconds;
      }
      return total;
    },
  };
}
