/**
 * What the batches of a campaign are called by: that in which they differ, and the number that was swept, where one
 * was. The same for the terminal, the report and the tables. Pure.
 */
import { loadText } from '../indicators/latency-load.js';
import { briefBytes, formatSeconds, formatShare, plural } from '../quantities/format.js';
import type { RecordBatch } from '../record/schema.js';

type Value = string | number | boolean | null;
/** What can differ, in the order in which it is named. */
type Traits = ReadonlyMap<string, Value>;

export interface SweptAxis {
  /** A parameter's name, `size` (m = n = k) or `repetitions`. */
  readonly key: string;
  /** What stands at the axis: `size (m = n = k)`. */
  readonly label: string;
  readonly unit: 'count' | 'bytes';
  readonly scale: 'linear' | 'log';
  /** Of each batch, in their order. */
  readonly values: readonly number[];
  /** What else each batch differs by: batches of the same text are one line over the axis; '' where nothing else varies. */
  readonly series: readonly string[];
}

export interface BatchNames {
  /** One for each batch, all different; null where nothing varies, and the batch has only its title. */
  readonly names: readonly (string | null)[];
  /** null where no number takes two values or more. */
  readonly axis: SweptAxis | null;
}

export interface NamedBatch {
  readonly asked: RecordBatch['asked'];
  /** Of a batch that others measured: what it is called there. */
  readonly imported?: { readonly source: string; readonly table?: string | undefined } | undefined;
}

/** An axis is logarithmic where its largest value is so many times its smallest. */
const LOG_FROM = 8;
const UNNAMED_VALUE = 'none';
/** Whose `none` is a way of its own, as its title says it. */
const ALWAYS_NAMED = 'sync';

const LABELS: Readonly<Record<string, string>> = {
  size: 'size (m = n = k)',
  repetitions: 'repetitions of a launch',
  bytes: 'bytes',
  ranks: 'ranks',
  batch: 'products in a batch',
  load: 'loading threads',
};

function samplingTraits({ sampling }: RecordBatch['asked']): [string, Value][] {
  if (sampling === null) return [];
  return sampling.kind === 'fixed' ? [['repetitions', sampling.repetitions]] : [['budget', sampling.seconds]];
}

const LABEL = 'label ';

/** `side a`: of who measures, in their own words. */
const labelTraits = ({ labels = {} }: RecordBatch['asked']): [string, Value][] =>
  Object.entries(labels).map(([key, value]) => [`${LABEL}${key}`, `${key} ${value}`]);

export function warmupText(warmup: RecordBatch['asked']['warmup']): string | null {
  switch (warmup?.kind) {
    case undefined:
      return null;
    case 'auto':
      return 'automatic warm-up';
    case 'count':
      return `warm-up of ${plural(warmup.count, 'call')}`;
    case 'time':
      return `warm-up of ${formatSeconds(warmup.seconds)}`;
  }
}

/** How launches were made, which says little of what was measured: in a name only where nothing else tells two batches apart. */
const HOW: Readonly<Record<string, (asked: RecordBatch['asked']) => string | null>> = {
  warmup: ({ warmup }) => warmupText(warmup),
  precision: ({ precision }) => (precision === undefined ? null : `±${formatShare(precision)}`),
  inspections: ({ inspections }) => `of ${plural(inspections, 'launch', 'launches')}`,
  timeout: ({ timeout }) => (timeout === null ? null : `timeout ${formatSeconds(timeout)}`),
};

const howTraits = (asked: RecordBatch['asked']): [string, Value][] =>
  Object.entries(HOW).map(([key, tell]) => [key, tell(asked)]);

/** What its stack is called, as it was asked for: of libraries of one interface their files, which are all that tells them apart. */
export const askedStack = ({ asked: { stack } }: Pick<NamedBatch, 'asked'>): string =>
  stack.own ?? [stack.provider, stack.variant].filter((part) => part !== null).join(':');

/** What each loading thread reads follows from their being any: no batch is another one by it. */
const FOLLOWS = 'loadBytes';

