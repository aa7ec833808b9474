/**
 * A GPU's clock stayed below the most that it can have, and neither power nor heat is the reason: somebody set it so, it keeps step
 * with others, or nothing says why. Peak and rate go down together then, so that no efficiency shows it. Confirmed by no GPU.
 */
import { formatShare, withPrefix } from '../../quantities/format.js';
import { type NvmlTelemetry, REASONS, reasonShare } from '../../telemetry/gpu.js';
import type { Ratio } from '../../units.js';
import { gpuDetector, withoutReasons } from './gpu.js';

/** Of the readings with a bit. */
const LEAST_SHARE = 0.5;
/** Of a clock that is held: less costs nothing. It goes in steps of 15 MHz, under 1 % of any. */
const LEAST_HELD: Ratio = 0.02;
/** Where no bit says why: some cards end below the most that NVML names, at their highest voltage. */
export const LEAST_UNEXPLAINED: Ratio = 0.15;
/** Of the readings in which power, heat or rest were a reason: from there on they may explain the rest. */
const EXPLAINED = 0.1;

const OF_SETTINGS = ['applicationClocks', 'syncBoost'] as const;
const EXPLAINING = (Object.keys(REASONS) as (keyof typeof REASONS)[]).filter(
  (name) => !OF_SETTINGS.some((setting) => setting === name),
);

/** How far the clock's median is below its most; null: not told. */
function lossOf({ smHertz, mostSmHertz }: NvmlTelemetry): Ratio | null {
  const median = smHertz?.median ?? 0;
  return mostSmHertz != null && mostSmHertz > 0 && median > 0 ? 1 - median / mostSmHertz : null;
}

function wordsOf(application: number, sync: number): string {
  if (Math.max(application, sync) < LEAST_SHARE)
    return 'and neither power nor heat says why: look for a lock (nvidia-smi -q -d CLOCK; nvidia-smi -rgc takes it off)';
  return application >= sync
    ? `held by a setting in ${formatShare(application)} of the readings: nvidia-smi -rgc and -rac take it off`
    : `held by other GPUs of its sync boost group in ${formatShare(sync)} of the readings`;
}

export const clockHeld = gpuDetector({
  name: 'clock-held',
  // One that only takes what is copied to it rests.
  ofWorkOnly: true,
  detect(nvml, { overHostLink, peer }) {
    if (withoutReasons(nvml) !== null) return null;
    const [application, sync] = OF_SETTINGS.map((name) => reasonShare(nvml, name) ?? 0) as [number, number];
    const loss = lossOf(nvml);
    const isSet = Math.max(application, sync) >= LEAST_SHARE;
    const isExplained = (reasonShare(nvml, ...EXPLAINING) ?? 0) >= EXPLAINED;
    const isHeld = isSet ? loss === null || loss > LEAST_HELD : loss !== null && loss > LEAST_UNEXPLAINED;
    // Copies leave the multiprocessors at rest, and their clock is nothing to them.
    const isCopy = overHostLink === true || peer !== undefined;
    if (!isHeld || (!isSet && (isExplained || isCopy))) return null;
    const [median, most] = [nvml.smHertz?.median ?? null, nvml.mostSmHertz ?? null];
    const clock =
      loss === null || median === null || most === null
        ? 'the GPU’s clock was'
        : `the GPU’s clock was ${withPrefix(median, 'Hz', 3)} of the ${withPrefix(most, 'Hz', 3)} that it can have,`;
    return {
      reason: `${clock} ${wordsOf(application, sync)}; peak and rate are lower by as much`,
      evidence: {
        applicationClocksShare: application,
        syncBoostShare: sync,
        loss,
        unexplainedLoss: isSet ? null : loss,
        medianSmHertz: median,
        mostSmHertz: most,
      },
    };
  },
  blindness: (nvml) =>
    withoutReasons(nvml) ??
    (lossOf(nvml) === null ? 'NVML does not tell the clock of this GPU, or the most that it can have' : null),
});
