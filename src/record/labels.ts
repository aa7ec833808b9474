/** The labels of a comparison: everything about machine, stack and software that a number depends on. Pure. */
import type { MachineDescription } from '../machine/types.js';
import type { PiBenchIdentity } from '../package.js';
import type { Labels, RecordBatch } from './schema.js';

const joined = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(','));

/** The same keys for every record. */
export function machineLabels(
  machine: MachineDescription,
  piBench: PiBenchIdentity,
  campaign: string,
): Labels {
  const { cpu, memory, os, limits, virtualisation, runtime } = machine;
  return {
    machine: os.machineIdHash,
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
    node: runtime.node,
    pibench_version: piBench.version,
    pibench_commit: piBench.commit,
    campaign,
  };
}

/** Labels of a KPI: the record's, and what its batch adds. */
export function batchLabels(record: Labels, batch: Pick<RecordBatch, 'case' | 'stack' | 'device'>): Labels {
  return {
    ...record,
    indicator: batch.case.indicator,
    ...batch.case.parameters,
    device: batch.device,
    stack: batch.stack.provider,
    stack_variant: batch.stack.variant,
    stack_implementation: batch.stack.implementation,
    stack_version: batch.stack.version,
    stack_sha256: batch.stack.sha256,
  };
}
