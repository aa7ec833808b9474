/** The operating system: kernel, distribution, C library, clock, command line, load. */
import { createHash } from 'node:crypto';
import { decimalNumber, type FileReader, readTrimmed, readWholeNumber, wholeNumber } from './linux/reader.js';
import type { OsDescription } from './types.js';

/** Items of the kernel's command line that change how steady or how fast a program runs. */
const COMMAND_LINE =
  /^(isolcpus|nohz|nohz_full|rcu_nocbs|rcu_nocb_poll|irqaffinity|mitigations|nosmt|maxcpus|nr_cpus|intel_pstate|amd_pstate|cpufreq\.\w+|intel_idle\.max_cstate|processor\.max_cstate|idle|cpuidle\.\w+|clocksource|tsc|transparent_hugepage|hugepages|hugepagesz|default_hugepagesz|numa_balancing|psi|schedstats|preempt|skew_tick|nosoftlockup|nowatchdog|nmi_watchdog|pti|nopti|spectre_v2|retbleed|spec_store_bypass_disable|tsx|norandmaps|threadirqs|iommu\w*|intel_iommu|amd_iommu|mce|audit)(=|$)/;

const CLOCKSOURCE = '/sys/devices/system/clocksource/clocksource0';
const HASH_DIGITS = 16;

export function readOs(reader: FileReader, glibcVersion: string | null): OsDescription {
  const release = parseOsRelease(reader('/etc/os-release') ?? reader('/usr/lib/os-release') ?? '');
  const commandLine = readTrimmed(reader, '/proc/cmdline');
  const clocksource = readTrimmed(reader, `${CLOCKSOURCE}/current_clocksource`);
  const load = reader('/proc/loadavg') ?? '';
  const runnable = parseRunnable(load);
  return {
    id: release.get('ID') ?? null,
    name: release.get('NAME') ?? null,
    version: release.get('VERSION_ID') ?? release.get('VERSION') ?? null,
    kernelRelease: readTrimmed(reader, '/proc/sys/kernel/osrelease'),
    kernelVersion: readTrimmed(reader, '/proc/sys/kernel/version'),
    libc: readLibc(reader, glibcVersion),
    commandLine: commandLine?.split(/\s+/).filter((item) => COMMAND_LINE.test(item)) ?? null,
    isolatedCpus: readTrimmed(reader, '/sys/devices/system/cpu/isolated'),
    clocksource:
      clocksource === null
        ? null
        : {
            current: clocksource,
            available: readTrimmed(reader, `${CLOCKSOURCE}/available_clocksource`)?.split(/\s+/) ?? [],
          },
    aslr: readWholeNumber(reader, '/proc/sys/kernel/randomize_va_space'),
    hostname: readTrimmed(reader, '/proc/sys/kernel/hostname'),
    machineIdHash: hashOfMachineId(readTrimmed(reader, '/etc/machine-id')),
    bootIdHash: hashOfMachineId(
      readTrimmed(reader, '/proc/sys/kernel/random/boot_id')?.replaceAll('-', '') ?? null,
    ),
    loadAverage: parseLoadAverage(load),
    ...(runnable === null ? {} : { runnable }),
    uptime: decimalNumber(reader('/proc/uptime')?.trim().split(/\s+/)[0]),
    schedstat: hasSchedstat(reader),
    pressure: reader('/proc/pressure/cpu') !== null,
  };
}

/** Shell-like assignments of os-release(5), quotes taken off. */
export function parseOsRelease(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trim());
    if (match?.[1] === undefined) continue;
    const value = (match[2] ?? '').replace(/^(["'])(.*)\1$/, '$2').replace(/\\(["'$`\\])/g, '$1');
    if (value !== '') values.set(match[1], value);
  }
  return values;
}

/** The three averages; null when the text has other fields. */
export function parseLoadAverage(text: string): readonly [number, number, number] | null {
  const [one, five, fifteen] = text.trim().split(/\s+/).map(decimalNumber);
  if (one == null || five == null || fifteen == null) return null;
  if (one < 0 || five < 0 || fifteen < 0) return null;
  return [one, five, fifteen];
}

/** Of `2/85` tasks the first, behind the averages; null when there is none. */
const parseRunnable = (text: string): number | null =>
  wholeNumber(/^(?:\S+\s+){3}(\d{1,9})\/\d/.exec(text.trim())?.[1]);

/**
 * Machines are told apart without their id, which machine-id(5) asks to keep secret: SHA-256 with a prefix of our own,
 * shortened. null when there is no id, as in many container images.
 */
export function hashOfMachineId(id: string | null): string | null {
  if (id === null || !/^[0-9a-f]{32}$/i.test(id)) return null;
  return createHash('sha256').update(`pi-bench:${id.toLowerCase()}`).digest('hex').slice(0, HASH_DIGITS);
}

/** Node tells glibc's version; musl shows in the libraries that this process has mapped. */
function readLibc(reader: FileReader, glibcVersion: string | null): OsDescription['libc'] {
  if (glibcVersion !== null) return { name: 'glibc', version: glibcVersion };
  return /\/ld-musl-|\/libc\.musl-/.test(reader('/proc/self/maps') ?? '')
    ? { name: 'musl', version: null }
    : null;
}

/** A kernel without the account shows `0 0 0`. */
function hasSchedstat(reader: FileReader): boolean {
  const schedstat = readTrimmed(reader, '/proc/self/schedstat');
  return schedstat !== null && /[1-9]/.test(schedstat);
}
