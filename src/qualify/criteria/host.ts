/** What a machine is before anything is measured: counts, identity, quota, governor, NUMA, swap. Pure. */
import { gpuNamed } from '../../devices/device.js';
import { parseCpuList } from '../../machine/linux/cpu-list.js';
import { hasIdOfImage } from '../../machine/same-machine.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Finding } from '../../record/schema.js';
import { causeNamed } from '../causes.js';
import { atLeast, atMost, equalTo, told } from '../findings.js';
import { serialOf } from '../rates.js';
import { type Criterion, judged, notPossible } from './criterion.js';

/** What --expect can name. */
export const COUNTED: Readonly<Record<string, (machine: MachineDescription) => number | null>> = {
  gpu: ({ gpus }) => gpus?.devices.length ?? 0,
  cpu: ({ limits, cpu }) => parseCpuList(limits.onlineCpus)?.length ?? cpu.threads,
  core: ({ cpu }) => cpu.cores,
  socket: ({ cpu }) => cpu.sockets,
  numa: ({ memory }) => memory.numaNodes.length || null,
};

export const counts: Criterion<'counts'> = {
  kind: 'counts',
  repeats: false,
  judge(check, { expected, machine, source }) {
    const names = Object.keys(expected);
    if (names.length === 0)
      return [
        notPossible(
          check,
          'nothing was expected: --expect gpu=8,cpu=64 makes a missing device a failure',
          source,
        ),
      ];
    const findings = names.map((name): Finding => {
      const measured = COUNTED[name]?.(machine) ?? null;
      const found = equalTo(
        { quantity: `count_of_${name}`, measured, source: '--expect' },
        expected[name] ?? 0,
      );
      return measured === null
        ? { ...found, verdict: 'inconclusive', note: 'this machine does not tell' }
        : found;
    });
    return [judged(check, { findings, cause: causeNamed('missing-device') })];
  },
};

/** GPUs of one node are to be alike in these. */
const ALIKE = ['name', 'vbios', 'driver', 'pciSubsystem'] as const;

function machineIdFinding(machine: MachineDescription, source: string): Finding {
  const { machineIdHash } = machine.os;
  const { serial } = serialOf(machine, 'cpu');
  const finding = told({ quantity: 'machine_id', measured: machineIdHash ?? 'none', source });
  if (hasIdOfImage(machine)) {
    const history =
      serial === null
        ? 'its CPUs have no history'
        : 'the history of its CPUs goes by the boot of the host, and begins anew with each';
    return { ...finding, note: `in a container the id is that of its image: ${history}` };
  }
  return machineIdHash === null
    ? {
        ...finding,
        verdict: 'warn',
        note: 'it has no /etc/machine-id, so its history goes by its host name',
      }
    : finding;
}

export const identity: Criterion<'identity'> = {
  kind: 'identity',
  repeats: false,
  judge(check, { machine, source }) {
    const { cpu, gpus } = machine;
    const devices = gpus?.devices ?? [];
    const findings: Finding[] = [
      told({ quantity: 'cpu_model', measured: cpu.modelName ?? 'not told', source }),
      machineIdFinding(machine, source),
      ...devices.map(({ ordinal, uuid }): Finding => {
        const finding = told({ quantity: 'uuid', measured: uuid || 'none', source, note: gpuNamed(ordinal) });
        const alone = uuid && devices.filter((other) => other.uuid === uuid).length === 1;
        return alone ? finding : { ...finding, verdict: 'inconclusive' };
      }),
    ];
    const [first] = devices;
    const unlike = ALIKE.flatMap((name) =>
      devices
        .filter((gpu) => first !== undefined && (gpu[name] ?? null) !== (first[name] ?? null))
        .map((gpu) =>
          equalTo(
            {
              quantity: name,
              measured: gpu[name] ?? 'not told',
              source: gpuNamed(first?.ordinal ?? 0),
              note: gpuNamed(gpu.ordinal),
            },
            first?.[name] ?? 'not told',
          ),
        ),
    );
    return [
      judged(check, {
        findings: [...findings, ...unlike],
        cause: causeNamed(unlike.length > 0 ? 'mixed-devices' : 'no-identity'),
      }),
    ];
  },
};

