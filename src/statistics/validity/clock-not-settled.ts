/** A GPU's clock was still moving while it was measured. */
import { formatShare, withPrefix } from '../../quantities/format.js';
import type { NvmlTelemetry } from '../../telemetry/gpu.js';
import { gpuDetector } from './gpu.js';

/** Between the first and the last third of the readings. Clocks go in steps of 15 MHz, under 1 % of any. */
const MOST = 0.02;
const LEAST_READINGS = 9;

/** Medians of the multiprocessors' clock in the first and the last third of the window. */
function ends({ series }: NvmlTelemetry): { readonly first: number; readonly last: number } | null {
  const clocks = (series ?? []).map(([, hertz]) => hertz ?? 0).filter((hertz) => hertz > 0);
  if (clocks.length < LEAST_READINGS) return null;
  const third = Math.floor(clocks.length / 3);
  const middle = (part: readonly number[]): number => part.toSorted((a, b) => a - b)[part.length >> 1] ?? 0;
  return { first: middle(clocks.slice(0, third)), last: middle(clocks.slice(-third)) };
}

export const clockNotSettled = gpuDetector({
  name: 'clock-not-settled',
  // One that only takes what is copied to it rests, and its clock moves as it likes.
  ofWorkOnly: true,
  detect(nvml) {
    const clocks = ends(nvml);
    if (clocks === null) return null;
    const { first, last } = clocks;
    const change = last / first - 1;
    if (Math.abs(change) <= MOST) return null;
    const watts = nvml.watts ?? null;
    return {
      reason: `the GPU's clock went from ${withPrefix(first, 'Hz', 3)} to ${withPrefix(last, 'Hz', 3)} (${formatShare(change)}) during the repetitions: warm up longer (--warmup 10s)`,
      evidence: {
        change,
        firstHertz: first,
        lastHertz: last,
        leastWatts: watts?.least ?? null,
        mostWatts: watts?.most ?? null,
      },
    };
  },
  blindness: (nvml) =>
    ends(nvml) === null
      ? `fewer than ${LEAST_READINGS} readings of the clock: the repetitions were over too soon`
      : null,
});
