/** What would make measurements on this machine better. Every piece of advice follows from something that was read. */
import { plural, withPrefix } from '../quantities/format.js';
import { type Advice, type Check, fromContainer, fromGuest } from './advice-check.js';
import {
  cgroupsAbove,
  fewCpus,
  hiddenCgroup,
  mixedCores,
  quota,
  smt,
  untoldCgroup,
} from './advice-limits.js';
import type { AllowedCores } from './allowed-cores.js';
import { capsOf } from './frequency.js';
import { parseCpuList } from './linux/cpu-list.js';
import { distinct } from './linux/reader.js';
import type { ClockCap, MachineDescription } from './types.js';

const GIBIBYTE = 1024 ** 3;
/** Half a task on average. */
const BUSY_LOAD = 0.5;
/** From here on, giving CPUs away to isolation costs little. */
const ENOUGH_CPUS_TO_ISOLATE = 8;
/** Read without a system call, and as fine as the TSC. */
const GOOD_CLOCKS = /^(tsc|arch_sys_counter|timebase|riscv_clocksource|tod)$/;
/** Read without a system call too, but through the hypervisor's page. */
const GUEST_CLOCKS = /^(kvm-clock|hyperv_clocksource_tsc_page)$/;

/** The average forgets slowly: minutes after a measurement of our own it is still high. What runs now is others', but for this process. */
const load: Check = ({ os, cpu }) => {
  const one = os.loadAverage?.[0];
  if (one === undefined || one < BUSY_LOAD) return null;
  const now = os.runnable === undefined ? one : Math.min(one, os.runnable - 1);
  const seen = `a load average of ${one.toFixed(2)} over the last minute${cpu.threads === null ? '' : ` on ${cpu.threads} CPUs`}`;
  if (now < BUSY_LOAD)
    return {
      topic: 'load',
      level: 'note',
      seen: `${seen}, and nothing else runs at this moment`,
      why: 'it may be of work that has ended, a measurement of pi-bench among it, or of tasks that run now and then or wait for disks',
      action: 'look again in a minute or two, with doctor or top',
    };
  return {
    topic: 'load',
    level: now >= (cpu.threads ?? 1) / 2 ? 'important' : 'worthwhile',
    seen,
    why: 'other work takes CPU time, cache and memory bandwidth from the measurement',
    action: 'find it with: top -o %CPU; stop it, or wait until it ends',
  };
};

const swap: Check = ({ memory }) =>
  memory.swap === null || memory.swap.used === 0
    ? null
    : {
        topic: 'swap',
        level: 'worthwhile',
        seen: `${(memory.swap.used / GIBIBYTE).toFixed(2)} GiB of swap in use`,
        why: 'memory was short: a page that has to be read back stalls a repetition for milliseconds',
        action: 'free memory, then: sudo swapoff -a && sudo swapon -a',
      };

const governor: Check = ({ cpu, virtualisation }) => {
  const others = cpu.frequency.governors.filter((name) => name !== 'performance');
  if (others.length === 0) return null;
  return {
    topic: 'governor',
    level: 'worthwhile',
    seen: `frequency governor ${others.join(', ')}${cpu.frequency.driver === null ? '' : ` (${cpu.frequency.driver})`}`,
    why: 'the clock follows the load: the first repetitions run slower, and short launches never reach the full clock',
    action: `${fromGuest(virtualisation)}echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor`,
  };
};

/** CPUs of different kinds offer different clocks, so each is allowed its own. */
const LIFT_POLICIES =
  'for d in /sys/devices/system/cpu/cpu*/cpufreq; do sudo tee $d/scaling_max_freq < $d/cpuinfo_max_freq; done';

function capSeen({ limit, max, cpus }: ClockCap): string {
  const some = parseCpuList(cpus ?? null);
  const whose = some === null ? '' : ` of ${plural(some.length, 'CPU')} (${cpus})`;
  return `the clock${whose} is capped at ${withPrefix(limit, 'Hz', 3)} of ${withPrefix(max, 'Hz', 3)}`;
}

const clockLimit: Check = ({ cpu, virtualisation }) => {
  const caps = capsOf(cpu.frequency);
  if (caps.length === 0) return null;
  const lifts = caps.map(({ control }) =>
    control === undefined ? LIFT_POLICIES : `echo 100 | sudo tee ${control}`,
  );
  return {
    topic: 'clock-limit',
    level: 'important',
    seen: caps.map(capSeen).join(', '),
    why: 'rates are those of the cap, and not what the CPU can do',
    action: `${fromGuest(virtualisation)}${distinct(lifts).join('; ')}`,
  };
};

const turbo: Check = ({ cpu, virtualisation }) => {
  const state = cpu.frequency.turbo;
  if (state === null || !state.enabled) return null;
  return {
    topic: 'turbo',
    level: 'note',
    seen: 'turbo (boost) is on',
    why: 'the clock depends on temperature, on power and on what the other cores do: right for the best rate, unsteady for comparisons',
    action: `for comparisons, ${fromGuest(virtualisation)}echo ${state.off} | sudo tee ${state.control}`,
  };
};

const virtualMachine: Check = ({ virtualisation }) =>
  virtualisation.guest !== true
    ? null
    : {
        topic: 'virtual-machine',
        level: 'worthwhile',
        seen: `a virtual machine${virtualisation.hypervisor === null ? '' : ` (${virtualisation.hypervisor})`}${virtualisation.product === null ? '' : `: ${virtualisation.product}`}`,
        why: 'the host may give a CPU to other guests without telling, the CPU may show another model than it is, and clock, temperature and energy are mostly hidden',
        action:
          'use dedicated hosts or bare metal for qualification; otherwise spread more launches over time and look at run delay and steal',
      };

