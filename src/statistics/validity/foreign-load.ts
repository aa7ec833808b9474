/** Other processes were on the GPU. */
import { formatBytes, plural } from '../../quantities/format.js';
import { gpuDetector } from './gpu.js';

export const foreignLoad = gpuDetector({
  name: 'foreign-load',
  detect({ processesBefore, processesAfter }, { besideHere = 0 }) {
    if (processesBefore == null || processesAfter == null) return null;
    // Inside a container our own number is not the driver's, so others are those that were there before us, and all
    // but one of those at the end.
    const others = Math.max(processesBefore.length, processesAfter.length - 1) - besideHere;
    if (others <= 0) return null;
    const known = processesBefore.flatMap(({ bytes }) => bytes ?? []);
    const memory =
      known.length < processesBefore.length ? null : known.reduce((sum, bytes) => sum + bytes, 0);
    const taken = memory === null ? '' : ` (${formatBytes(memory)} of its memory before the launch)`;
    return {
      reason: `${plural(others, 'other process', 'other processes')} had work on this GPU${taken}: end them, or measure on another GPU`,
      evidence: {
        others,
        before: processesBefore.length,
        after: processesAfter.length,
        pids: processesBefore.map(({ pid }) => pid).join(','),
        bytesBefore: memory,
      },
    };
  },
  blindness: ({ processesBefore, processesAfter }) =>
    processesBefore == null || processesAfter == null
      ? 'NVML does not show the processes of this GPU (a container, or a MIG instance)'
      : // We are one of them: where none is shown, not all are.
        processesAfter.length === 0
        ? 'NVML shows no process on this GPU, and ours is there'
        : null,
});
