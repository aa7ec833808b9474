/** Memory: sizes, huge pages, swap and NUMA nodes, from /proc/meminfo and /sys/devices/system/node. */
import type { Bytes } from '../units.js';
import { formatCpuList, parseCpuList } from './linux/cpu-list.js';
import { type FileReader, keyedNumbers, readTrimmed } from './linux/reader.js';
import { NODE_DIRECTORY, readNodes } from './linux/topology.js';
import type { MemoryDescription, NumaNode } from './types.js';

const KIBIBYTE = 1024;

/** The choice in brackets of `always [madvise] never`; null when there is none. */
export function chosenOf(text: string | null): string | null {
  return /\[([^\]\s]+)\]/.exec(text ?? '')?.[1] ?? null;
}

export function readMemory(reader: FileReader): MemoryDescription {
  const meminfo = keyedNumbers(reader('/proc/meminfo') ?? '');
  const bytes = (key: string): Bytes | null => inBytes(meminfo.get(key));
  const [swapTotal, swapFree] = [bytes('SwapTotal'), bytes('SwapFree')];
  const hugePageSize = bytes('Hugepagesize');
  const balancing = readTrimmed(reader, '/proc/sys/kernel/numa_balancing');
  return {
    total: bytes('MemTotal'),
    available: bytes('MemAvailable'),
    hugePages:
      hugePageSize === null
        ? null
        : {
            size: hugePageSize,
            total: meminfo.get('HugePages_Total') ?? null,
            free: meminfo.get('HugePages_Free') ?? null,
          },
    transparentHugePages: chosenOf(reader('/sys/kernel/mm/transparent_hugepage/enabled')),
    swap:
      swapTotal === null || swapFree === null
        ? null
        : { total: swapTotal, used: Math.max(0, swapTotal - swapFree) },
    numaNodes: readNumaNodes(reader),
    numaBalancing: balancing === null ? null : balancing !== '0',
  };
}

function readNumaNodes(reader: FileReader): readonly NumaNode[] {
  return readNodes(reader).map((node) => {
    const directory = `${NODE_DIRECTORY}/node${node}`;
    // Lines such as `Node 0 MemTotal:  65765708 kB`.
    const meminfo = keyedNumbers((reader(`${directory}/meminfo`) ?? '').replace(/^Node \d+ /gm, ''));
    const free = inBytes(meminfo.get('MemFree'));
    const cache = inBytes(meminfo.get('Inactive(file)'));
    return {
      node,
      cpus: formatCpuList(parseCpuList(reader(`${directory}/cpulist`)) ?? []),
      total: inBytes(meminfo.get('MemTotal')),
      available: free === null ? null : free + (cache ?? 0),
    };
  });
}

function inBytes(kibibytes: number | undefined): Bytes | null {
  return kibibytes === undefined ? null : kibibytes * KIBIBYTE;
}
