/** Whether a node has what jobs ask Slurm for, as far as `sinfo` tells. Pure. */
import { UserError } from '../errors.js';
import type { Settings } from './scheduler.js';
import type { SlurmNode } from './slurm-text.js';

type Suits = (node: SlurmNode) => boolean;

/** null: it cannot be told of one node by itself, or not by us. */
type Reading = (asked: string) => Suits | null;

const FEATURE = /^[\w.:=-]+$/;

/** `a`, `a&b` or `a|b`; counts and brackets are of all nodes of a job, and each of ours has one. */
const ofConstraint: Reading = (asked) => {
  const isEither = asked.includes('|');
  const names = asked.split(isEither ? '|' : '&');
  if (!names.every((name) => FEATURE.test(name))) return null;
  return ({ features }) => {
    const has = features.split(',');
    return isEither ? names.some((name) => has.includes(name)) : names.every((name) => has.includes(name));
  };
};

interface Resource {
  readonly name: string;
  readonly type: string | null;
  readonly count: number;
}

const THOUSANDS = ['', 'k', 'm', 'g', 't', 'p'];

/** `gpu`, `gpu:8`, `gpu:a100` or `gpu:a100:8`, perhaps with the sockets behind it; null: some other text. */
function resourceOf(text: string): Resource | null {
  const plain = text.replace(/\(.*\)$/, '');
  const [, name, type, digits = '1', unit = ''] =
    /^([A-Za-z_][\w/-]*)(?::((?!\d+[kmgtp]?$)[\w.-]+))?(?::(\d+)([kmgtp]?))?$/i.exec(plain) ?? [];
  if (name === undefined) return null;
  return { name, type: type ?? null, count: Number(digits) * 1024 ** THOUSANDS.indexOf(unit.toLowerCase()) };
}

/** Commas within brackets, as of sockets, are none between resources. */
const resourcesOf = (text: string): readonly (Resource | null)[] =>
  text === '' || text === '(null)' ? [] : text.split(/,(?![^(]*\))/).map(resourceOf);

const ofGres: Reading = (asked) => {
  const wanted = resourcesOf(asked).filter((one) => one !== null);
  if (wanted.length === 0 || wanted.length < resourcesOf(asked).length) return null;
  return ({ gres }) => {
    const has = resourcesOf(gres).filter((one) => one !== null);
    return wanted.every(({ name, type, count }) => {
      const such = has.filter((one) => one.name === name && (type === null || one.type === type));
      return such.reduce((sum, one) => sum + one.count, 0) >= count;
    });
  };
};

const MEGABYTES: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 ** 2 };

/** Of an amount of memory as Slurm writes it; null: it is none. */
export function megabytesOf(text: string): number | null {
  const [, digits, unit = 'M'] = /^(\d+)([KMGT])?B?$/i.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * (MEGABYTES[unit.toUpperCase()] ?? 1);
}

const ofMemory: Reading = (asked) => {
  const needed = megabytesOf(asked);
  return needed === null ? null : ({ memory }) => memory >= needed;
};

const READINGS: Readonly<Record<string, Reading>> = {
  constraint: ofConstraint,
  gres: ofGres,
  mem: ofMemory,
};

export interface Requirement {
  /** `gpu:8` */
  readonly says: string;
  readonly suits: Suits;
}

/** @throws UserError for what nobody can tell of a node by what `sinfo` prints */
export const requirementsOf = (settings: Settings): readonly Requirement[] =>
  Object.entries(READINGS).flatMap(([name, read]): Requirement[] => {
    const says = settings[name];
    if (typeof says !== 'string') return [];
    const suits = read(says);
    if (suits !== null) return [{ says, suits }];
    throw new UserError(
      `which nodes have --${name} ${says} cannot be told here: name them, as with --nodelist n[1-16]`,
    );
  });
