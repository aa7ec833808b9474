/** Which CPU each thread of a launch gets, and which are left to the process around it. Pure. */
import { readCoreKinds } from '../machine/core-kinds.js';
import { readAllowedCpus } from '../machine/linux/allowed-cpus.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { FileReader } from '../machine/linux/reader.js';
import { readNodeCpus, siblingList } from '../machine/linux/topology.js';
import type { CoreKind } from '../machine/types.js';

export interface Cores {
  /** CPUs on which a thread of this process can run. */
  readonly allowed: readonly number[];
  /** CPUs that share a core with the given one, itself included. */
  readonly siblings: (cpu: number) => readonly number[];
  /** Where the allowed CPUs are of different kinds: each, fastest first; else empty. */
  readonly kinds: readonly CoreKind[];
  /** The CPUs of each NUMA node; empty where nothing tells of them. */
  readonly nodes: readonly (readonly number[])[];
}

export function readCores(reader: FileReader): Cores {
  const allowed = readAllowedCpus(reader) ?? [0];
  return {
    allowed,
    siblings: (cpu) => parseCpuList(siblingList(reader, cpu)) ?? [cpu],
    kinds: readCoreKinds(reader, allowed),
    nodes: readNodeCpus(reader),
  };
}

/**
 * One CPU for each thread: a core each before any core gets a second thread, of cores of different kinds the fast ones
 * first, of those one NUMA node's before the next one's, and there the first allowed CPU last, because it serves most
 * interrupts. null when there are fewer CPUs than threads.
 *
 * Nodes, because firmware may number CPUs in turns over the sockets: by number alone eight threads would have the memory of
 * one socket on one machine and of two on another.
 *
 * So a thread gets an efficiency core of its own before the second hyperthread of a performance core: there it would
 * slow the first, and both would have less than a core each. Linux's scheduler prefers them in this order, too.
 */
export function placeThreads(
  { allowed, siblings, kinds, nodes }: Cores,
  threads: number,
): readonly number[] | null {
  if (threads > allowed.length) return null;
  const rank = (cpu: number): number =>
    siblings(cpu)
      .filter((other) => allowed.includes(other))
      .indexOf(cpu);
  const lastIsFirst = [...allowed.slice(1), ...allowed.slice(0, 1)];
  const lists = kinds.map(({ cpus }) => parseCpuList(cpus) ?? []);
  // One of which nothing tells comes last.
  const among = (some: readonly (readonly number[])[], cpu: number): number =>
    [...some, allowed].findIndex((list) => list.includes(cpu));
  const order = lastIsFirst.map((cpu, place) => ({
    cpu,
    place,
    kind: among(lists, cpu),
    node: among(nodes, cpu),
    rank: Math.max(0, rank(cpu)),
  }));
  order.sort((a, b) => a.rank - b.rank || a.kind - b.kind || a.node - b.node || a.place - b.place);
  return order.slice(0, threads).map(({ cpu }) => cpu);
}

/** Cores of which a CPU may be used. */
export const coreCount = ({ allowed, siblings }: Pick<Cores, 'allowed' | 'siblings'>): number =>
  allowed.filter((cpu) => siblings(cpu).find((other) => allowed.includes(other)) === cpu).length;

/** The CPUs that are left for what waits and writes; all of them when none is left. */
export function placeOthers({ allowed }: Cores, taken: readonly number[]): readonly number[] {
  const free = allowed.filter((cpu) => !taken.includes(cpu));
  return free.length > 0 ? free : allowed;
}
