/** Something outside of the GPU made it slow down: a brake signal of the power supply or the board. */
import { formatShare } from '../../quantities/format.js';
import { reasonShare } from '../../telemetry/gpu.js';
import { gpuDetector, withoutReasons } from './gpu.js';

export const powerBrake = gpuDetector({
  name: 'power-brake',
  detect(nvml) {
    const brake = reasonShare(nvml, 'powerBrake') ?? 0;
    const hardware = reasonShare(nvml, 'hardwareSlowdown') ?? 0;
    const hot = reasonShare(nvml, 'hardwareThermal') ?? 0;
    // A hardware slowdown that heat explains is the other flag's; what heat does not explain is not.
    const share = Math.max(brake, hardware - hot);
    if (!(share > 0)) return null;
    return {
      reason: `the hardware braked the GPU in ${formatShare(share)} of the readings: its power supply, its cabling or the server's power management asked for it; look at those before you trust any rate of it`,
      evidence: { brakeShare: brake, hardwareSlowdownShare: hardware, mostWatts: nvml.watts?.most ?? null },
    };
  },
  blindness: withoutReasons,
});
