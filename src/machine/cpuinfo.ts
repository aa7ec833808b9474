/** /proc/cpuinfo of x86, arm64 and others: who made the CPU, which one it is, and what it can do. */
import { armName } from './arm-names.js';
import { distinct, wholeNumber } from './linux/reader.js';
import type { ArmIdentity, CpuDescription } from './types.js';

type Identity = 'vendor' | 'modelName' | 'family' | 'model' | 'stepping' | 'microcode' | 'arm';

/** What it says of the description; `threads` are the CPUs that it lists. */
export interface Cpuinfo extends Pick<CpuDescription, Identity | 'threads' | 'sockets' | 'cores'> {
  readonly flags: readonly string[];
}

/** Instruction sets that a compute kernel can choose by, and what makes the clock counter steady. */
const RELEVANT_X86 =
  /^(sse2|ssse3|sse4_[12]|avx\w*|fma|f16c|bmi[12]|popcnt|amx_\w+|gfni|vaes|vpclmulqdq|erms|fsrm|movdir\w+|rdtscp|constant_tsc|nonstop_tsc)$/;
const RELEVANT_OTHER =
  /^(fp|fphp|asimd\w*|sve\w*|sme\w*|i8mm|bf16|f32mm|f64mm|atomics|jscvt|fcma|dotprod|neon|rv\d+\w*)$/;

/**
 * null when the text lists no CPU.
 * @param fastest the CPU whose identity is told; one that is not listed: the first
 */
export function parseCpuinfo(text: string, fastest: number | null = null): Cpuinfo | null {
  const blocks = text
    .split(/\n\s*\n/)
    .map(fieldsOf)
    .filter((fields) => fields.size > 0);
  const cpus = blocks.filter((fields) => fields.has('processor'));
  const first = cpus.find((fields) => wholeNumber(fields.get('processor')) === fastest) ?? cpus[0];
  if (first === undefined) return null;
  const get = (key: string): string | null => first.get(key) || null;
  const arm = armIdentity(first);
  return {
    vendor: get('vendor_id') ?? (arm === null ? null : armName(arm).vendor),
    modelName: modelName(get('model name')) ?? armNames([first, ...cpus]) ?? get('cpu') ?? get('uarch'),
    family: wholeNumber(get('cpu family')),
    model: wholeNumber(get('model')),
    stepping: wholeNumber(get('stepping')),
    microcode: get('microcode'),
    arm,
    threads: cpus.length,
    ...topology(cpus),
    flags: (get('flags') ?? get('Features') ?? get('isa') ?? '').split(/\s+/).filter((flag) => flag !== ''),
  };
}

/** Sorted. The two families use one word for different things: `sme` is a matrix unit on Arm, encryption on x86. */
export function relevantFeatures(flags: readonly string[]): readonly string[] {
  const relevant = flags.includes('fpu') ? RELEVANT_X86 : RELEVANT_OTHER;
  return distinct(flags.filter((flag) => relevant.test(flag))).toSorted();
}

function fieldsOf(block: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return fields;
}

/** Some hypervisors write `unknown`, some vendors pad with spaces. */
function modelName(text: string | null): string | null {
  const name = text?.replace(/\s+/g, ' ') ?? null;
  return name === null || /^unknown$/i.test(name) ? null : name;
}

function armIdentity(fields: ReadonlyMap<string, string>): ArmIdentity | null {
  const [implementer, part] = [fields.get('CPU implementer'), fields.get('CPU part')];
  if (implementer === undefined || part === undefined) return null;
  return {
    implementer,
    part,
    variant: fields.get('CPU variant') ?? null,
    revision: fields.get('CPU revision') ?? null,
  };
}

/** Of cores of several kinds all names, the first's first; null: none has one. */
function armNames(cpus: readonly ReadonlyMap<string, string>[]): string | null {
  const arms = cpus.map(armIdentity).filter((arm) => arm !== null);
  const names = arms.map((arm) => armName(arm).model);
  if (names.every((name) => name === null)) return null;
  return distinct(names.map((name, i) => name ?? `part ${arms[i]?.part}`)).join(' + ');
}

function topology(cpus: readonly ReadonlyMap<string, string>[]) {
  const packages = cpus.map((fields) => fields.get('physical id'));
  const cores = cpus.map((fields) => fields.get('core id'));
  if (packages.includes(undefined) || cores.includes(undefined)) return { sockets: null, cores: null };
  return {
    sockets: new Set(packages).size,
    cores: new Set(cores.map((core, i) => `${packages[i]}/${core}`)).size,
  };
}
