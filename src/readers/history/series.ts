/** The batches of many campaigns as series over time: what is one case, and which of its campaigns count. Pure. */

import { UserError } from '../../errors.js';
import { thereIs } from '../../nearest.js';
import { plural } from '../../quantities/format.js';
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

function placedIn(record: NamedRecord, across: readonly string[]): readonly Placed[] {
  const times = new Map<string, number>();
  return entriesOf([record]).map((entry) => {
    const kept = Object.entries(traitsOf(entry)).filter(([name]) => !across.includes(name));
    const key = canonicalJson(Object.fromEntries(kept));
    const time = times.get(key) ?? 0;
    times.set(key, time + 1);
    return { key, time, point: pointOf(entry) };
  });
}

/** @throws UserError where what may differ makes one case of several: which of them is meant nobody can tell */
function refuseSeveral(placed: readonly Placed[], { name }: NamedRecord, across: readonly string[]): void {
  const several = placed.find(({ time }) => time > 0);
  if (across.length > 0 && several !== undefined)
    throw new UserError(
      `${name} has ${several.point.entry.batch.title} more than once across ${across.join(', ')}: leave out of --across what tells them apart`,
    );
}

/**
 * A campaign may have a case more than once: the n-th of each campaign are then one series, of those that have it as often as the last
 * one has.
 * @param records oldest first
 * @param across traits that may differ within a series
 * @throws UserError for a trait that there is not, or where it makes one case of several
 */
export function seriesOf(records: readonly NamedRecord[], across: readonly string[]): readonly Series[] {
  requireTraits(across, entriesOf(records).map(traitsOf));
  const found = new Map<string, { readonly point: Point; readonly often: number }[]>();
  for (const record of records) {
    const placed = placedIn(record, across);
    refuseSeveral(placed, record, across);
    const often = new Map<string, number>();
    for (const { key, time } of placed) often.set(key, time + 1);
    for (const { key, time, point } of placed) {
      const own = `${time} ${key}`;
      found.set(own, [...(found.get(own) ?? []), { point, often: often.get(key) ?? 1 }]);
    }
  }
  return [...found.values()].flatMap((all) => {
    const last = all.at(-1)?.often ?? 1;
    const [first, ...rest] = all.map(({ point, often }) =>
      often === last
        ? point
        : {
            ...point,
            leftOut: point.leftOut ?? `it has the case ${plural(often, 'time')}, the newest ${last}`,
          },
    );
    return first === undefined ? [] : [{ points: [first, ...rest] as const }];
  });
}
