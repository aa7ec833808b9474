/** Why a check does not hold, by a stable name, with what to do about it: the words that an operator acts on. Pure. */
import type { RecordBatch, Severity } from '../record/schema.js';
import type { FlagName } from '../statistics/validity/types.js';

export interface Cause {
  readonly name: string;
  readonly severity: Severity;
  readonly action: string;
}

const CAUSES = {
  'wrong-result': [
    'isolate',
    'take the node out of service, and run: pi-bench doctor --self-test; a CPU, GPU or memory that computes wrongly is to be replaced',
  ],
  'lost-launch': ['triage', 'read why the launch was lost, look into dmesg for it, and qualify again'],
  'no-time': [
    'monitor',
    'let it come to its end: give it more time (--budget, --deadline), take a smaller suite, or, where it was interrupted, go on with pi-bench resume (t0 and t1 begin anew)',
  ],
  'cpu-quota': [
    'config',
    'lift the CPU quota of this control group (--cpuset-cpus in place of --cpus; systemctl set-property UNIT CPUQuota=), or qualify the node outside of it',
  ],
  'cpu-set': [
    'config',
    'qualify the node with all of its CPUs (outside of a job, taskset or cpuset): of the others this says nothing',
  ],
  stopped: [
    'triage',
    'something stops the processes of this node between their repetitions: look for a CPU quota outside of this container, a paused virtual machine, job control',
  ],
  'far-memory': [
    'config',
    'leave the copies’ memory where their GPU is: free memory on that NUMA node, or do not bind this process to another one (numactl, the job’s binding); then qualify again',
  ],
  thermal: ['triage', 'see to the cooling: fans, dust, air flow, thermal paste; then qualify again'],
  'power-brake': [
    'triage',
    'look at the power supplies, their cabling and the power management of the server',
  ],
  'power-limit': [
    'config',
    'set the power limit to its default again (nvidia-smi -pl); where it is, look at what limits it out of band: the server’s power management (BMC), the power supplies',
  ],
  'clock-held': [
    'config',
    'look at the clocks that are set (nvidia-smi -q -d CLOCK), take locks off (nvidia-smi -rgc; nvidia-smi -rac), and qualify again',
  ],
  stolen: [
    'triage',
    'the host gave CPU time to other guests: move this node to a dedicated host, or ask who runs it',
  ],
  busy: [
    'monitor',
    'drain the node, wait until nothing else runs on it (top -o %CPU; nvidia-smi), and qualify again',
  ],
  slow: ['triage', 'compare clock, microcode, BIOS settings and memory channels with a node that is fast'],
  shared: [
    'triage',
    'look at what the devices share: power and cooling of the node, PCIe switches, memory channels; and at which of them loses most',
  ],
  unsteady: [
    'triage',
    'look for what comes and goes: background services, clock, heat; pi-bench report shows when',
  ],
  'memory-errors': ['isolate', 'memory errors that could not be corrected: replace the module or the GPU'],
  'corrected-errors': [
    'monitor',
    'corrected errors become uncorrected ones: watch the counter, plan a replacement',
  ],
  'remap-pending': [
    'reset',
    'drain the node and reset the GPU (nvidia-smi --gpu-reset), or boot: its spare rows are put in place only then; then qualify again',
  ],
  'remap-failed': [
    'isolate',
    'a broken row of its memory has no spare one: take the GPU out of service and have it replaced',
  ],
  'retirement-pending': [
    'reset',
    'drain the node and reset the GPU, or load its driver anew: pages of its memory that errors broke are taken out of use only then; then qualify again',
  ],
  'errors-stand': [
    'reset',
    'drain the node and reset the GPU (nvidia-smi --gpu-reset), or boot, which sets the count of errors that could not be corrected back; then qualify again, and have the GPU replaced if more come',
  ],
  'recovery-needed': [
    'reset',
    'do what the driver asks for after an error (nvidia-smi -q, GPU Recovery Action): drain the node, reset the GPU or boot; then qualify again',
  ],
  'sram-exceeded': [
    'isolate',
    'its SRAM had more errors than NVIDIA lets stand: take the GPU out of service, run NVIDIA’s field diagnostic, and have it replaced',
  ],
  'rows-replaced': [
    'triage',
    'rows of its memory broke under this load and spare ones took their place: qualify again, and have the GPU replaced if more follow',
  ],
  link: [
    'triage',
    'seat the card and its cables anew, and look at the slot: its link is not what it should be',
  ],
  'driver-fault': [
    'reset',
    'reset the GPU or boot the node, and qualify again; if the XID comes back, or the GPU falls silent again, replace it',
  ],
  'application-fault': [
    'triage',
    'see that no other program is on the GPU, and qualify again; if the XID comes back without one, reset the GPU, and have it looked at',
  ],
  'missing-device': [
    'triage',
    'look for the device with lspci (CPUs: lscpu -e; memory modules: dmidecode -t memory) and in dmesg; if it is not there, seat or replace it',
  ],
  'other-setting': [
    'config',
    'set what is named (SMT, NUMA nodes per socket) as on the baseline’s nodes, or make a baseline of nodes like this one (pi-bench fleet baseline)',
  ],
  'no-entry': [
    'config',
    'make a baseline from runs of this very suite (pi-bench fleet baseline), or name in the suite the parts that it has',
  ],
  'not-seen': [
    'config',
    'let pi-bench see what the suite insists on (the control group’s files, NVML, the CPU’s counters), or do not require that check of this node',
  ],
  'not-told': [
    'triage',
    'qualify again with nothing else at work (a peak that was passed was measured too low); where it stays open, give the part more launches or repetitions in the suite, or a reference that fits',
  ],
  'mixed-devices': ['config', 'bring devices of one kind to the same model, firmware and driver'],
  'no-driver': [
    'config',
    'no driver shows a GPU, or its NVML answers for none: look at nvidia-smi and dmesg whether it is installed and loaded, and whether this container was given its GPUs; reload it or boot',
  ],
  'no-identity': [
    'config',
    'give the machine an id (systemd-machine-id-setup), so that its history can be kept',
  ],
  'ecc-off': ['config', 'switch error correction on: nvidia-smi -e 1, then reset the GPU'],
  'mig-on': ['config', 'switch MIG off to qualify the whole GPU: nvidia-smi -mig 0'],
  governor: ['config', 'echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor'],
  numa: [
    'triage',
    'look at the memory modules of the NUMA node that has less, and at the cpuset and the memory policy (numactl, the job’s binding) of this process',
  ],
  swapped: ['monitor', 'memory was short: free it, then sudo swapoff -a && sudo swapon -a'],
} as const satisfies Readonly<Record<string, readonly [Severity, string]>>;

