/** A GPU's links, or its memory, were not what they should be: a slot too narrow, transfers repeated, errors corrected. */
import { plural } from '../../quantities/format.js';
import type { NvmlTelemetry } from '../../telemetry/gpu.js';
import { gpuDetector } from './gpu.js';

function signsOf({ pcie, nvlinks, pcieReplays }: NvmlTelemetry): string[] {
  const signs: string[] = [];
  const slower = (seen: number | null | undefined, most: number | null | undefined): boolean =>
    seen != null && most != null && seen < most;
  if (slower(pcie?.width, pcie?.mostWidth))
    signs.push(`PCIe had ${pcie?.width} of its ${pcie?.mostWidth} lanes`);
  // Its generation is no sign: links that rest go slower to save power.
  if ((pcieReplays ?? 0) > 0) signs.push(`PCIe repeated ${plural(pcieReplays ?? 0, 'transfer')}`);
  if (nvlinks != null && nvlinks.up < nvlinks.all)
    signs.push(`${nvlinks.up} of ${nvlinks.all} NVLinks were up`);
  return signs;
}

export const linkDegraded = gpuDetector({
  name: 'link-degraded',
  detect(nvml) {
    const signs = signsOf(nvml);
    if (signs.length === 0) return null;
    const { pcie, nvlinks, pcieReplays } = nvml;
    return {
      reason: `${signs.join('; ')}: copies between host and device, or between GPUs, are slower than they should be; look at slot, riser and cables`,
      evidence: {
        pcieGeneration: pcie?.generation ?? null,
        mostPcieGeneration: pcie?.mostGeneration ?? null,
        pcieWidth: pcie?.width ?? null,
        mostPcieWidth: pcie?.mostWidth ?? null,
        pcieReplays: pcieReplays ?? null,
        nvlinksUp: nvlinks?.up ?? null,
        nvlinks: nvlinks?.all ?? null,
      },
    };
  },
  blindness({ pcie, pcieReplays }) {
    const unseen = [
      ...(pcie?.width == null || pcie.mostWidth == null
        ? ['NVML does not show the PCIe link of this GPU']
        : []),
      ...(pcieReplays == null ? ['NVML does not count repeated transfers over PCIe'] : []),
    ];
    return unseen.length === 0 ? null : unseen.join('; ');
  },
});
