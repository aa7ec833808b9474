/** The labels of a comparison: everything about machine, stack and software that a number depends on. Pure. */
import { machineIdentity } from '../machine/same-machine.js';
import type { MachineDescription } from '../machine/types.js';
import type { PiBenchIdentity } from '../package.js';
import type { Campaign, Labels, RecordBatch } from './schema.js';

const joined = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(','));

/** The same keys for every record. */
export function machineLabels(
  machine: MachineDescription,
  piBench: PiBenchIdentity,
  campaign: string,
): Labels {
  const { cpu, memory, os, limits, virtualisation, runtime } = machine;
  return {
    machine: machineIdentity(machine),
    hostname: os.hostname,
    architecture: cpu.architecture,
    cpu_vendor: cpu.vendor,
    cpu_model: cpu.modelName,
    cpu_family_model_stepping: [cpu.family, cpu.model, cpu.stepping].map((part) => part ?? '?').join('-'),
    microcode: cpu.microcode,
    sockets: cpu.sockets,
    cores: cpu.cores,
    cpus: cpu.threads,
    smt: cpu.smt,
    numa_nodes: memory.numaNodes.length || null,
    governor: joined(cpu.frequency.governors),
    turbo: cpu.frequency.turbo?.enabled ?? null,
    memory_bytes: memory.total,
    os: [os.name, os.version].filter((part) => part !== null).join(' ') || null,
    kernel: os.kernelRelease,
    libc: os.libc === null ? null : `${os.libc.name} ${os.libc.version ?? ''}`.trim(),
    clocksource: os.clocksource?.current ?? null,
    transparent_huge_pages: memory.transparentHugePages,
    cgroup_cpu_quota: limits.cpuQuota,
    cgroup_memory_limit_bytes: limits.memoryLimit,
    allowed_cpus: limits.allowedCpus,
    hypervisor: virtualisation.hypervisor,
    container: virtualisation.container,
    gpus: joined((machine.gpus?.devices ?? []).map(({ name }) => name)),
    gpu_driver: machine.gpus?.devices[0]?.driver ?? null,
    node: runtime.node,
    pibench_version: piBench.version,
    pibench_commit: piBench.commit,
    campaign,
  };
}

/** Labels of a KPI: the record's, and what its batch adds. */
export function batchLabels(
  record: Labels,
  batch: Pick<RecordBatch, 'case' | 'stack' | 'device' | 'asked'>,
): Labels {
  const { sampling } = batch.asked;
  return {
    ...record,
    indicator: batch.case.indicator,
    ...batch.case.parameters,
    repetitions: sampling?.kind === 'fixed' ? sampling.repetitions : null,
    device: batch.device,
    stack: batch.stack.provider,
    stack_own: batch.stack.own?.name ?? null,
    stack_lock: batch.stack.own?.lock ?? null,
    stack_variant: batch.stack.variant,
    stack_implementation: batch.stack.implementation,
    stack_version: batch.stack.version,
    stack_sha256: batch.stack.sha256,
    // What is slower because others run does not go by the name of what ran alone.
    ...(batch.asked.atOnce === true ? { at_once: true } : {}),
    ...batch.asked.labels,
  };
}

/**
 * What who measures wants to see at every number; of what only some batches have, the name without a value, so that all
 * KPIs have the same keys.
 */
export function givenLabels({ labels, batches }: Campaign): Labels {
  const names = batches.flatMap((batch) => Object.keys(batch.labels ?? {}));
  return { ...Object.fromEntries(names.map((name) => [name, null])), ...labels };
}

/** Beside each number of a campaign with an error injected on purpose, so that none is taken for a measurement of the machine. */
export const faultLabels = ({ fault }: Pick<Campaign, 'fault'>): Labels =>
  fault === null ? {} : { fault_injected: fault.kind };

/** Names that labels of others must leave alone. */
export const LABEL_NAMES: readonly string[] = [
  'machine',
  'hostname',
  'architecture',
  'cpu_vendor',
  'cpu_model',
  'cpu_family_model_stepping',
  'microcode',
  'sockets',
  'cores',
  'cpus',
  'smt',
  'numa_nodes',
  'governor',
  'turbo',
  'memory_bytes',
  'os',
  'kernel',
  'libc',
  'clocksource',
  'transparent_huge_pages',
  'cgroup_cpu_quota',
  'cgroup_memory_limit_bytes',
  'allowed_cpus',
  'hypervisor',
  'container',
  'gpus',
  'gpu_driver',
  'node',
  'pibench_version',
  'pibench_commit',
  'campaign',
  'fault_injected',
  'indicator',
  'at_once',
  'repetitions',
  'device',
  'stack',
  'stack_own',
  'stack_lock',
  'stack_variant',
  'stack_implementation',
  'stack_version',
  'stack_sha256',
];
