/** More measuring threads, or ranks, than CPUs: they wait for one another's turns, and the times are the scheduler's too. */
import { plural } from '../../quantities/format.js';
import type { Detector } from './detector.js';

export const crowded: Detector = {
  name: 'crowded',
  detect({ threads, telemetry: { allowedCpus } }) {
    if (threads <= allowedCpus) return null;
    return {
      reason: `${threads} threads or ranks shared ${plural(allowedCpus, 'CPU')}: the times are those of taking turns; use ${allowedCpus} at most to measure the work`,
      evidence: { threads, allowedCpus },
    };
  },
  blindness: () => null,
};
