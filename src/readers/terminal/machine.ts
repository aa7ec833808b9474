/** A machine's description for a person. */
import { isMemoryLimitShown, isQuotaShown, usableCpus } from '../../machine/capacity.js';
import { capsOf, doubtfulLimit } from '../../machine/frequency.js';
import { type GpuDescription, limitInForce, limitOverruled } from '../../machine/gpus.js';
import type { MeasuredCaches } from '../../machine/implied-caches.js';
import { parseCpuList } from '../../machine/linux/cpu-list.js';
import { gpusNotShown, notShownText } from '../../machine/pci-gpus.js';
import { hasIdOfImage, machineIdentity } from '../../machine/same-machine.js';
import type { CacheDescription, ClockCap, CoreKind, MachineDescription } from '../../machine/types.js';
import { formatBytes, plural, withPrefix } from '../../quantities/format.js';
import { impliedText } from './implied-caches.js';
import type { Style } from './style.js';
import { type Row, renderRows } from './table.js';

const UNKNOWN = 'not known';
const orUnknown = (text: string | number | null): string => (text === null ? UNKNOWN : String(text));
const known = (parts: readonly (string | null | false)[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(', ') || UNKNOWN;

function cacheText({ level, type, size, sharedBy, instances }: CacheDescription): string {
  const kind = type === 'unified' ? '' : type === 'data' ? 'd' : 'i';
  const shared = sharedBy > 1 ? ` shared by ${sharedBy}` : '';
  return `L${level}${kind} ${formatBytes(size)}${instances > 1 ? ` x ${instances}` : ''}${shared}`;
}

/** Beside what the system reports: what reading over growing working sets showed. */
function measuredText(measured: MeasuredCaches | null): string {
  if (measured === null) return 'not known: run pi-bench memory';
  const { caches, threads, device, atOnce, record, createdAt } = measured;
  const implied =
    caches.length === 0 ? 'no cache: the rate of reading has no steps' : caches.map(impliedText).join('; ');
  const where = [...(device === 'cpu' ? [] : [`on ${device}`]), ...(atOnce ? ['beside other devices'] : [])];
  const who = [plural(threads, 'thread'), ...where].join(' ');
  return `${implied} (${who}, ${createdAt.slice(0, 10)}, ${record})`;
}

function cachesText({ caches, cachesFrom }: MachineDescription['cpu']): string {
  const text = known(caches.map(cacheText));
  return cachesFrom === 'C library'
    ? `${text} (of the C library: the kernel lists none; the last: ${UNKNOWN})`
    : text;
}

function kindText({ name, cores, cpus }: CoreKind): string {
  const threads = parseCpuList(cpus)?.length ?? 0;
  if (cores === null) return `${plural(threads, 'CPU')} on ${name} cores`;
  return `${plural(cores, `${name} core`)}${threads > cores ? ` with ${plural(threads, 'thread')}` : ''}`;
}

function quotaText(limits: MachineDescription['limits']): string {
  if (limits.cpuQuota !== null) return `quota of ${limits.cpuQuota} CPUs`;
  if (isQuotaShown(limits)) return 'no quota';
  const { cgroupTold, cgroup } = limits;
  const isAbove = cgroupTold && cgroup?.visible === true;
  return `quota ${UNKNOWN}${isAbove ? ': groups above are hidden' : ''}`;
}

function memoryLimitText(limits: MachineDescription['limits']): string | null {
  if (limits.memoryLimit !== null) return `limit ${formatBytes(limits.memoryLimit)}`;
  return isMemoryLimitShown(limits) ? null : `limit ${UNKNOWN}`;
}

const capText = ({ limit, cpus }: ClockCap): string =>
  `capped at ${withPrefix(limit, 'Hz', 3)}${cpus === undefined ? '' : ` (CPUs ${cpus})`}`;

function cpuRows({ cpu, limits }: MachineDescription, measured: MeasuredCaches | null): Row[] {
  const { frequency } = cpu;
  const doubtful = doubtfulLimit(frequency);
  const smt = cpu.smt === null ? null : cpu.smt ? 'SMT on' : 'no SMT';
  return [
    ['CPU', known([cpu.modelName, cpu.vendor, `microcode ${orUnknown(cpu.microcode)}`])],
    [
      'topology',
      known(
        [
          cpu.sockets && plural(cpu.sockets, 'socket'),
          cpu.cores && plural(cpu.cores, 'core'),
          cpu.threads && plural(cpu.threads, 'CPU'),
          smt,
          cpu.coreKinds?.map(kindText).join(', '),
        ].map((x) => (typeof x === 'string' ? x : null)),
      ),
    ],
    ['usable', `CPUs ${orUnknown(limits.allowedCpus)}, ${quotaText(limits)}`],
    [
      'clock',
      known(
        [
          frequency.base && `base ${withPrefix(frequency.base, 'Hz', 3)}`,
          ...capsOf(frequency).map(capText),
          doubtful && `allowed up to ${withPrefix(doubtful, 'Hz', 3)} (turbo off, base not known)`,
          frequency.max && `up to ${withPrefix(frequency.max, 'Hz', 3)}`,
          frequency.governors.length > 0
            ? `governor ${frequency.governors.join(', ')}`
            : 'no frequency control visible',
          frequency.turbo && `turbo ${frequency.turbo.enabled ? 'on' : 'off'}`,
        ].map((x) => (typeof x === 'string' ? x : null)),
      ),
    ],
    ['caches', cachesText(cpu)],
    ['measured', measuredText(measured)],
    ['features', cpu.features.join(' ') || UNKNOWN],
  ];
}

function limitText(gpu: GpuDescription): string | null {
  const inForce = limitInForce(gpu);
  if (inForce === null) return null;
  const usual = gpu.defaultPowerLimitWatts ?? null;
  const set = limitOverruled(gpu);
  const beside = [
    ...(usual !== null && usual !== inForce ? [`usual: ${Math.round(usual)} W`] : []),
    ...(set === null ? [] : [`set: ${Math.round(set)} W`]),
  ];
  return `${Math.round(inForce)} W${beside.length > 0 ? ` (${beside.join(', ')})` : ''}`;
}

function gpuText(gpu: GpuDescription): string {
  const { name, computeCapability, multiprocessors, memoryBytes, l2Bytes, driver, nvmlProblem } = gpu;
  return known([
    name,
    `compute capability ${computeCapability}`,
    plural(multiprocessors, 'multiprocessor'),
    `${formatBytes(memoryBytes)} of memory`,
    `L2 ${formatBytes(l2Bytes)}`,
    driver != null && `driver ${driver}`,
    gpu.vbios != null && `VBIOS ${gpu.vbios}`,
    limitText(gpu),
    gpu.ecc != null && `ECC ${gpu.ecc ? 'on' : 'off'}`,
    gpu.remappedRows?.pending === true && 'memory rows wait for a reset',
    gpu.remappedRows?.failed === true && 'a memory row could not be replaced',
    gpu.mig === true && 'MIG on',
    gpu.persistence === false && 'no persistence mode',
    `PCI ${gpu.pciBusId}`,
    gpu.uuid,
    nvmlProblem !== null && `NVML: ${nvmlProblem}`,
  ]);
}

/** Nothing where nobody asked. */
function gpuRows(machine: MachineDescription): Row[] {
  const { gpus } = machine;
  if (gpus === undefined) return [];
  const missing = gpusNotShown(machine);
  const notShown = missing?.addresses.map((address): Row => [`GPU ${address}`, notShownText(missing)]) ?? [];
  const shown: Row[] =
    gpus.devices.length === 0
      ? [['GPUs', `none: ${gpus.problem ?? 'the driver shows none'}`]]
      : gpus.devices.map((gpu) => [`cuda:${gpu.ordinal}`, gpuText(gpu)]);
  return [...shown, ...notShown];
}

function machineIdText(machine: MachineDescription): string {
  const id = machine.os.machineIdHash;
  const ofImage = hasIdOfImage(machine) && id !== null ? ` (the image’s is ${id})` : '';
  return `${orUnknown(machineIdentity(machine))}${ofImage}`;
}

function systemRows(machine: MachineDescription): Row[] {
  const { memory, os, limits, virtualisation, runtime } = machine;
  const { hypervisor, guest, product, container } = virtualisation;
  const bytes = (value: number | null): string => (value === null ? UNKNOWN : formatBytes(value));
  return [
    [
      'memory',
      known([
        `${bytes(memory.total)} of which ${bytes(memory.available)} available`,
        memoryLimitText(limits),
        memory.numaNodes.length > 0 ? plural(memory.numaNodes.length, 'NUMA node') : null,
        limits.memoryPolicy !== undefined && `policy ${limits.memoryPolicy}`,
        memory.transparentHugePages && `huge pages ${memory.transparentHugePages}`,
        memory.swap !== null && memory.swap.used > 0 && `swap in use ${formatBytes(memory.swap.used)}`,
      ]),
    ],
    [
      'system',
      known([
        os.name && `${os.name} ${os.version ?? ''}`.trim(),
        os.kernelRelease && `Linux ${os.kernelRelease}`,
        os.libc && `${os.libc.name} ${os.libc.version ?? ''}`.trim(),
        `Node ${runtime.node}`,
      ]),
    ],
    ['clocksource', orUnknown(os.clocksource?.current ?? null)],
    [
      'virtual',
      known([
        guest === null ? null : guest ? `guest of ${hypervisor ?? 'an unknown hypervisor'}` : 'bare metal',
        product,
        container && `container ${container}`,
      ]),
    ],
    ['load', os.loadAverage === null ? UNKNOWN : os.loadAverage.join(' ')],
    ['machine id', machineIdText(machine)],
  ];
}

export function renderMachine(
  machine: MachineDescription,
  measured: MeasuredCaches | null,
  style: Style,
): string {
  const launch = plural(usableCpus(machine), 'thread');
  return [
    style.bold(machine.os.hostname ?? 'this machine'),
    '',
    renderRows(
      [
        ...cpuRows(machine, measured),
        ...systemRows(machine),
        ...gpuRows(machine),
        ['default', `a launch takes ${launch}`],
      ],
      style,
    ),
  ].join('\n');
}
