/** A GPU's links, or its memory, were not what they should be: a slot too narrow, transfers repeated, errors corrected. */
import { plural } from '../../quantities/format.js';
import type { NvmlTelemetry } from '../../telemetry/gpu.js';
import { gpuDetector } from './gpu.js';

/** Of NVML, 20 ms apart: a link that was at rest is awake long before the last of them. */
const ENOUGH_READINGS = 10;

const slower = (seen: number | null | undefined, most: number | null | undefined): boolean =>
  seen != null && most != null && seen < most;

/** Links that rest go slower to save power, so a generation is a sign only of one over which data went all the time. */
const wasAwake = ({ readings }: NvmlTelemetry, overHostLink: boolean | null): boolean =>
  overHostLink === true && (readings ?? 0) >= ENOUGH_READINGS;

const UNKNOWN_WAY =
  'nothing tells whether NVLinks connect the two GPUs, so the PCIe generation of links that may have rested was not looked at';

/** Why the generation of a link with data on it is not known; empty: it is. */
function generationUnseen({ pcie, readings = 0 }: NvmlTelemetry): readonly string[] {
  if (readings < ENOUGH_READINGS)
    return ['the repetitions were over before the PCIe generation could be seen that copies wake up'];
  return pcie?.generation == null || pcie.mostGeneration == null
    ? ['NVML does not show the PCIe generation of this GPU']
    : [];
}

function signsOf(nvml: NvmlTelemetry, overHostLink: boolean | null): string[] {
  const { pcie, nvlinks, pcieReplays, nvlinkErrors } = nvml;
  const signs: string[] = [];
  if (slower(pcie?.width, pcie?.mostWidth))
    signs.push(`PCIe had ${pcie?.width} of its ${pcie?.mostWidth} lanes`);
  if (wasAwake(nvml, overHostLink) && slower(pcie?.generation, pcie?.mostGeneration))
    signs.push(`PCIe was of generation ${pcie?.generation}, and can be of ${pcie?.mostGeneration}`);
  if ((pcieReplays ?? 0) > 0) signs.push(`PCIe repeated ${plural(pcieReplays ?? 0, 'transfer')}`);
  // None is up of a card that no bridge connects.
  if (nvlinks != null && nvlinks.up > 0 && nvlinks.up < nvlinks.all)
    signs.push(`${nvlinks.up} of ${nvlinks.all} NVLinks were up`);
  const { replays = 0, recoveries = 0, checksums = 0 } = nvlinkErrors ?? {};
  if (replays + recoveries + checksums > 0)
    signs.push(
      `NVLinks repeated ${plural(replays, 'packet')}, were brought up again ${plural(recoveries, 'time')}, and had ${plural(checksums, 'wrong checksum')}`,
    );
  return signs;
}

export const linkDegraded = gpuDetector({
  name: 'link-degraded',
  detect(nvml, { overHostLink = false }) {
    const signs = signsOf(nvml, overHostLink);
    if (signs.length === 0) return null;
    const { pcie, nvlinks, pcieReplays, nvlinkErrors } = nvml;
    return {
      reason: `${signs.join('; ')}: copies between host and device, or between GPUs, are slower than they should be; look at slot, riser and cables`,
      evidence: {
        pcieGeneration: pcie?.generation ?? null,
        mostPcieGeneration: pcie?.mostGeneration ?? null,
        pcieAwake: wasAwake(nvml, overHostLink),
        pcieWidth: pcie?.width ?? null,
        mostPcieWidth: pcie?.mostWidth ?? null,
        pcieReplays: pcieReplays ?? null,
        nvlinksUp: nvlinks?.up ?? null,
        nvlinks: nvlinks?.all ?? null,
        nvlinkReplays: nvlinkErrors?.replays ?? null,
        nvlinkRecoveries: nvlinkErrors?.recoveries ?? null,
        nvlinkChecksums: nvlinkErrors?.checksums ?? null,
      },
    };
  },
  blindness(nvml, { overHostLink = false }) {
    const { pcie, pcieReplays, nvlinks, nvlinkErrors } = nvml;
    const unseen = [
      ...(pcie?.width == null || pcie.mostWidth == null
        ? ['NVML does not show the PCIe link of this GPU']
        : []),
      ...(overHostLink === null ? [UNKNOWN_WAY] : overHostLink ? generationUnseen(nvml) : []),
      ...(pcieReplays == null ? ['NVML does not count repeated transfers over PCIe'] : []),
      // Of links of which none is up nothing goes wrong.
      ...(nvlinks != null && nvlinks.up > 0 && nvlinkErrors == null
        ? ['NVML does not count NVLink errors of this GPU']
        : []),
    ];
    return unseen.length === 0 ? null : unseen.join('; ');
  },
});
