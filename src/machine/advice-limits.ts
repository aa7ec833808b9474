/** Advice on what this process may use of the machine: quota, control groups, CPUs and the cores that these are on. */
import { plural } from '../quantities/format.js';
import { type Check, fromGuest } from './advice-check.js';
import { usableCpus } from './capacity.js';
import { parseCpuList } from './linux/cpu-list.js';

export const quota: Check = ({ limits: { cpuQuota, cpuQuotaPeriod, allowedCpus } }) => {
  // No launch can use more than the CPUs that are allowed: a pod that has whole CPUs keeps its quota of as many.
  if (cpuQuota === null || cpuQuota >= (parseCpuList(allowedCpus)?.length ?? Number.POSITIVE_INFINITY))
    return null;
  return {
    topic: 'cpu-quota',
    level: 'important',
    seen: `a quota of ${cpuQuota.toFixed(2)} CPUs${cpuQuotaPeriod === null ? '' : ` in periods of ${Math.round(cpuQuotaPeriod * 1000)} ms`}`,
    why: 'a launch that uses more is stopped until the period ends: short bursts look fast, and sustained rates are those of the quota',
    action:
      'start the container with --cpuset-cpus=0-3 in place of --cpus (Docker, Podman), as a Guaranteed pod with whole CPUs under the static CPU manager (Kubernetes), or clear it: systemctl set-property UNIT CPUQuota=',
  };
};

export const hiddenCgroup: Check = ({ limits: { cgroup, memoryCgroup } }) => {
  const hidden = [cgroup, memoryCgroup].find((one) => one?.visible === false);
  if (hidden == null) return null;
  return {
    topic: 'cgroup-hidden',
    level: 'important',
    seen: `this process is in the control group ${hidden.path}${hidden === cgroup ? '' : ' of memory'}, whose files are not mounted here`,
    why:
      hidden === cgroup
        ? 'a CPU quota or memory limit cannot be seen, and neither can throttling during a measurement'
        : 'a memory limit cannot be seen: a launch that is given what the machine has free may be killed for it',
    action:
      'mount /sys/fs/cgroup in the container, with its own cgroup namespace: docker run --cgroupns=private',
  };
};

/** As of every container that has a namespace of its own; most have their limits where they are seen, some in the groups above. */
export const cgroupsAbove: Check = ({ limits: { cgroup, memoryCgroup } }) => {
  const hidden = [cgroup, memoryCgroup].find((one) => one?.visible === true && one.whole === false);
  if (hidden == null) return null;
  return {
    topic: 'cgroups-above',
    level: 'worthwhile',
    seen: `the control groups above those that are mounted here are hidden (this process is in ${hidden.path})`,
    why: 'a CPU quota or memory limit of theirs (of a pod, a slice, an LXC container) holds here, too, and cannot be seen, and neither can its throttling during a measurement',
    action:
      'look on the host at cpu.max and memory.max (cgroup v1: cpu.cfs_quota_us, memory.limit_in_bytes) of each group above; with cgroup v2 docker run --cgroupns=host shows them here',
  };
};

export const untoldCgroup: Check = ({ limits }) =>
  limits.cgroupTold
    ? null
    : {
        topic: 'cgroup-untold',
        level: 'worthwhile',
        seen: 'no control group of this process in /proc/self/cgroup',
        why: 'a sandbox may have a CPU quota or memory limit that cannot be seen, and neither can throttling during a measurement',
        action:
          'run it outside of the sandbox; a kernel without control groups (CONFIG_CGROUPS) has no quota',
      };

const FEW_CPUS = 2;

export const fewCpus: Check = (machine) => {
  const usable = usableCpus(machine);
  const allowed = parseCpuList(machine.limits.allowedCpus);
  if ((allowed === null && machine.cpu.threads === null) || usable > FEW_CPUS) return null;
  return {
    topic: 'few-cpus',
    level: 'worthwhile',
    seen: plural(usable, 'usable CPU'),
    why:
      allowed !== null && usable < allowed.length
        ? 'the quota is shared: what Node and its threads use of it is taken from a measurement that uses up the rest'
        : 'with every CPU measured, the system, Node and interrupts take their time from the measurement',
    action:
      usable === 1
        ? 'use a machine with more CPUs, or expect outliers and spread more launches over time'
        : `leave one CPU free: --threads ${usable - 1}`,
  };
};

export const smt: Check = (machine, { cores }) => {
  const { cpu, limits, virtualisation } = machine;
  const allowed = parseCpuList(limits.allowedCpus);
  if (cpu.smt !== true) return null;
  // No two CPUs that may be used share a core, as in a job that was given one of each.
  if (cores !== null && cores === allowed?.length) return null;
  const known = cores ?? (allowed?.length === cpu.threads ? cpu.cores : null);
  // No more of them than a launch may use at all.
  const threads = known === null ? null : Math.min(known, usableCpus(machine));
  return {
    topic: 'smt',
    level: 'note',
    seen: `${cpu.threads ?? 'several'} threads on ${cpu.cores ?? 'fewer'} cores (SMT is on)`,
    why: "two threads on one core share its units and caches: a neighbour on the sibling slows a measurement, and more threads than cores don't make matmul faster",
    action: `measure with at most ${threads === null ? 'one thread a core' : plural(threads, 'thread')}: --threads ${threads ?? 1}; or ${fromGuest(virtualisation)}echo off | sudo tee /sys/devices/system/cpu/smt/control`,
  };
};

export const mixedCores: Check = (machine, { kinds }) => {
  const [fastest, ...others] = kinds;
  if (fastest === undefined || others.length === 0) return null;
  const threads = fastest.cores ?? parseCpuList(fastest.cpus)?.length ?? 1;
  // Threads get the fast cores first, so that those which a quota keeps running have these alone.
  if (usableCpus(machine) <= threads) return null;
  return {
    topic: 'mixed-cores',
    level: 'worthwhile',
    seen: `cores of different kinds: ${kinds.map(({ name }) => name).join(', ')}`,
    why: 'a launch on all of them measures a mixture, in which equal shares of the work wait for the slowest',
    action: `measure on ${fastest.name} cores alone: --threads ${threads}`,
  };
};