/** Why a quota that was not found may be there all the same; null: it was looked for where it would be. */
function whyHidden({ cgroup, cgroupTold }: MachineDescription['limits']): string | null {
  if (!cgroupTold)
    return 'the kernel does not tell the control group of this process: a quota cannot be seen';
  return cgroup?.visible === false
    ? `the files of control group ${cgroup.path} are not mounted here: a quota cannot be seen`
    : null;
}

export const quota: Criterion<'quota'> = {
  kind: 'quota',
  repeats: false,
  judge(check, { machine: { limits, cpu }, source }) {
    const { cpuQuota, allowedCpus, onlineCpus } = limits;
    const hidden = whyHidden(limits);
    if (cpuQuota === null && hidden !== null) return [notPossible(check, hidden, source)];
    const allowed = parseCpuList(allowedCpus)?.length ?? null;
    const online = parseCpuList(onlineCpus)?.length ?? cpu.threads;
    const quantity = 'cpu_quota';
    const findings: readonly Finding[] = [
      cpuQuota === null
        ? told({ quantity, measured: 'none', source })
        : atLeast(
            { quantity, measured: cpuQuota, unit: 'CPUs', source: 'CPUs that may be used' },
            allowed ?? online ?? Number.NaN,
          ),
      // A job's own share of a node is no fault; but what it does not reach it says nothing of.
      ...(allowed === null || online === null
        ? []
        : [
            atLeast(
              {
                quantity: 'allowed_cpus',
                measured: allowed,
                unit: 'CPUs',
                source: 'CPUs that are online',
                otherwise: 'warn',
              },
              online,
            ),
          ]),
    ];
    const limited = findings[0]?.verdict !== 'pass';
    return [judged(check, { findings, cause: causeNamed(limited ? 'cpu-quota' : 'cpu-set') })];
  },
};

export const governor: Criterion<'governor'> = {
  kind: 'governor',
  repeats: false,
  judge(check, { machine: { cpu }, source }) {
    const { governors } = cpu.frequency;
    if (governors.length === 0)
      return [notPossible(check, 'the kernel has no frequency control here (a virtual machine)', source)];
    const findings = governors.map((name) =>
      equalTo({ quantity: 'governor', measured: name, source, otherwise: 'warn' }, 'performance'),
    );
    return [judged(check, { findings, cause: causeNamed('governor') })];
  },
};

/** Of the node with most: modules of another size, or one that is missing, make a larger difference. */
const LEAST_OF_MEMORY = 0.8;

export const numa: Criterion<'numa'> = {
  kind: 'numa',
  repeats: false,
  judge(check, { machine: { memory, limits }, source }) {
    const { numaNodes } = memory;
    if (numaNodes.length === 0) return [notPossible(check, 'the kernel tells of no NUMA nodes', source)];
    const allowed = parseCpuList(limits.allowedNodes)?.length ?? null;
    // A node without CPUs is memory of another kind (CXL, HBM), of which there may be more or less.
    const alike = numaNodes.filter(({ cpus }) => cpus !== '');
    const most = Math.max(...alike.map(({ total }) => total ?? 0));
    const findings = [
      atLeast({ quantity: 'numa_nodes_allowed', measured: allowed, source: 'the kernel' }, numaNodes.length),
      ...(alike.length < 2
        ? []
        : alike.map(({ node, total }) =>
            atLeast(
              {
                quantity: 'memory_of_node',
                measured: total === null || most === 0 ? null : total / most,
                unit: '1',
                source: 'the NUMA node with CPUs that has most',
                note: `node ${node}`,
              },
              LEAST_OF_MEMORY,
            ),
          )),
    ];
    return [judged(check, { findings, cause: causeNamed('numa') })];
  },
};

export const swap: Criterion<'swap'> = {
  kind: 'swap',
  repeats: false,
  judge(check, { machine: { memory }, source }) {
    const used = memory.swap?.used ?? null;
    if (used === null) return [notPossible(check, 'the kernel does not tell what is swapped out', source)];
    const findings = [
      atMost({ quantity: 'swap_used', measured: used, unit: 'B', source, otherwise: 'warn' }, 0),
    ];
    return [judged(check, { findings, cause: causeNamed('swapped') })];
  },
};
