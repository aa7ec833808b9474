/** A GPU lowered its clock because it, or its memory, was hot. */
import { formatShare } from '../../quantities/format.js';
import { reasonShare } from '../../telemetry/gpu.js';
import { gpuDetector, withoutReasons } from './gpu.js';

export const thermal = gpuDetector({
  name: 'thermal',
  detect(nvml) {
    const software = reasonShare(nvml, 'softwareThermal');
    const hardware = reasonShare(nvml, 'hardwareThermal');
    const share = Math.max(software ?? 0, hardware ?? 0);
    if (share === 0) return null;
    const { celsius, memoryCelsius, memoryCelsiusRange, slowdownCelsius } = nvml;
    const memory = memoryCelsiusRange?.most ?? memoryCelsius ?? null;
    const heats = [
      ...(celsius == null ? [] : [`at up to ${celsius.most} °C`]),
      ...(memory === null ? [] : [`its memory at up to ${memory} °C`]),
    ];
    const heat = heats.length === 0 ? '' : ` ${heats.join(', ')}`;
    return {
      reason: `the GPU lowered its clock for heat in ${formatShare(share)} of the readings${heat}: see to its cooling; the rate is what it can keep up there`,
      evidence: {
        softwareShare: software,
        hardwareShare: hardware,
        mostCelsius: celsius?.most ?? null,
        memoryCelsius: memory,
        slowdownCelsius: slowdownCelsius ?? null,
      },
    };
  },
  blindness: withoutReasons,
});