/** m, n and k become one size where they are equal in every batch. */
function traitsOf({ asked, imported }: NamedBatch, square: boolean): Traits {
  const { indicator, parameters } = asked.case;
  const { m, n, k, ...others } = parameters;
  const shape: [string, Value][] = square
    ? [['size', m ?? null]]
    : Object.entries({ m, n, k }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return new Map<string, Value>([
    ['indicator', indicator],
    ...shape,
    ...Object.entries(others).filter(([key]) => key !== FOLLOWS),
    ...samplingTraits(asked),
    ['stack', askedStack({ asked })],
    ['device', asked.device],
    ['at once', asked.atOnce === true ? 'at once' : null],
    ...labelTraits(asked),
    ...(imported === undefined ? howTraits(asked) : []),
  ]);
}

const isSquare = ({ asked }: NamedBatch): boolean => {
  const { m, n, k } = asked.case.parameters;
  return m !== undefined && m === n && n === k;
};

/** `512`, `2000 reps`, `2 threads`, `16 KiB`, `not pinned`. */
function traitText(key: string, value: Value): string {
  if (value === null || (value === UNNAMED_VALUE && key !== ALWAYS_NAMED)) return '';
  switch (key) {
    case 'repetitions':
      return `${value} reps`;
    case 'budget':
      return `for ${value} s`;
    case 'bytes':
      return briefBytes(Number(value));
    case 'ranks':
      return plural(Number(value), 'rank');
    case 'inPlace':
      return value === true ? 'in place' : 'out of place';
    case 'root':
      return `root ${value}`;
    case 'sync':
      return `sync ${value}`;
    case 'inputs':
      return `${value} inputs`;
    case 'threads':
      return plural(Number(value), 'thread');
    case 'pin':
      return value === true ? 'pinned' : 'not pinned';
    case 'prepack':
      return value === true ? 'prepacked' : 'not prepacked';
    case 'load':
      return loadText(Number(value));
    case 'batch':
      return `batch of ${value}`;
    case 'cache':
      return `${value} cache`;
    case 'm':
    case 'n':
    case 'k':
      return `${key} ${value}`;
    default:
      return typeof value === 'boolean' ? `${value ? '' : 'no '}${key}` : String(value);
  }
}

const textOf = (traits: Traits, keys: readonly string[]): string =>
  keys
    .map((key) => traitText(key, traits.get(key) ?? null))
    .filter((text) => text !== '')
    .join(' ');

/**
 * Keys whose values are not the same in all batches. Labels, and how launches were made, are among them only where they tell batches
 * apart that the rest does not: what `explore` labels has its stack for a name, and the parts of a suite their case.
 */
function varying(all: readonly Traits[]): readonly string[] {
  const keys = [...new Set(all.flatMap((traits) => [...traits.keys()]))];
  const different = keys.filter((key) => new Set(all.map((traits) => traits.get(key) ?? null)).size > 1);
  const told = (of: readonly string[]): number => new Set(all.map((traits) => textOf(traits, of))).size;
  const isLabel = (key: string): boolean => key.startsWith(LABEL);
  const isHow = (key: string): boolean => key in HOW;
  const withMore = (enough: readonly string[], others: readonly string[]): readonly string[] => {
    const more = [...enough, ...others];
    return told(more) > told(enough) ? more : enough;
  };
  const what = different.filter((key) => !isLabel(key) && !isHow(key));
  return withMore(withMore(what, different.filter(isLabel)), different.filter(isHow));
}

/** Tables with a batch that nothing but its file tells from one of elsewhere. */
function collidingTables(
  tables: readonly (string | undefined)[],
  texts: readonly string[],
): ReadonlySet<string | undefined> {
  const ofText = new Map<string, Set<string | undefined>>();
  texts.forEach((text, i) => {
    ofText.set(text, (ofText.get(text) ?? new Set()).add(tables[i]));
  });
  return new Set([...ofText.values()].filter(({ size }) => size > 1).flatMap((alike) => [...alike]));
}

/**
 * With its table each batch of a table that collides with another. Tables of one size each are one sweep over them, whatever files
 * they are in; two with a size in common are two lines, and that in all their sizes: what they have not in common would be one
 * line else, from one's start to the other's end.
 */
function withTables(batches: readonly NamedBatch[], all: readonly Traits[]): readonly Traits[] {
  const tables = batches.map(({ imported }) => imported?.table);
  if (tables.every((table) => table === undefined)) return all;
  const keys = varying(all);
  const colliding = collidingTables(
    tables,
    all.map((traits) => textOf(traits, keys)),
  );
  return all.map((traits, i) => {
    const table = tables[i];
    return table !== undefined && colliding.has(table) ? new Map([...traits, ['table', table]]) : traits;
  });
}

/** The number with the most values is what was swept; of equals the first. */
function axisOf(all: readonly Traits[], keys: readonly string[]): SweptAxis | null {
  const numeric = keys.filter((key) => all.every((traits) => typeof traits.get(key) === 'number'));
  const different = (key: string): number => new Set(all.map((traits) => traits.get(key))).size;
  const [key] = [...numeric].sort((a, b) => different(b) - different(a));
  if (key === undefined) return null;
  const values = all.map((traits) => Number(traits.get(key)));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rest = keys.filter((other) => other !== key);
  return {
    key,
    label: LABELS[key] ?? key,
    unit: key === 'bytes' ? 'bytes' : 'count',
    scale: least > 0 && most / least >= LOG_FROM ? 'log' : 'linear',
    values,
    series: all.map((traits) => textOf(traits, rest)),
  };
}

/** The same text twice would make two things one: later ones get a number. */
export function numbered(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let count = 2; taken.has(own); count++) own = `${name} #${count}`;
    taken.add(own);
    return own;
  });
}

