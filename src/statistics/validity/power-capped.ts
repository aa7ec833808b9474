/** A GPU lowered its clock because it reached its power limit. Under full load that is usual; then the limit is part of the result. */
import { limitInForce } from '../../machine/gpus.js';
import { formatShare } from '../../quantities/format.js';
import { reasonShare } from '../../telemetry/gpu.js';
import { gpuDetector, withoutReasons } from './gpu.js';

export const powerCapped = gpuDetector({
  name: 'power-capped',
  detect(nvml) {
    const share = reasonShare(nvml, 'powerCap') ?? 0;
    if (share === 0) return null;
    const limit = limitInForce(nvml);
    const usual = nvml.defaultPowerLimitWatts ?? null;
    const lowered =
      limit !== null && usual !== null && limit < usual
        ? `, which somebody lowered from ${Math.round(usual)} W`
        : '';
    const of = limit === null ? 'its power limit' : `its power limit of ${Math.round(limit)} W${lowered}`;
    return {
      reason: `the GPU lowered its clock at ${of} in ${formatShare(share)} of the readings: the rate is that of this limit; compare only with GPUs that have the same`,
      evidence: {
        share,
        limitWatts: limit,
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
