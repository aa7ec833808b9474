/** The hypervisor gave the CPUs to somebody else. */
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import { type Detector, LEAST_TICKS, timedByGpu, whyMissing, whyTooShort } from './detector.js';

/** Of the measuring threads' time. */
const LEAST_SHARE = 0.01;

export const stolen: Detector = {
  name: 'stolen',
  detect(observation) {
    if (timedByGpu(observation)) return null;
    const {
      threads,
      telemetry: { steal, window, onlineCpus },
    } = observation;
    if (steal === null || steal < LEAST_TICKS || !(window > 0)) return null;
    // Only CPUs with something to run are stolen from, so it is set against the measuring threads and not all CPUs.
    const share = steal / (window * Math.min(threads, onlineCpus));
    if (!(share > LEAST_SHARE)) return null;
    return {
      reason: `the hypervisor gave ${formatSeconds(steal, 3)} of CPU time to others, up to ${formatShare(Math.min(1, share))} of what ${plural(threads, 'measuring thread')} had: measure on a host with less load, or on dedicated CPUs`,
      evidence: { stealSeconds: steal, share, windowSeconds: window, threads, onlineCpus },
    };
  },
  blindness(observation) {
    const { telemetry } = observation;
    if (timedByGpu(observation)) return null;
    return telemetry.steal === null
      ? whyMissing(telemetry, 'steal', 'the kernel does not tell stolen time')
      : whyTooShort(telemetry);
  },
};
