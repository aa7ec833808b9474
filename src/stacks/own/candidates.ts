/**
 * The candidates of a stack file: every combination of its possibilities, and the order in which they are tried. Counted and made
 * one by one, so that a sample of many costs no more than the sample. Pure.
 */
import { randomBits, shuffle } from '../../random.js';
import { type StackRequest, splitStack } from './request.js';
import type { AskedStack } from './stack-file.js';

/** One thing with its possibilities. */
interface Axis {
  /** As people read it: `stack`, `onnxruntime-node`, `OMP_SCHEDULE`, `threads`. */
  readonly label: string;
  readonly values: readonly (string | null)[];
  /** Whether a later value is a newer version. */
  readonly ageing: boolean;
  readonly ofEnvironment: boolean;
  /** Whether it belongs to the case, not to the stack. */
  readonly ofCase: boolean;
  readonly apply: (request: StackRequest, value: string) => StackRequest;
}

export interface Candidate {
  /** Of the entry with what it chose and its threads, all different: `blas+pthread 2 threads`. */
  readonly name: string;
  readonly request: StackRequest;
  /** null: as the command says. */
  readonly threads: string | null;
  /** What it chose where there was a choice. */
  readonly choices: Readonly<Record<string, string>>;
}

export interface Candidates {
  readonly count: number;
  /** @param index from 0 to count - 1: the first thing of the first entry varies slowest. @throws RangeError beyond */
  at(index: number): Candidate;
  /** How many published versions its packages are behind the newest that were asked for, in all. */
  behind(index: number): number;
}

/** Versions of each npm package that its range allows, the oldest first; by `name@range`. */
export type PublishedVersions = ReadonlyMap<string, readonly string[]>;
export const rangeKey = (name: string, range: string): string => `${name}@${range}`;

/** No variable can have it for a value. */
const UNSET = '\0';

function axesOf(one: AskedStack, published: PublishedVersions): readonly Axis[] {
  const same = { ageing: false, ofEnvironment: false, ofCase: false };
  const versions =
    one.npm === null || one.npm.lockfile !== null
      ? []
      : Object.entries(one.npm.packages).map(
          ([name, range]): Axis => ({
            ...same,
            label: name,
            values: published.get(rangeKey(name, range)) ?? [],
            ageing: true,
            apply: (request, version) => ({
              ...request,
              npm:
                request.npm === null
                  ? null
                  : { ...request.npm, packages: { ...request.npm.packages, [name]: version } },
            }),
          }),
        );
  return [
    {
      ...same,
      label: 'stack',
      values: one.stacks,
      apply: (request, value) => ({ ...request, ...splitStack(value) }),
    },
    {
      ...same,
      label: 'library',
      values: one.libraries,
      apply: (request, library) => ({ ...request, library }),
    },
    ...one.debian.map(
      (any, i): Axis => ({
        ...same,
        label: any.length > 1 ? `package ${i + 1}` : 'package',
        values: any,
        apply: (request, name) => ({ ...request, debian: [...request.debian, name] }),
      }),
    ),
    ...versions,
    ...Object.entries(one.environment).map(
      ([name, values]): Axis => ({
        ...same,
        ofEnvironment: true,
        label: name,
        values: values.map((value) => value ?? UNSET),
        apply: (request, value) => ({
          ...request,
          environment: { ...request.environment, [name]: value === UNSET ? null : value },
        }),
      }),
    ),
    {
      ...same,
      label: 'threads',
      values: one.threads.length === 0 ? [null] : one.threads,
      ofCase: true,
      apply: (request) => request,
    },
  ];
}

interface Entry {
  readonly asked: AskedStack;
  readonly axes: readonly Axis[];
  readonly nameParts: readonly (readonly string[])[];
  readonly count: number;
}

/** The place of each axis's value: the first varies slowest. */
function placesOf({ axes }: Entry, index: number): readonly number[] {
  const places: number[] = [];
  let rest = index;
  for (const { values } of axes.toReversed()) {
    places.unshift(rest % values.length);
    rest = Math.floor(rest / values.length);
  }
  return places;
}

const cleaned = (value: string): string => value.replaceAll(/[^A-Za-z0-9._=-]+/g, '-');
/** Of `libopenblas0-` and its like, which all values of an axis begin with. */
const BEGINNING = /^.*[-/]/;

/** Without what all values have in common: `pthread` and `openmp` of two packages. */
function withoutCommon(value: string, all: readonly string[]): string {
  const beginning = BEGINNING.exec(value)?.[0] ?? '';
  return all.every((other) => other.startsWith(beginning)) ? value.slice(beginning.length) : value;
}