export type CauseName = keyof typeof CAUSES;

export function causeNamed(name: CauseName): Cause {
  const [severity, action] = CAUSES[name];
  return { name, severity, action };
}

/** Of a line or a record, which may be of another tool or a newer pi-bench; null: it is none of ours. */
export const causeCalled = (name: string | null): Cause | null =>
  name !== null && Object.hasOwn(CAUSES, name) ? causeNamed(name as CauseName) : null;

type Flags = Pick<RecordBatch, 'flags'>['flags'];

type Flag = Pick<Flags[number], 'name' | 'evidence'>;

/** Of one flag that has two reasons, a quota and heat: what its evidence counts. */
const throttledBy =
  (counted: 'throttledPeriods' | 'thermalThrottles') =>
  ({ name, evidence }: Flag): boolean =>
    name === 'throttled' && Number(evidence[counted] ?? 0) > 0;

export const throttledByQuota = throttledBy('throttledPeriods');
export const throttledByHeat = throttledBy('thermalThrottles');

/** Of one that holds a GPU by its limit where all is well, only where that limit is below its default. */
const byLoweredLimit = ({ evidence }: Flag): CauseName | null =>
  Number(evidence.limitWatts ?? Number.NaN) < Number(evidence.defaultLimitWatts ?? Number.NaN)
    ? 'power-limit'
    : null;

const byQuotaOrHeat = (flag: Flag): CauseName | null => {
  if (throttledByQuota(flag)) return 'cpu-quota';
  return throttledByHeat(flag) ? 'thermal' : null;
};

/** What each flag explains of a bad figure; null: it says nothing of a rate, what it says others say better, or a check judges it by itself. */
const EXPLAINING: Readonly<Record<FlagName, CauseName | ((flag: Flag) => CauseName | null) | null>> = {
  throttled: byQuotaOrHeat,
  'far-memory': 'far-memory',
  thermal: 'thermal',
  'power-brake': 'power-brake',
  'power-capped': byLoweredLimit,
  'power-limit-moved': 'power-limit',
  'clock-held': 'clock-held',
  contended: 'busy',
  'foreign-load': 'busy',
  preempted: 'busy',
  stolen: 'stolen',
  // The check `counters`.
  'device-errors': null,
  'link-degraded': null,
  crowded: null,
  migrated: null,
  'mixed-cores': null,
  skewed: null,
  drifting: null,
  stepped: null,
  'not-steady': null,
  multimodal: null,
  outlying: null,
  quantised: null,
  'clock-limited': null,
  'clock-not-settled': null,
  'launches-not-independent': null,
  'peak-moved': null,
  'above-ceiling': null,
};

/** The surest first. Where others work in this very system, the host's part cannot be told, so that comes last. */
const SUREST: readonly CauseName[] = [
  'cpu-quota',
  'far-memory',
  'thermal',
  'power-brake',
  'power-limit',
  'clock-held',
  'busy',
  'stolen',
];

function causeOf(flag: Flag): CauseName | null {
  const explaining = Object.hasOwn(EXPLAINING, flag.name) ? EXPLAINING[flag.name as FlagName] : null;
  return typeof explaining === 'function' ? explaining(flag) : explaining;
}

/** What the flags of a batch say about a bad figure of it; null: nothing. */
export function explainedBy(flags: Flags): { readonly cause: Cause; readonly reason: string } | null {
  for (const name of SUREST) {
    const flag = flags.find((one) => causeOf(one) === name);
    if (flag !== undefined) return { cause: causeNamed(name), reason: flag.reason };
  }
  return null;
}
