/** The batches of many campaigns as series over time: what is one case, and which of its campaigns count. Pure. */

import { UserError } from '../../errors.js';
import { thereIs } from '../../nearest.js';
import { comparableParameters } from '../../record/comparable-parameters.js';
import { canonicalJson } from '../../record/digest.js';
import type { Labels } from '../../record/schema.js';
import { countedWork } from '../../record/work.js';
import { median } from '../../statistics/quantile.js';
import { mediansOf, toldLaunches } from '../comparison/launches.js';
import { type Entry, entriesOf, type NamedRecord } from '../comparison/sides.js';
import type { Speed } from './document.js';

/** A case in one campaign. */
export interface Point {
  readonly entry: Entry;
  /** Seconds of a repetition in each launch. */
  readonly medians: readonly number[];
  /** Of these; null: there is none. */
  readonly elapsed: number | null;
  /** Why it has no part in the levels; null: it has. */
  readonly leftOut: string | null;
}

export interface Series {
  /** Oldest first. */
  readonly points: readonly [Point, ...Point[]];
}

/**
 * What is measured, on what, by which software's name and how: all that a series has in common. Versions, files, kernels and limits are
 * not in it, for it is their changes that a history is asked about.
 */
function traitsOf({ batch, labels }: Entry): Labels {
  const { provider, variant, own } = batch.stack;
  const { sampling, warmup } = batch.asked;
  return {
    indicator: batch.case.indicator,
    ...comparableParameters(batch.case),
    device: batch.device,
    at_once: batch.asked.atOnce === true,
    stack: own?.name ?? provider,
    stack_variant: own === undefined ? variant : null,
    repetitions: sampling === null ? null : canonicalJson(sampling),
    warmup: warmup === null ? null : canonicalJson(warmup),
    ...batch.asked.labels,
    // Its name where nothing else tells it from others.
    machine: labels.machine ?? labels.hostname ?? null,
  };
}

/** @throws UserError for a name that tells no two series apart: a typing error would leave them so */
function requireTraits(across: readonly string[], all: readonly Labels[]): void {
  const known = new Set(all.flatMap((traits) => Object.keys(traits)));
  const unknown = across.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new UserError(`--across ${unknown}: series do not differ by it; ${thereIs(unknown, [...known])}`);
}

function whyLeftOut({ batch }: Entry, medians: readonly number[]): string | null {
  if (batch.verified === 'failed') return 'its output was wrong';
  if (medians.length === 0)
    return toldLaunches(batch) > 0 ? 'its launches were not published' : 'no launch was measured';
  if (batch.verified === 'not-run') return 'its outputs were never verified';
  return null;
}

function pointOf(entry: Entry): Point {
  const medians = mediansOf(entry.batch).filter((value) => value > 0);
  return {
    entry,
    medians,
    elapsed: medians.length === 0 ? null : median(medians),
    leftOut: whyLeftOut(entry, medians),
  };
}

/** null: no launch of it was measured. */
export function speedOf({ entry: { batch }, elapsed }: Point): Speed | null {
  if (elapsed === null) return null;
  const work = countedWork(batch) ?? 0;
  return { rate: work > 0 ? work / elapsed : null, rateUnit: batch.rateUnit, elapsedSeconds: elapsed };
}

/** When a campaign began, in milliseconds since 1970. */
export const momentOf = ({ record: { campaign } }: NamedRecord): number => Date.parse(campaign.createdAt);

/** By their beginning; of one moment by their id, so that the order is the same each time. */
export const byMoment = (a: NamedRecord, b: NamedRecord): number =>
  momentOf(a) - momentOf(b) || (a.record.campaign.id < b.record.campaign.id ? -1 : 1);

/** A batch by what its series have in common, and which of that kind it is in its campaign. */
interface Placed {
  readonly key: string;
  readonly time: number;
  readonly point: Point;
}

/** What of a campaign `across` would make one case although it is several: which of them is meant nobody can tell. */
function joinedIn(entries: readonly Entry[], keyOf: (entry: Entry) => string): ReadonlySet<string> {
  const kinds = new Map<string, Set<string>>();
  for (const entry of entries) {
    const key = keyOf(entry);
    kinds.set(key, (kinds.get(key) ?? new Set()).add(canonicalJson(traitsOf(entry))));
  }
  return new Set([...kinds].filter(([, { size }]) => size > 1).map(([key]) => key));
}

/** @throws UserError where it is the campaign that is judged */
function placedIn(record: NamedRecord, across: readonly string[], isJudged: boolean): readonly Placed[] {
  const keyOf = (entry: Entry): string =>
    canonicalJson(
      Object.fromEntries(Object.entries(traitsOf(entry)).filter(([name]) => !across.includes(name))),
    );
  const entries = entriesOf([record]);
  const joined = joinedIn(entries, keyOf);
  const times = new Map<string, number>();
  return entries.map((entry) => {
    const key = keyOf(entry);
    const time = times.get(key) ?? 0;
    times.set(key, time + 1);
    const point = pointOf(entry);
    if (!joined.has(key)) return { key, time, point };
    const several = `${entry.batch.title} more than once across ${across.join(', ')}`;
    if (isJudged)
      throw new UserError(`${record.name} has ${several}: leave out of --across what tells them apart`);
    return { key, time, point: { ...point, leftOut: point.leftOut ?? `it has ${several}` } };
  });
}

/**
 * A campaign may have a case more than once, as in several groups of what is measured at once: the n-th of each campaign are then one
 * series.
 * @param records oldest first; the last one is judged
 * @param across traits that may differ within a series
 * @throws UserError for a trait that there is not, or where it makes one case of several of what is judged
 */
export function seriesOf(records: readonly NamedRecord[], across: readonly string[]): readonly Series[] {
  requireTraits(across, entriesOf(records).map(traitsOf));
  const found = new Map<string, Point[]>();
  for (const record of records) {
    for (const { key, time, point } of placedIn(record, across, record === records.at(-1))) {
      const own = `${time} ${key}`;
      found.set(own, [...(found.get(own) ?? []), point]);
    }
  }
  return [...found.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ points: [first, ...rest] as const }],
  );
}