const clocksource: Check = ({ os, virtualisation }) => {
  if (os.clocksource === null || GOOD_CLOCKS.test(os.clocksource.current)) return null;
  const { current, available } = os.clocksource;
  return {
    topic: 'clocksource',
    level: GUEST_CLOCKS.test(current) ? 'note' : 'worthwhile',
    seen: `clocksource ${current} (available: ${available.join(', ') || 'none'})`,
    why: GUEST_CLOCKS.test(current)
      ? 'reading the time goes through a page of the hypervisor, a little slower than the TSC'
      : 'reading the time costs a system call or a device access, around a microsecond: short repetitions are measured badly',
    action: available.includes('tsc')
      ? `${fromContainer(virtualisation)}echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource`
      : 'see why the kernel refused the TSC: sudo dmesg | grep -i -e tsc -e clocksource; where the TSC is sound, boot with tsc=reliable',
  };
};

const schedstat: Check = ({ os }) =>
  os.schedstat
    ? null
    : {
        topic: 'schedstat',
        level: 'worthwhile',
        seen: 'no scheduler statistics in /proc/self/schedstat',
        why: 'how long a thread waited for a CPU cannot be known: a neighbour that slows the measurement goes unseen',
        action: 'boot a kernel built with CONFIG_SCHED_INFO (CONFIG_SCHEDSTATS=y), as the distributions do',
      };

const pressure: Check = ({ os }) =>
  os.pressure
    ? null
    : {
        topic: 'psi',
        level: 'note',
        seen: 'no pressure information in /proc/pressure',
        why: 'whether tasks of the machine waited for CPU, memory or disks cannot be known',
        action: 'boot a kernel built with CONFIG_PSI, with psi=1 on its command line',
      };

const hugePages: Check = ({ memory, virtualisation }) => {
  const mode = memory.transparentHugePages;
  if (mode !== 'never' && mode !== 'always') return null;
  return {
    topic: 'transparent-huge-pages',
    level: mode === 'never' ? 'worthwhile' : 'note',
    seen: `transparent huge pages: ${mode}`,
    why:
      mode === 'never'
        ? 'arrays of several MiB lie on small pages (a record says so as `huge pages`): address translation slows them, differently in each launch'
        : 'the kernel may move pages together while a measurement runs, and every library gets huge pages whether it asks or not',
    action: `${fromContainer(virtualisation)}echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled`,
  };
};

const numaBalancing: Check = ({ memory, virtualisation }) =>
  memory.numaBalancing !== true || memory.numaNodes.length < 2
    ? null
    : {
        topic: 'numa-balancing',
        level: 'worthwhile',
        seen: `automatic NUMA balancing over ${memory.numaNodes.length} nodes`,
        why: 'the kernel takes pages away to see who uses them, and moves them: page faults within the measurement',
        action: `${fromContainer(virtualisation)}echo 0 | sudo tee /proc/sys/kernel/numa_balancing`,
      };

const isolation: Check = ({ cpu, os, virtualisation }) => {
  if (os.commandLine === null || os.isolatedCpus !== null || virtualisation.guest === true) return null;
  if ((cpu.threads ?? 0) < ENOUGH_CPUS_TO_ISOLATE) return null;
  return {
    topic: 'isolation',
    level: 'note',
    seen: 'no isolated CPUs',
    why: 'the scheduler may put any task on the CPUs that are measured, and their tick interrupts the repetitions',
    action:
      'for the steadiest numbers of one thread, boot with isolcpus=2 nohz_full=2, and run it there: taskset -c 2 npx pi-bench',
  };
};

const aslr: Check = ({ os }) =>
  os.aslr === null || os.aslr === 0
    ? null
    : {
        topic: 'aslr',
        level: 'note',
        seen: `address space randomisation is on (${os.aslr})`,
        why: 'each launch gets another memory layout: a part of the difference between launches, which several launches average out',
        action: 'to find out how large that part is: setarch --addr-no-randomize npx pi-bench',
      };

const ownNetwork: Check = ({ virtualisation: { container } }) =>
  container === null
    ? null
    : {
        topic: 'own-network',
        level: 'note',
        seen: `a container (${container}), which may have a network of its own`,
        why: 'campaigns of one network wait for each other: what is measured beside it on the host, or in another container, at the same time neither waits nor is named',
        action:
          'give containers that may measure at the same time the network of the host (docker run --network host; hostNetwork: true in a pod; apptainer without --net), or start one after the other',
      };

const CHECKS: readonly Check[] = [
  quota,
  hiddenCgroup,
  cgroupsAbove,
  untoldCgroup,
  load,
  swap,
  governor,
  clockLimit,
  virtualMachine,
  fewCpus,
  clocksource,
  schedstat,
  hugePages,
  numaBalancing,
  turbo,
  smt,
  mixedCores,
  pressure,
  isolation,
  aslr,
  ownNetwork,
];

const ORDER: readonly Advice['level'][] = ['important', 'worthwhile', 'note'];

/** The important first. */
export function advise(machine: MachineDescription, allowed: AllowedCores): Advice[] {
  return sortAdvice(CHECKS.flatMap((check) => check(machine, allowed) ?? []));
}

/** The important first; of one level as they come. */
export const sortAdvice = (advice: readonly Advice[]): Advice[] =>
  advice.toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
