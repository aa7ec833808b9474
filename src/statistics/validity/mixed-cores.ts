/** Measuring threads on cores of different kinds: the rate is of neither, and where work is shared equally the fast wait for the slow. */
import { parseCpuList } from '../../machine/linux/cpu-list.js';
import { plural } from '../../quantities/format.js';
import type { Observation } from '../../telemetry/types.js';
import type { Detector } from './detector.js';

/** How many of the threads were seen on each kind, before or after the repetitions; kinds without any are left out. */
function seenOn({ coreKinds = [], threads }: Observation['telemetry']) {
  return coreKinds
    .map(({ name, cpus }) => {
      const own = parseCpuList(cpus) ?? [];
      return {
        name,
        seen: threads.filter(({ cpuBefore, cpuAfter }) => own.includes(cpuBefore) || own.includes(cpuAfter))
          .length,
      };
    })
    .filter(({ seen }) => seen > 0);
}

export const mixedCores: Detector = {
  name: 'mixed-cores',
  detect({ telemetry, onGpu }) {
    const kinds = onGpu ? [] : seenOn(telemetry);
    if (kinds.length < 2) return null;
    const threads = telemetry.threads.length;
    return {
      reason: `of ${plural(threads, 'measuring thread')} ${kinds.map(({ name, seen }) => `${seen} ran on ${name} cores`).join(' and ')}: the rate is that of a mixture, in which equal shares of the work wait for the slowest; measure one kind with fewer threads, or with taskset`,
      evidence: { threads, ...Object.fromEntries(kinds.map(({ name, seen }) => [name, seen])) },
    };
  },
  blindness({ telemetry: { coreKinds, threads: known }, threads, pinned, onGpu }) {
    if (onGpu || coreKinds === undefined) return null;
    if (known.length < threads)
      return `on which kind of core they ran is known of ${known.length} of ${plural(threads, 'thread')}`;
    return pinned ? null : 'only where the threads were before and after is known';
  },
};
