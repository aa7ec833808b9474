/** Other processes were on the GPU, as NVML lists them or as its memory tells. */
import { formatBytes, plural } from '../../quantities/format.js';
import type { NvmlTelemetry } from '../../telemetry/gpu.js';
import { LEAST_UNLISTED, type OthersOnGpu, othersOnGpu } from '../../telemetry/gpu-processes.js';
import { gpuDetector } from './gpu.js';

function listedText({ others, drawing, passing }: OthersOnGpu, bytes: number | null): string {
  const more = [
    ...(bytes === null || bytes === 0 ? [] : [`${formatBytes(bytes)} of its memory before the launch`]),
    ...(drawing > 0 ? [`${drawing} that only draw`] : []),
    ...(passing > 0 ? [`${passing} that came and went`] : []),
  ];
  const what = plural(others, 'other process', 'other processes');
  return `${what} had work on this GPU${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
}

const bytesOf = ({ processesBefore }: NvmlTelemetry): number | null =>
  (processesBefore ?? []).reduce<number | null>(
    (sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
    0,
  );

export const foreignLoad = gpuDetector({
  name: 'foreign-load',
  detect(nvml, { besideHere = 0 }) {
    const seen = othersOnGpu(nvml, besideHere);
    if (seen === null) return null;
    const { others, drawing, passing, unlisted } = seen;
    const hidden = (unlisted ?? 0) >= LEAST_UNLISTED;
    // An idle display server takes nothing of a measurement; the criterion of qualify warns of it.
    if (others - drawing <= 0 && !hidden) return null;
    const bytes = bytesOf(nvml);
    const signs = [
      ...(others > 0 ? [listedText(seen, bytes)] : []),
      ...(hidden
        ? [`before the launch ${formatBytes(unlisted ?? 0)} of its memory were of nobody whom NVML lists`]
        : []),
    ];
    return {
      reason: `${signs.join('; ')}: end them, or measure on another GPU`,
      evidence: {
        others,
        before: nvml.processesBefore?.length ?? null,
        after: nvml.processesAfter?.length ?? null,
        pids: (nvml.processesBefore ?? []).map(({ pid }) => pid).join(','),
        bytesBefore: bytes,
        drawing,
        passing,
        unlistedBytes: unlisted,
      },
    };
  },
  blindness: (nvml, { besideHere = 0 }) => {
    const seen = othersOnGpu(nvml, besideHere);
    return seen === null
      ? 'NVML does not show the processes of this GPU (a container, or a MIG instance)'
      : seen.mayHide;
  },
});
