/**
 * A GPU lowered its clock because it reached its power limit, or that limit moved. Under full load the first
 * is usual; then the limit is part of the result, and has to be one.
 */
import { limitInForce } from '../../machine/gpus.js';
import { formatShare } from '../../quantities/format.js';
import { type NvmlTelemetry, reasonShare } from '../../telemetry/gpu.js';
import type { Watts } from '../../units.js';
import { gpuDetector, withoutReasons } from './gpu.js';

/**
 * As the launch began and ended; of both moments either what is enforced or what is set. null: it is not
 * known to have moved.
 */
function movedLimit(nvml: NvmlTelemetry): { readonly from: Watts; readonly to: Watts } | null {
  const pairs = [
    [nvml.enforcedPowerLimitWattsBefore, nvml.enforcedPowerLimitWatts],
    [nvml.powerLimitWattsBefore, nvml.powerLimitWatts],
  ] as const;
  for (const [from, to] of pairs) if (from != null && to != null) return from === to ? null : { from, to };
  return null;
}

const watts = (value: Watts): string => `${Math.round(value)} W`;

function cappedText(share: number, limit: Watts | null, usual: Watts | null): string {
  const lowered =
    limit !== null && usual !== null && limit < usual ? `, which somebody lowered from ${watts(usual)}` : '';
  const of = limit === null ? 'its power limit' : `its power limit of ${watts(limit)}${lowered}`;
  return `the GPU lowered its clock at ${of} in ${formatShare(share)} of the readings: the rate is that of this limit; compare only with GPUs that have the same`;
}

export const powerCapped = gpuDetector({
  name: 'power-capped',
  detect(nvml) {
    const share = reasonShare(nvml, 'powerCap') ?? 0;
    const moved = movedLimit(nvml);
    if (share === 0 && moved === null) return null;
    const limit = limitInForce(nvml);
    const usual = nvml.defaultPowerLimitWatts ?? null;
    const texts = [
      ...(moved === null
        ? []
        : [
            `the GPU’s power limit moved from ${watts(moved.from)} to ${watts(moved.to)} during the launch, so that its rate is of neither alone: measure again when nobody sets it`,
          ]),
      ...(share === 0 ? [] : [cappedText(share, limit, usual)]),
    ];
    return {
      reason: texts.join('; '),
      evidence: {
        share,
        limitWatts: limit,
        limitBeforeWatts: moved?.from ?? limit,
        defaultLimitWatts: usual,
        medianWatts: nvml.watts?.median ?? null,
        mostWatts: nvml.watts?.most ?? null,
        medianSmHertz: nvml.smHertz?.median ?? null,
        mostSmHertz: nvml.mostSmHertz ?? null,
      },
    };
  },
  blindness: withoutReasons,
});
