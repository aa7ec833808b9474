/** The hypervisor gave the CPUs to somebody else. */
import { formatSeconds, formatShare, plural } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import type { Seconds } from '../../units.js';
import {
  type Detector,
  LEAST_TICKS,
  timedByGpu,
  whyMissing,
  whyTooFewTicks,
  whyTooShort,
} from './detector.js';

/** Of the measuring threads' time. */
const LEAST_SHARE = 0.01;

/** Only CPUs with something to run are stolen from, so it is set against the measuring threads and not all CPUs. */
const threadsTime = ({ threads, telemetry: { window, onlineCpus } }: Observation): Seconds =>
  window * Math.min(threads, onlineCpus);

export const stolen: Detector = {
  name: 'stolen',
  detect(observation) {
    if (timedByGpu(observation)) return null;
    const {
      threads,
      telemetry: { steal, window, onlineCpus },
    } = observation;
    if (steal === null || steal < LEAST_TICKS || !(window > 0)) return null;
    const share = steal / threadsTime(observation);
    if (!(share > LEAST_SHARE)) return null;
    return {
      reason: `the hypervisor gave ${formatSeconds(steal, 3)} of CPU time to others, up to ${formatShare(Math.min(1, share))} of what ${plural(threads, 'measuring thread')} had: measure on a host with less load, or on dedicated CPUs`,
      evidence: { stealSeconds: steal, share, windowSeconds: window, threads, onlineCpus },
    };
  },
  blindness(observation) {
    const { telemetry } = observation;
    if (timedByGpu(observation)) return null;
    const { steal } = telemetry;
    if (steal === null) return whyMissing(telemetry, 'steal', 'the kernel does not tell stolen time');
    const all = threadsTime(observation);
    return (
      whyTooShort(telemetry) ?? whyTooFewTicks(steal, LEAST_SHARE * all, all, 'the measuring threads’ time')
    );
  },
};
