/** What GPUs, and the host's memory, tell before anything is measured: driver, links, error correction, power limit, MIG. Pure. */
import { gpuNamed } from '../../devices/device.js';
import { type GpuDescription, limitInForce, limitOverruled } from '../../machine/gpus.js';
import { gpusNotShown } from '../../machine/pci-gpus.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Finding } from '../../record/schema.js';
import { type CauseName, causeNamed } from '../causes.js';
import { atLeast, atMost, below, equalTo, type Looked, notSeen, skipped, told } from '../findings.js';
import type { CheckKind, CheckOf } from '../suite-file.js';
import { type Context, type Criterion, judged, notPossible } from './criterion.js';
import { standingCause, standingErrors } from './standing-errors.js';

export const NO_GPU = 'there is no GPU here, and --expect names none';

/** A criterion of each GPU. */
function ofGpus<K extends CheckKind>(
  kind: K,
  cause: (gpu: GpuDescription) => CauseName,
  look: (gpu: GpuDescription, source: string, all: readonly GpuDescription[]) => readonly Finding[],
): Criterion<K> {
  return {
    kind,
    repeats: false,
    judge(check: CheckOf<K>, { machine, source }: Context) {
      const devices = machine.gpus?.devices ?? [];
      if (devices.length === 0) return [notPossible(check, NO_GPU, source)];
      return devices.map((gpu) => {
        const findings = look(gpu, source, devices);
        return judged(check, {
          device: gpuNamed(gpu.ordinal),
          findings,
          possible: findings.some(({ verdict }) => verdict !== 'skipped'),
          cause: causeNamed(cause(gpu)),
        });
      });
    },
  };
}

/** Why NVML has no answer. */
export const why = ({ nvmlProblem }: GpuDescription): string => nvmlProblem ?? 'this GPU does not tell';

/**
 * GPUs that the kernel shows on PCI and the driver does not: off the bus, without a driver, or kept from this process. What may keep them
 * from it is told, and judges nothing.
 */
function pciFindings(machine: MachineDescription): readonly Finding[] {
  const missing = gpusNotShown(machine);
  if (missing === null) return [];
  const { addresses, hiddenBy } = missing;
  const looked: Looked = {
    quantity: 'gpus_without_driver',
    measured: addresses.length,
    source: 'all on PCI are shown by the driver',
    note: `the driver does not show ${addresses.join(', ')}${hiddenBy === null ? '' : `, which may be by ${hiddenBy}`}`,
  };
  return hiddenBy === null
    ? [atMost({ ...looked, measured: addresses.length, otherwise: 'inconclusive' }, 0)]
    : [told(looked)];
}

/** Where NVML answers for some GPUs it is there, and something is wrong with the others. */
function driverCause(shown: number, silent: number): CauseName {
  if (silent === shown) return 'no-driver';
  return silent > 0 ? 'driver-fault' : 'missing-device';
}

export const driver: Criterion<'driver'> = {
  kind: 'driver',
  repeats: false,
  judge(check, { machine, expected, source }) {
    const { gpus } = machine;
    const missing = expected.gpu === undefined ? pciFindings(machine) : [];
    if (gpus === undefined) {
      if (!missing.some(({ verdict }) => verdict === 'inconclusive'))
        return [notPossible(check, NO_GPU, source)];
      return [judged(check, { findings: missing, cause: causeNamed('no-driver') })];
    }
    // The driver is asked where GPUs are expected, be it there or not, and else where it is loaded.
    const wanted = (expected.gpu ?? 0) > 0 ? '--expect' : 'the driver is loaded';
    const count = atLeast(
      { quantity: 'gpus', measured: gpus.devices.length, source: wanted, note: gpus.problem },
      1,
    );
    const silent = gpus.devices
      .filter(({ nvmlProblem }) => nvmlProblem !== null)
      .map(
        (gpu): Finding => ({
          ...skipped('nvml', why(gpu), source),
          measured: gpuNamed(gpu.ordinal),
          verdict: 'inconclusive',
        }),
      );
    return [
      judged(check, {
        findings: [count, ...silent, ...missing],
        cause: causeNamed(driverCause(gpus.devices.length, silent.length)),
      }),
    ];
  },
};

