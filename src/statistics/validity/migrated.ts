/** A measuring thread moved to another CPU and left its caches, perhaps its memory, behind. */
import { plural } from '../../quantities/format.js';
import { type Detector, timedByGpu, whyMissing } from './detector.js';

export const migrated: Detector = {
  name: 'migrated',
  detect(observation) {
    if (timedByGpu(observation)) return null;
    const {
      telemetry: { threads, allowedCpus },
      pinned,
      onGpu,
    } = observation;
    const moves = threads.map(({ migrations, cpuBefore, cpuAfter }) =>
      Math.max(migrations ?? 0, cpuBefore === cpuAfter ? 0 : 1),
    );
    const moved = moves.filter((times) => times > 0).length;
    if (moved === 0) return null;
    const migrations = moves.reduce((sum, times) => sum + times, 0);
    const cure = pinned
      ? 'although bound to their own: somebody changed their affinity'
      : threads.length > allowedCpus
        ? `there are ${plural(allowedCpus, 'CPU')} for all of them: take fewer threads, or fewer ranks`
        : onGpu === true
          ? 'a case of a GPU binds none: let pi-bench have few CPUs, near the GPU (numactl, taskset)'
          : 'bind each thread to its own (--pin), which a library does not let whose threads are new in each call';
    return {
      reason: `${moved} of ${plural(threads.length, 'measuring thread')} moved to another CPU, ${plural(migrations, 'time')} in all: ${cure}`,
      evidence: { threads: threads.length, moved, migrations, pinned },
    };
  },
  blindness(observation) {
    if (timedByGpu(observation)) return null;
    const { telemetry, threads } = observation;
    const known = telemetry.threads.length;
    if (known === 0) return 'the measuring threads’ files could not be read';
    const unseen: string[] = [];
    if (known < threads)
      unseen.push(`whether they moved is known of ${known} of ${plural(threads, 'thread')}`);
    if (telemetry.threads.some(({ migrations }) => migrations === null)) {
      const why = whyMissing(telemetry, 'migrations', 'the kernel does not count them');
      unseen.push(`only where the threads were before and after is known: ${why}`);
    }
    return unseen.length === 0 ? null : unseen.join('; ');
  },
};
