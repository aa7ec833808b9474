/** The CPU: identity, topology, clock, caches and mitigations, from /proc/cpuinfo, /sys/devices/system/cpu and getconf. */
import { readCaches } from './caches.js';
import { coreCaches } from './core-caches.js';
import { readCoreKinds } from './core-kinds.js';
import { parseCpuinfo, relevantFeatures } from './cpuinfo.js';
import { readFrequency } from './frequency.js';
import { parseCpuList } from './linux/cpu-list.js';
import { type FileReader, readTrimmed } from './linux/reader.js';
import { CPU_DIRECTORY, countCores, countDistinct } from './linux/topology.js';
import type { CacheDescription, CpuDescription } from './types.js';

/** Those that the kernel knew in 2026; a name that it does not have is left out. */
const VULNERABILITIES = [
  'gather_data_sampling',
  'indirect_target_selection',
  'itlb_multihit',
  'l1tf',
  'mds',
  'meltdown',
  'mmio_stale_data',
  'old_microcode',
  'reg_file_data_sampling',
  'retbleed',
  'spec_rstack_overflow',
  'spec_store_bypass',
  'spectre_v1',
  'spectre_v2',
  'srbds',
  'tsa',
  'tsx_async_abort',
  'vmscape',
];

/** @param getconf what `getconf -a` prints */
export function readCpu(
  reader: FileReader,
  architecture: string,
  getconf: () => string | null,
): CpuDescription {
  const online = parseCpuList(readTrimmed(reader, `${CPU_DIRECTORY}/online`));
  const cpus = online ?? [];
  const kinds = readCoreKinds(reader, cpus);
  const [fastest = null] = parseCpuList(kinds[0]?.cpus ?? null) ?? [];
  const cpuinfo = parseCpuinfo(reader('/proc/cpuinfo') ?? '', fastest);
  const cores = countCores(reader, cpus);
  const packages = countDistinct(reader, cpus, ['topology/physical_package_id']);
  const threads = online?.length ?? cpuinfo?.threads ?? null;
  const coreCount = cores ?? cpuinfo?.cores ?? null;
  return {
    architecture,
    vendor: cpuinfo?.vendor ?? null,
    modelName: cpuinfo?.modelName ?? null,
    family: cpuinfo?.family ?? null,
    model: cpuinfo?.model ?? null,
    stepping: cpuinfo?.stepping ?? null,
    microcode: cpuinfo?.microcode ?? null,
    arm: cpuinfo?.arm ?? null,
    sockets: packages ?? cpuinfo?.sockets ?? null,
    cores: coreCount,
    threads,
    smt: readSmt(reader, threads, coreCount),
    ...(kinds.length > 0 ? { coreKinds: kinds } : {}),
    frequency: readFrequency(reader, cpus),
    features: relevantFeatures(cpuinfo?.flags ?? []),
    ...findCaches(reader, cpus, () => coreCaches(getconf() ?? '', coreCount, threads)),
    vulnerabilities: readVulnerabilities(reader),
  };
}

function findCaches(
  reader: FileReader,
  cpus: readonly number[],
  ofLibrary: () => readonly CacheDescription[],
): Pick<CpuDescription, 'caches' | 'cachesFrom'> {
  const listed = readCaches(reader, cpus);
  if (listed.length > 0) return { caches: listed, cachesFrom: 'kernel' };
  const told = ofLibrary();
  return { caches: told, cachesFrom: told.length > 0 ? 'C library' : null };
}

function readSmt(reader: FileReader, threads: number | null, cores: number | null): boolean | null {
  const active = readTrimmed(reader, `${CPU_DIRECTORY}/smt/active`);
  if (active === '1' || active === '0') return active === '1';
  return threads === null || cores === null ? null : threads > cores;
}

function readVulnerabilities(reader: FileReader): Readonly<Record<string, string>> | null {
  const states = VULNERABILITIES.flatMap((name): (readonly [string, string])[] => {
    const state = readTrimmed(reader, `${CPU_DIRECTORY}/vulnerabilities/${name}`);
    return state === null ? [] : [[name, state]];
  });
  if (states.length === 0) return null;
  return Object.fromEntries(states.filter(([, state]) => state !== 'Not affected'));
}
