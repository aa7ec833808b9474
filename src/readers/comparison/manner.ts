/** Whether the launches of what is compared were asked for alike. Pure. */
import { warmupText } from '../batch-names.js';
import type { Circumstance } from './circumstance.js';
import { samplingText } from './sides.js';

/** Cold caches, pages that nobody has touched and clocks that have not risen are what a warm-up takes out, or leaves in. */
export const WARM_UP: Circumstance = {
  by: null,
  note: 'the launches were not warmed up alike, which may be the reason of a difference',
  weakness: { flag: 'other-warm-up', text: 'its launches were not warmed up alike' },
  differences: ({ batch: { asked } }, { batch: { asked: others } }) => {
    const [own, other] = [warmupText(asked.warmup), warmupText(others.warmup)];
    return own === null || other === null || own === other ? [] : [[own, other]];
  },
};

export const REPETITIONS: Circumstance = {
  by: 'repetitions',
  note: 'the sides do not have the same number of repetitions in a launch',
  weakness: { flag: 'other-repetitions', text: 'its launches had another number of repetitions' },
  differences: ({ batch }, { batch: others }) => {
    const [own, other] = [samplingText(batch), samplingText(others)];
    return own === null || other === null || own === other ? [] : [[own, other]];
  },
};
