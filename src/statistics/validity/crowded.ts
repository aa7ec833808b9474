/** More threads, or ranks, than CPUs: they wait for one another's turns, and the times are the scheduler's too. */
import { formatSeconds, plural } from '../../quantities/format.js';
import { type Detector, timedByGpu, whyMissing } from './detector.js';
import { KEEP_TO_NUMBER, ranText, unaskedThreads } from './own-threads.js';

/** Of the time of the threads that were asked for: what they waited for others of their own process. */
const MOST_WAIT = 0.01;

export const crowded: Detector = {
  name: 'crowded',
  detect(observation) {
    const { threads, telemetry } = observation;
    const { allowedCpus, window } = telemetry;
    if (threads > allowedCpus)
      return {
        reason: `${threads} threads or ranks shared ${plural(allowedCpus, 'CPU')}: the times are those of taking turns; use ${allowedCpus} at most to measure the work`,
        evidence: { threads, allowedCpus },
      };
    const own = timedByGpu(observation) ? null : unaskedThreads(observation);
    if (own === null || own.waited === null || !(own.waited > MOST_WAIT * window * threads)) return null;
    return {
      reason: `${ranText(own, threads)}; ${threads === 1 ? 'the one that was asked for' : 'those that were asked for'} waited ${formatSeconds(own.waited, 3)} for a CPU, so that the times are those of taking turns: ${KEEP_TO_NUMBER}`,
      evidence: {
        threads,
        allowedCpus,
        threadsRun: own.ran,
        unaskedCpuSeconds: own.cpuTime,
        waitedSeconds: own.waited,
      },
    };
  },
  blindness(observation) {
    const { threads, telemetry } = observation;
    if (timedByGpu(observation) || threads > telemetry.allowedCpus) return null;
    const known = telemetry.threads.length;
    if (known > 0 && telemetry.threads.every(({ runDelay }) => runDelay !== null))
      return known < threads
        ? `whether they waited for others of their own process is known of ${known} of ${plural(threads, 'thread')}`
        : null;
    const why =
      known === 0
        ? 'the measuring threads’ files could not be read'
        : whyMissing(telemetry, 'run delay', 'the kernel has no scheduler statistics');
    return `only how many threads were asked for is known, and not whether they waited for others of their own process: ${why}`;
  },
};
