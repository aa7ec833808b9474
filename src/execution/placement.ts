/** Which CPU each thread of a launch gets, and which are left to the process around it. Pure. */
import { readAllowedCpus } from '../machine/linux/allowed-cpus.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { FileReader } from '../machine/linux/reader.js';

export interface Cores {
  /** CPUs on which a thread of this process can run. */
  readonly allowed: readonly number[];
  /** CPUs that share a core with the given one, itself included. */
  readonly siblings: (cpu: number) => readonly number[];
}

export function readCores(reader: FileReader): Cores {
  return {
    allowed: readAllowedCpus(reader) ?? [0],
    siblings: (cpu) =>
      parseCpuList(
        reader(`/sys/devices/system/cpu/cpu${cpu}/topology/core_cpus_list`)?.trim() ??
          reader(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`)?.trim() ??
          null,
      ) ?? [cpu],
  };
}

/**
 * One CPU for each thread: a core each before any core gets a second thread, the first allowed CPU last, because it
 * serves most interrupts. null when there are fewer CPUs than threads.
 */
export function placeThreads({ allowed, siblings }: Cores, threads: number): readonly number[] | null {
  if (threads > allowed.length) return null;
  const rank = (cpu: number): number =>
    siblings(cpu)
      .filter((other) => allowed.includes(other))
      .indexOf(cpu);
  const lastIsFirst = [...allowed.slice(1), ...allowed.slice(0, 1)];
  const order = lastIsFirst.map((cpu, place) => ({ cpu, place, rank: Math.max(0, rank(cpu)) }));
  order.sort((a, b) => a.rank - b.rank || a.place - b.place);
  return order.slice(0, threads).map(({ cpu }) => cpu);
}

/** The CPUs that are left for what waits and writes; all of them when none is left. */
export function placeOthers({ allowed }: Cores, taken: readonly number[]): readonly number[] {
  const free = allowed.filter((cpu) => !taken.includes(cpu));
  return free.length > 0 ? free : allowed;
}
