/** What a machine is before anything is measured: counts, identity, quota, governor, NUMA, swap. Pure. */
import { gpuNamed } from '../../devices/device.js';
import type { GpuDescription } from '../../machine/gpus.js';
import { parseCpuList } from '../../machine/linux/cpu-list.js';
import { hasIdOfImage } from '../../machine/same-machine.js';
import type { MachineDescription } from '../../machine/types.js';
import { formatBytes } from '../../quantities/format.js';
import type { Finding } from '../../record/schema.js';
import type { Bytes } from '../../units.js';
import { causeNamed } from '../causes.js';
import { atLeast, atMost, equalTo, type Looked, notSeen, told } from '../findings.js';
import { serialOf } from '../rates.js';
import { type Criterion, judged, notPossible } from './criterion.js';

/** What --expect can count. */
export const COUNTED: Readonly<Record<string, (machine: MachineDescription) => number | null>> = {
  gpu: ({ gpus }) => gpus?.devices.length ?? 0,
  cpu: ({ limits, cpu }) => parseCpuList(limits.onlineCpus)?.length ?? cpu.threads,
  core: ({ cpu }) => cpu.cores,
  socket: ({ cpu }) => cpu.sockets,
  numa: ({ memory }) => memory.numaNodes.length || null,
};

/** What --expect can name by its size, in bytes. */
export const SIZED: Readonly<Record<string, (machine: MachineDescription) => Bytes | null>> = {
  memory: ({ memory }) => memory.total,
};

/** Of the memory that is installed, the kernel keeps 64 bytes for each page of 4 KiB, firmware and a kernel for dumps some more. */
const LEAST_OF_INSTALLED = 0.97;

function expectedFinding(name: string, wanted: number, machine: MachineDescription): Finding {
  const size = SIZED[name];
  const measured = (size ?? COUNTED[name])?.(machine) ?? null;
  const found =
    size === undefined
      ? equalTo({ quantity: `count_of_${name}`, measured, source: '--expect' }, wanted)
      : atLeast(
          {
            quantity: name,
            measured,
            unit: 'B',
            source: `--expect ${formatBytes(wanted)}, less what the kernel keeps`,
          },
          LEAST_OF_INSTALLED * wanted,
        );
  return measured === null
    ? { ...found, verdict: 'inconclusive', note: 'this machine does not tell' }
    : found;
}

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
    const findings = names.map((name) => expectedFinding(name, expected[name] ?? 0, machine));
    return [judged(check, { findings, cause: causeNamed('missing-device') })];
  },
};

/** GPUs of one node are to be alike in these. */
const ALIKE = ['name', 'vbios', 'driver', 'pciSubsystem'] as const;

/** What differs from the first GPU that tells it, and which GPU does not tell what others do: of that nobody knows whether it differs. */
const unlikeFindings = (gpus: readonly GpuDescription[]): readonly Finding[] =>
  ALIKE.flatMap((name) => {
    const first = gpus.find((gpu) => gpu[name] != null);
    const usual = first?.[name];
    if (first === undefined || usual == null) return [];
    return gpus
      .filter((gpu) => gpu[name] !== usual)
      .map((gpu) => {
        const own = gpuNamed(gpu.ordinal);
        const measured = gpu[name] ?? null;
        const looked = { quantity: name, measured, source: gpuNamed(first.ordinal), note: own };
        const finding = equalTo(looked, usual);
        return measured === null ? notSeen(finding, `${own} does not tell`) : finding;
      });
  });

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
    const unlike = unlikeFindings(devices);
    const mixed = unlike.some(({ verdict }) => verdict === 'fail');
    return [
      judged(check, {
        findings: [...findings, ...unlike],
        cause: causeNamed(mixed ? 'mixed-devices' : 'no-identity'),
      }),
    ];
  },
};

/** Why a quota that was not found may be there all the same; null: it was looked for where it would be. */
function whyHidden({ cgroup, cgroupTold }: MachineDescription['limits']): string | null {
  if (!cgroupTold)
    return 'the kernel does not tell the control group of this process: a quota cannot be seen';
  if (cgroup?.visible === false)
    return `the files of control group ${cgroup.path} are not mounted here: a quota cannot be seen`;
  return cgroup?.whole === false
    ? 'the control groups above this container’s are hidden: a quota of theirs cannot be seen'
    : null;
}

export const quota: Criterion<'quota'> = {
  kind: 'quota',
  repeats: false,
  judge(check, { machine: { limits, cpu }, source }) {
    const { cpuQuota, allowedCpus, onlineCpus } = limits;
    const hidden = cpuQuota === null ? whyHidden(limits) : null;
    const allowed = parseCpuList(allowedCpus)?.length ?? null;
    const online = parseCpuList(onlineCpus)?.length ?? cpu.threads;
    const quantity = 'cpu_quota';
    const limit = atLeast(
      { quantity, measured: cpuQuota, unit: 'CPUs', source: 'CPUs that may be used' },
      allowed ?? online ?? Number.NaN,
    );
    // A job's own share of a node is no fault; but what it does not reach it says nothing of.
    const share: readonly Finding[] =
      allowed === null || online === null
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
          ];
    const isPart = share.some(({ verdict }) => verdict !== 'pass');
    if (hidden !== null && !isPart) return [notPossible(check, hidden, source)];
    const quotaFinding =
      hidden !== null
        ? notSeen(limit, hidden)
        : cpuQuota === null
          ? told({ quantity, measured: 'none', source })
          : limit;
    const isLimited = quotaFinding.verdict === 'fail' || quotaFinding.verdict === 'inconclusive';
    return [
      judged(check, {
        findings: [quotaFinding, ...share],
        cause: causeNamed(isLimited ? 'cpu-quota' : 'cpu-set'),
      }),
    ];
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

/** Whose limit the nodes are from which this process may take memory. A policy that it was given is no fault of the node, and hides the others. */
function whoAllows(
  { memoryPolicy }: MachineDescription['limits'],
  filled: number,
): Pick<Looked, 'source' | 'otherwise'> {
  const [mode, nodes = null] = memoryPolicy?.split(':') ?? [];
  const bound = mode === 'bind' ? parseCpuList(nodes) : null;
  return bound !== null && bound.length < filled
    ? {
        source: `the policy ${memoryPolicy}, which this process was given (numactl, a job’s binding)`,
        otherwise: 'inconclusive',
      }
    : { source: 'the kernel' };
}

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
    // Where there is no memory none can be allowed: a GPU whose memory is the kernel's has empty nodes for parts that it may be divided into.
    const filled = numaNodes.filter(({ total }) => total !== 0);
    const findings = [
      atLeast(
        { quantity: 'numa_nodes_allowed', measured: allowed, ...whoAllows(limits, filled.length) },
        filled.length,
      ),
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