/** What the values of an axis add to a name, in short; and so that nobody can mistake it. */
function partsOf({ ageing, ofEnvironment, label, values }: Axis): { short: string[]; long: string[] } {
  const given = values.map((value) => value ?? UNSET);
  const known = given.filter((value) => value !== UNSET);
  const long = given.map((value) => {
    if (value === UNSET) return `no-${label}`;
    return cleaned(ageing || ofEnvironment ? `${label.replace(/^.*\//, '')}=${value}` : value);
  });
  const short = given.map((value) => {
    if (value === UNSET) return 'unset';
    // A number says nothing without its variable.
    if (ofEnvironment && !/[A-Za-z]/.test(value)) return cleaned(`${label}=${value}`);
    return cleaned(ageing || ofEnvironment ? value : withoutCommon(value, known));
  });
  return { short, long };
}

/** Of each axis with a choice what its values add to a name: as short as it takes to tell them apart. */
function namePartsOf(axes: readonly Axis[]): readonly (readonly string[])[] {
  const choosing = axes.filter(({ values, ofCase }) => values.length > 1 && !ofCase);
  const parts = new Map(choosing.map((axis) => [axis, partsOf(axis)]));
  const shorts = [...parts.values()].flatMap(({ short }) => short);
  const once = (part: string): boolean => shorts.filter((other) => other === part).length === 1;
  return axes.map((axis) => {
    const { short = [], long = [] } = parts.get(axis) ?? {};
    const names = short.every((part) => part !== '' && once(part)) ? short : long;
    // Two that are cleaned to one name get a number.
    return names.map((name, i) =>
      names.indexOf(name) === names.lastIndexOf(name) ? name : `${name}.${i + 1}`,
    );
  });
}

function candidateOf(entry: Entry, index: number): Candidate {
  const { asked, axes } = entry;
  const places = placesOf(entry, index);
  const start: StackRequest = {
    name: asked.name,
    provider: '',
    variant: null,
    library: null,
    folders: asked.folders,
    debian: [],
    npm: asked.npm,
    environment: {},
  };
  let request = start;
  let threads: string | null = null;
  const parts: string[] = [];
  const choices: Record<string, string> = {};
  axes.forEach((axis, i) => {
    const place = places[i] ?? 0;
    const value = axis.values[place] ?? null;
    if (value === null) return;
    request = axis.apply(request, value);
    if (axis.ofCase) threads = value;
    if (axis.values.length < 2) return;
    choices[axis.label] = value === UNSET ? 'unset' : value;
    if (!axis.ofCase) parts.push(entry.nameParts[i]?.[place] ?? '');
  });
  const name = [asked.name, ...parts].join('+');
  return {
    name: threads === null ? name : `${name} ${threads} ${threads === '1' ? 'thread' : 'threads'}`,
    request: { ...request, name },
    threads,
    choices,
  };
}

function behindOf(entry: Entry, index: number): number {
  const places = placesOf(entry, index);
  return entry.axes.reduce(
    (sum, { ageing, values }, i) => sum + (ageing ? values.length - 1 - (places[i] ?? 0) : 0),
    0,
  );
}

/**
 * What the stacks of a file make, counted and not made: `at` makes one. A stack of a package without a published version in
 * its range makes none.
 */
export function candidatesOf(stacks: readonly AskedStack[], published: PublishedVersions): Candidates {
  const entries = stacks.map((asked): Entry => {
    const axes = axesOf(asked, published);
    return {
      asked,
      axes,
      nameParts: namePartsOf(axes),
      count: axes.reduce((product, { values }) => product * values.length, 1),
    };
  });
  const find = <T>(index: number, use: (entry: Entry, inside: number) => T): T => {
    let rest = index;
    for (const entry of entries) {
      if (rest < entry.count) return use(entry, rest);
      rest -= entry.count;
    }
    throw new RangeError(`there is no candidate ${index}`);
  };
  return {
    count: entries.reduce((sum, { count }) => sum + count, 0),
    at: (index) => find(index, candidateOf),
    behind: (index) => find(index, behindOf),
  };
}

export const STRATEGIES = ['all', 'random', 'latest'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/**
 * Indices of all candidates in the order in which they are tried: `all` as the file has them, `random` in an order that the seed
 * decides, `latest` those nearest to the newest versions first.
 */
export function tryingOrder(candidates: Candidates, strategy: Strategy, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: candidates.count }, (_, i) => i);
  if (strategy === 'random') shuffle(order, randomBits(seed));
  if (strategy === 'latest') {
    const behind = order.map((i) => candidates.behind(i));
    return order.toSorted((a, b) => (behind[a] ?? 0) - (behind[b] ?? 0) || a - b);
  }
  return order;
}
