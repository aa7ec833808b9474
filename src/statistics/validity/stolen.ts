/** The hypervisor gave the CPUs to somebody else. */
import { type Detector, milliseconds, percent } from './detector.js';

const LEAST_SHARE = 0.005;
/** Steal is counted in ticks; fewer than this are its rounding. */
const LEAST_SECONDS = 0.02;

export const stolen: Detector = {
  name: 'stolen',
  detect({ telemetry: { steal, window, onlineCpus } }) {
    if (steal === null || steal <= LEAST_SECONDS) return null;
    const share = steal / (window * onlineCpus);
    if (share <= LEAST_SHARE) return null;
    return {
      reason: `the hypervisor took ${milliseconds(steal)} of CPU time (${percent(share)} of all CPUs) for others`,
      evidence: { stealSeconds: steal, share, windowSeconds: window, onlineCpus },
    };
  },
  blindness: ({ telemetry: { steal } }) => (steal === null ? 'the kernel does not tell stolen time' : null),
};
