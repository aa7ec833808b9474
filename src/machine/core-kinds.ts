/** Cores of different kinds in one machine: Intel's hybrid CPUs, Arm's big.LITTLE. */
import { formatCpuList, parseCpuList } from './linux/cpu-list.js';
import { distinct, type FileReader, readTrimmed, readWholeNumber } from './linux/reader.js';
import { CPU_DIRECTORY, countCores } from './linux/topology.js';
import type { CoreKind } from './types.js';

interface Kind {
  readonly name: CoreKind['name'];
  readonly cpus: readonly number[];
}

/** Where the kernel counts events of each kind apart, as on Intel's hybrid CPUs. Fastest first. */
const COUNTED: readonly (readonly [CoreKind['name'], string])[] = [
  ['performance', '/sys/devices/cpu_core/cpus'],
  ['efficiency', '/sys/devices/cpu_atom/cpus'],
  ['low-power', '/sys/devices/cpu_lowpower/cpus'],
];

/** Of the fastest of a kind: firmware may give some of equal cores a slightly higher clock. */
const SAME_KIND = 0.9;

/**
 * Fastest first; empty where all of these CPUs are of one kind, or nothing tells. A virtual machine shows none of its
 * host's kinds, and of AMD's compact cores the kernel tells by no such file.
 */
export function readCoreKinds(reader: FileReader, cpus: readonly number[]): readonly CoreKind[] {
  const counted = kindsCounted(reader, cpus);
  const kinds = counted.length > 0 ? counted : kindsByCapacity(reader, cpus);
  if (kinds.length < 2) return [];
  return kinds.map(({ name, cpus: own }) => ({
    name,
    cores: countCores(reader, own),
    cpus: formatCpuList(own),
  }));
}

function kindsCounted(reader: FileReader, cpus: readonly number[]): readonly Kind[] {
  return COUNTED.flatMap(([name, path]): Kind[] => {
    const list = parseCpuList(readTrimmed(reader, path)) ?? [];
    const own = cpus.filter((cpu) => list.includes(cpu));
    return own.length === 0 ? [] : [{ name, cpus: own }];
  });
}

/** The kernel's capacity of each CPU (arm64, RISC-V): how much it computes at its highest clock, of 1024 for the fastest. */
function kindsByCapacity(reader: FileReader, cpus: readonly number[]): readonly Kind[] {
  const capacities = cpus.map((cpu) => readWholeNumber(reader, `${CPU_DIRECTORY}/cpu${cpu}/cpu_capacity`));
  const known = capacities.filter((capacity) => capacity !== null);
  if (known.length < cpus.length) return [];
  const tops: number[] = [];
  for (const capacity of distinct(known).toSorted((a, b) => b - a)) {
    const top = tops.at(-1);
    if (top === undefined || capacity < SAME_KIND * top) tops.push(capacity);
  }
  return tops.map((top, at) => ({
    name: at === 0 ? 'performance' : at === tops.length - 1 ? 'efficiency' : 'middle',
    cpus: cpus.filter((_, i) => {
      const capacity = known[i] ?? 0;
      return capacity <= top && capacity > (tops[at + 1] ?? -1);
    }),
  }));
}