/** A link that rests goes slower to save power, and may give up lanes for as long; what it reaches only load shows. */
function pcieFindings(gpu: GpuDescription, source: string): readonly Finding[] {
  const { pcieGeneration: generation, mostPcieGeneration: most, pcieWidth, mostPcieWidth } = gpu;
  const rests = below(generation, most);
  const note = rests
    ? `generation ${generation} of ${most}, as of a link that rests: copies show what it reaches (t1 and above)`
    : null;
  const lanes = atLeast(
    {
      quantity: 'pcie_lanes',
      measured: pcieWidth ?? null,
      source: 'what GPU and slot can',
      otherwise: rests ? 'warn' : 'fail',
      note,
    },
    mostPcieWidth ?? Number.NaN,
  );
  if (pcieWidth == null || mostPcieWidth == null)
    return [notSeen(lanes, gpu.nvmlProblem ?? 'this GPU does not tell its link')];
  return [
    lanes,
    ...(generation == null
      ? []
      : [told({ quantity: 'pcie_generation', measured: generation, source, note })]),
  ];
}

/** Names of boards whose GPUs NVLinks always connect, as far as a name says so. */
const ALWAYS_LINKED = /SXM|HGX|\bHBM3e?\b/;

/**
 * Links of cards that no bridge connects are all down. Where some link of such GPUs is up, all of them have to be; where none is, only
 * the board's name can say that some should.
 */
function nvlinkFindings(
  { name, nvlinks }: GpuDescription,
  gpus: readonly GpuDescription[],
): readonly Finding[] {
  const connected = gpus.some((one) => one.name === name && (one.nvlinks?.up ?? 0) > 0);
  if (nvlinks == null || nvlinks.all === 0) return [];
  if (!connected) {
    const note = `${nvlinks.up} of ${nvlinks.all} up: no bridge, or all down`;
    return [
      {
        ...told({ quantity: 'nvlinks_up', measured: nvlinks.up, source: 'all that this GPU has', note }),
        verdict: ALWAYS_LINKED.test(name) ? 'warn' : 'pass',
      },
    ];
  }
  return [
    atLeast({ quantity: 'nvlinks_up', measured: nvlinks.up, source: 'all that this GPU has' }, nvlinks.all),
  ];
}

export const link = ofGpus(
  'link',
  () => 'link',
  (gpu, source, gpus) => [...pcieFindings(gpu, source), ...nvlinkFindings(gpu, gpus)],
);

/** Of the limit in force: another limiter than the one that is set may be the lower one, and is named. */
export const powerLimit = ofGpus(
  'power-limit',
  () => 'power-limit',
  (gpu, source) => {
    const { defaultPowerLimitWatts: usual } = gpu;
    const limit = limitInForce(gpu);
    if (limit === null || usual == null) return [skipped('power_limit', why(gpu), source)];
    const set = limitOverruled(gpu);
    const note =
      set === null
        ? null
        : `${set} W are set: another limiter, out of band, holds it lower (nvidia-smi -q -d POWER)`;
    return [
      atLeast({ quantity: 'power_limit', measured: limit, unit: 'W', source: 'its default', note }, usual),
    ];
  },
);

export const mig = ofGpus(
  'mig',
  () => 'mig-on',
  (gpu, source) =>
    gpu.mig == null
      ? [skipped('mig', why(gpu), source)]
      : [equalTo({ quantity: 'mig', measured: gpu.mig ? 'on' : 'off', source, otherwise: 'warn' }, 'off')],
);

const gpusEcc = ofGpus(
  'ecc',
  (gpu) => standingCause(gpu) ?? 'ecc-off',
  (gpu, source) => {
    const standing = standingErrors(gpu, source);
    // Without a word of the correction itself, what else is in order is no pass of it.
    if (gpu.ecc == null)
      return [skipped('ecc', why(gpu), source), ...standing.filter(({ verdict }) => verdict === 'fail')];
    return [equalTo({ quantity: 'ecc', measured: gpu.ecc ? 'on' : 'off', source }, 'on'), ...standing];
  },
);

/** Of the host's memory, and of each GPU. */
export const ecc: Criterion<'ecc'> = {
  kind: 'ecc',
  repeats: false,
  judge(check, context) {
    const { memoryErrors } = context.surroundings;
    const host =
      memoryErrors === null
        ? judged(check, {
            device: 'cpu',
            possible: false,
            findings: [
              skipped(
                'memory_errors',
                'the memory controllers do not tell (EDAC; a virtual machine)',
                context.source,
              ),
            ],
            cause: null,
          })
        : judged(check, {
            device: 'cpu',
            findings: [
              atMost(
                {
                  quantity: 'uncorrected_memory_errors',
                  measured: memoryErrors.uncorrected,
                  source: 'none since boot',
                },
                0,
              ),
              atMost(
                {
                  quantity: 'corrected_memory_errors',
                  measured: memoryErrors.corrected,
                  source: 'none since boot',
                  otherwise: 'warn',
                },
                0,
              ),
            ],
            cause: causeNamed(memoryErrors.uncorrected > 0 ? 'memory-errors' : 'corrected-errors'),
          });
    return [host, ...gpusEcc.judge(check, context).filter(({ device }) => device !== null)];
  },
};
