/** The machine that published documents tell of: what all of them agree on. Pure. */
import { describeMachine } from '../../machine/describe.js';
import type { MachineDescription } from '../../machine/types.js';
import { NOT_KNOWN } from '../published.js';
import { parseCpus, parseMemory } from './quantities.js';
import type { Result, Specification } from './schemas.js';

type Fact = string | number | boolean | null;
/** Of one document. */
export type Facts = Readonly<Record<FactName, Fact>>;
const NAMES = [
  'architecture',
  'cpu vendor',
  'cpu model',
  'cpu family number',
  'cpu model number',
  'cpu stepping',
  'cpus',
  'features',
  'system',
  'system version',
  'kernel',
  'kernel version',
  'cpu limit',
  'memory limit',
] as const;
type FactName = (typeof NAMES)[number];

/** As Node names them. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'x64', aarch64: 'arm64' };

export function factsOf(result: Result | null, specification: Specification | null): Facts {
  const { hwinfo, os_release: os } = result ?? {};
  const { cpu_info: cpu, platform, cpu_features: features } = hwinfo ?? {};
  const requests = specification?.run?.requests;
  const asked = requests?.hardware;
  const flags = features?.flags;
  return {
    architecture: ARCHITECTURES[platform?.machine ?? ''] ?? platform?.machine ?? null,
    'cpu vendor': cpu?.vendor_id_raw ?? null,
    // Early documents have no model: what was asked of the cluster is what it had to have.
    'cpu model': cpu?.brand_raw ?? asked?.processor ?? null,
    'cpu family number': cpu?.family ?? asked?.cpu_family ?? null,
    'cpu model number': cpu?.model ?? asked?.cpu_model ?? null,
    'cpu stepping': cpu?.stepping ?? null,
    cpus: cpu?.count ?? null,
    features: flags == null ? null : [...flags].sort().join(' '),
    system: os?.name ?? null,
    'system version': os?.version_id ?? null,
    kernel: platform?.release ?? null,
    'kernel version': platform?.version ?? null,
    'cpu limit': parseCpus(requests?.cpu),
    'memory limit': parseMemory(requests?.memory),
  };
}

export interface Agreed {
  readonly machine: MachineDescription;
  /** Facts that are null because documents contradict each other, or some do not tell; in words. */
  readonly disagreed: readonly string[];
}

/** Texts of a kilobyte say nothing to a person. */
const LONG: readonly FactName[] = ['features', 'kernel version'];

/** @param all facts of each document. One holds where every document tells it alike: the labels are those of all batches. */
export function agreedMachine(all: readonly Facts[]): Agreed {
  const distinct = (name: FactName): Fact[] => [...new Set(all.map((facts) => facts[name]))];
  const fact = (name: FactName): Fact => {
    const [first = null, ...others] = distinct(name);
    return others.length === 0 ? first : null;
  };
  const text = (name: FactName): string | null => (fact(name) === null ? null : String(fact(name)));
  const count = (name: FactName): number | null => {
    const value = fact(name);
    return typeof value === 'number' ? value : null;
  };
  const bare = describeMachine(() => null, {
    architecture: text('architecture') ?? NOT_KNOWN,
    nodeVersion: '',
    v8Version: null,
    glibcVersion: null,
    getconf: () => null,
    env: {},
  });
  const features = text('features')?.split(' ') ?? [];
  const cpuNumbers = {
    family: count('cpu family number'),
    model: count('cpu model number'),
    stepping: count('cpu stepping'),
    threads: count('cpus'),
  };
  const machine: MachineDescription = {
    ...bare,
    cpu: { ...bare.cpu, vendor: text('cpu vendor'), modelName: text('cpu model'), ...cpuNumbers, features },
    os: {
      ...bare.os,
      name: text('system'),
      version: text('system version'),
      kernelRelease: text('kernel'),
      kernelVersion: text('kernel version'),
    },
    limits: { ...bare.limits, cpuQuota: count('cpu limit'), memoryLimit: count('memory limit') },
    // The processor tells its guests that they are guests.
    virtualisation: { ...bare.virtualisation, guest: features.includes('hypervisor') ? true : null },
  };
  const disagreed = NAMES.filter((name) => distinct(name).length > 1).map((name) => {
    const told = distinct(name).filter((one) => one !== null);
    const values = LONG.includes(name) ? '' : ` (${told.join('; ')})`;
    return told.length < distinct(name).length ? `${name}: told by some only${values}` : `${name}${values}`;
  });
  return { machine, disagreed };
}
