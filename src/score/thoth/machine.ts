/** The machine as Thoth's documents tell it; what is not known is null or left out. Pure. */
import type { MachineDescription } from '../../machine/types.js';

const MIB = 2 ** 20;

/** As the kernel names them. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** The layout of its hwinfo, CPU only. */
export function hardwareOf({ cpu, os }: MachineDescription): unknown {
  const architecture = ARCHITECTURES[cpu.architecture] ?? cpu.architecture;
  return {
    cpu_features: { flags: [...cpu.features] },
    cpu_info: {
      arch_string_raw: architecture,
      brand_raw: cpu.modelName,
      vendor_id_raw: cpu.vendor,
      family: cpu.family,
      model: cpu.model,
      stepping: cpu.stepping,
      count: cpu.threads,
    },
    platform: { machine: architecture, release: os.kernelRelease, version: os.kernelVersion },
  };
}

/** By the ID of os-release, as `rhel`: the name of Red Hat's begins with `red`, and that of another one may not begin with its ID either. */
export const operatingSystem = ({ os }: MachineDescription): unknown => ({
  name: os.id ?? os.name?.toLowerCase().split(' ')[0] ?? null,
  version: os.version,
});

/**
 * What an inspection was allowed to use, in the form of Kubernetes: the quota and the limit of its control group, and without one
 * the machine's CPUs and memory.
 * @param threads of the case, which has no use for more CPUs; null: it does not say
 */
export function requestsOf(
  { cpu, limits, memory }: MachineDescription,
  threads: number | null,
): Readonly<Record<string, string>> {
  const allowed = limits.cpuQuota ?? cpu.threads;
  const known = [allowed, threads].filter((one) => one !== null);
  const cpus = known.length === 0 ? null : Math.min(...known);
  const bytes = limits.memoryLimit ?? memory.total;
  return {
    ...(cpus === null ? {} : { cpu: Number.isInteger(cpus) ? String(cpus) : `${Math.round(cpus * 1000)}m` }),
    ...(bytes === null ? {} : { memory: `${Math.floor(bytes / MIB)}Mi` }),
  };
}
