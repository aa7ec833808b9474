/** A measuring thread moved to another CPU and left its caches behind. */
import type { Detector } from './detector.js';

export const migrated: Detector = {
  name: 'migrated',
  detect({ telemetry: { threads }, pinned }) {
    const moved = threads.filter(({ migrations, cpuBefore, cpuAfter }) => (migrations ?? 0) > 0 || cpuBefore !== cpuAfter);
    if (moved.length === 0) return null;
    const times = moved.reduce((sum, { migrations }) => sum + Math.max(1, migrations ?? 1), 0);
    const cure = pinned ? '' : '; --pin binds each thread to its own';
    return {
      reason: `${moved.length} of ${threads.length} threads moved to another CPU, ${times} times in all${cure}`,
      evidence: { threads: threads.length, moved: moved.length, migrations: times, pinned },
    };
  },
  blindness: ({ telemetry: { threads } }) =>
    threads.length === 0 ? 'the threads’ files could not be read' : null,
};
