/** What the kernel tells of single CPUs: which share a core or a NUMA node, and in how many values they differ. */
import { parseCpuList } from './cpu-list.js';
import { distinct, type FileReader, readTrimmed } from './reader.js';

export const CPU_DIRECTORY = '/sys/devices/system/cpu';
export const NODE_DIRECTORY = '/sys/devices/system/node';

/** CPUs that share a core, as a list; newer kernels have both names. */
const SIBLINGS = ['topology/core_cpus_list', 'topology/thread_siblings_list'] as const;

const ofCpu = (reader: FileReader, cpu: number, file: string): string | null =>
  readTrimmed(reader, `${CPU_DIRECTORY}/cpu${cpu}/${file}`);

/** CPUs on the core of this one, itself included, as a list; null where the kernel does not tell. */
export const siblingList = (reader: FileReader, cpu: number): string | null =>
  SIBLINGS.map((file) => ofCpu(reader, cpu, file)).find((list) => list !== null) ?? null;

/** NUMA nodes that are online, by number; empty where the kernel does not tell. */
export const readNodes = (reader: FileReader): readonly number[] =>
  parseCpuList(readTrimmed(reader, `${NODE_DIRECTORY}/online`)) ?? [];

/** The CPUs of each of those nodes; of one that has memory only, none. */
export const readNodeCpus = (reader: FileReader): readonly (readonly number[])[] =>
  readNodes(reader).map(
    (node) => parseCpuList(readTrimmed(reader, `${NODE_DIRECTORY}/node${node}/cpulist`)) ?? [],
  );

export const countCores = (reader: FileReader, cpus: readonly number[]): number | null =>
  countDistinct(reader, cpus, SIBLINGS);

/** How many different values the CPUs have in the first of these files that there is; null when a CPU has none or -1. */
export function countDistinct(
  reader: FileReader,
  cpus: readonly number[],
  files: readonly string[],
): number | null {
  for (const file of files) {
    const values = cpus.map((cpu) => ofCpu(reader, cpu, file));
    if (values.length > 0 && values.every((value) => value !== null && value !== '-1')) {
      return distinct(values).length;
    }
  }
  return null;
}
