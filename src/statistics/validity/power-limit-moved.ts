/** A GPU's power limit moved under a launch: its rate is of neither limit alone. */
import type { NvmlTelemetry } from '../../telemetry/gpu.js';
import type { Watts } from '../../units.js';
import { gpuDetector } from './gpu.js';

/** What is enforced, or where a moment does not tell that, what is set: each as the launch began and as it ended. */
const limits = (nvml: NvmlTelemetry) =>
  [
    [nvml.enforcedPowerLimitWattsBefore, nvml.enforcedPowerLimitWatts],
    [nvml.powerLimitWattsBefore, nvml.powerLimitWatts],
  ] as const;

/** The first pair of which both are known; null: none. */
function limitPair(nvml: NvmlTelemetry): { readonly from: Watts; readonly to: Watts } | null {
  for (const [from, to] of limits(nvml)) if (from != null && to != null) return { from, to };
  return null;
}

const watts = (value: Watts): string => `${Math.round(value)} W`;

export const powerLimitMoved = gpuDetector({
  name: 'power-limit-moved',
  detect(nvml) {
    const pair = limitPair(nvml);
    if (pair === null || pair.from === pair.to) return null;
    const { from, to } = pair;
    return {
      reason: `the GPU’s power limit moved from ${watts(from)} to ${watts(to)} during the launch, so that its rate is of neither alone: measure again when nobody sets it`,
      evidence: { fromWatts: from, toWatts: to, defaultLimitWatts: nvml.defaultPowerLimitWatts ?? null },
    };
  },
  blindness: (nvml) =>
    limitPair(nvml) === null ? 'NVML does not tell the power limit of both ends of the launch' : null,
});