/** Every one of them is called an inspection, which tells none apart. */
const sourceOf = ({ imported }: NamedBatch): string => (imported?.source ?? '').replace(/^inspection-/, '');

/** By what others called them, of tables that call theirs alike with the table; '' where it has no such name. */
function sourcesOf(batches: readonly NamedBatch[]): readonly string[] {
  const sources = batches.map(sourceOf);
  if (new Set(sources).size === sources.length) return sources;
  return batches.map(({ imported }, i) => {
    const source = sources[i] ?? '';
    return imported?.table === undefined ? source : `${source} of ${imported.table}`;
  });
}

/**
 * Of several indicators: each batch by its indicator, and by what it differs in from the others of that one. They have
 * nothing in common that could be an axis.
 */
function nameByIndicator(batches: readonly NamedBatch[]): BatchNames {
  const names = new Map<NamedBatch, string>();
  for (const indicator of new Set(batches.map(({ asked }) => asked.case.indicator))) {
    const own = batches.filter(({ asked }) => asked.case.indicator === indicator);
    nameBatches(own).names.forEach((name, i) => {
      const batch = own[i];
      if (batch !== undefined) names.set(batch, name === null ? indicator : `${indicator} ${name}`);
    });
  }
  return { names: batches.map((batch) => names.get(batch) ?? 'batch'), axis: null };
}

export function nameBatches(batches: readonly NamedBatch[]): BatchNames {
  if (new Set(batches.map(({ asked }) => asked.case.indicator)).size > 1) return nameByIndicator(batches);
  const square = batches.every(isSquare);
  const all = withTables(
    batches,
    batches.map((batch) => traitsOf(batch, square)),
  );
  const keys = varying(all);
  if (batches.length === 1) return { names: [null], axis: null };
  const sources = sourcesOf(batches);
  // What others measured differs in much at once: then it goes by what they called it.
  if (keys.length > 1 && sources.every((source) => source !== '')) {
    const axis = axisOf(all, keys);
    const swept = new Set(axis?.series).size < batches.length;
    return { names: numbered(sources), axis: swept ? axis : null };
  }
  const byTraits = all.map((traits) => textOf(traits, keys));
  const twice = new Set(byTraits).size < byTraits.length;
  const names = batches.map((batch, i) => {
    const text = byTraits[i] ?? '';
    return (twice ? [text, sourceOf(batch)] : [text]).filter((part) => part !== '').join(' ') || 'batch';
  });
  return { names: numbered(names), axis: axisOf(all, keys) };
}
