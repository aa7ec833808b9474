/** The batches of many campaigns as series over time: what is one case, and which of its campaigns count. Pure. */

import { UserError } from '../../errors.js';
import { thereIs } from '../../nearest.js';
import { canonicalJson } from '../../record/digest.js';
import type { Labels } from '../../record/schema.js';
import { median } from '../../statistics/quantile.js';
import { mediansOf, toldLaunches } from '../comparison/launches.js';
import { type Entry, entriesOf, type NamedRecord } from '../comparison/sides.js';

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
  const { sampling } = batch.asked;
  return {
    indicator: batch.case.indicator,
    ...batch.case.parameters,
    device: batch.device,
    at_once: batch.asked.atOnce === true,
    stack: own?.name ?? provider,
    stack_variant: own === undefined ? variant : null,
    repetitions: sampling === null ? null : canonicalJson(sampling),
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

const momentOf = ({ record: { campaign } }: NamedRecord): number => Date.parse(campaign.createdAt);

/** By their beginning; of one moment by their id, so that the order is the same each time. */
export const byMoment = (a: NamedRecord, b: NamedRecord): number =>
  momentOf(a) - momentOf(b) || (a.record.campaign.id < b.record.campaign.id ? -1 : 1);

/**
 * A campaign may have a case more than once: the n-th of each campaign are then one series.
 * @param records oldest first
 * @param across traits that may differ within a series
 * @throws UserError for a trait that there is not
 */
export function seriesOf(records: readonly NamedRecord[], across: readonly string[]): readonly Series[] {
  const found = new Map<string, Point[]>();
  const entries = entriesOf(records);
  const traits = entries.map(traitsOf);
  requireTraits(across, traits);
  const times = new Map<string, number>();
  entries.forEach((entry, i) => {
    const kept = Object.entries(traits[i] ?? {}).filter(([name]) => !across.includes(name));
    const own = canonicalJson(Object.fromEntries(kept));
    const inRecord = `${entry.of.record.campaign.id} ${own}`;
    const time = times.get(inRecord) ?? 0;
    times.set(inRecord, time + 1);
    const key = `${time} ${own}`;
    found.set(key, [...(found.get(key) ?? []), pointOf(entry)]);
  });
  return [...found.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ points: [first, ...rest] as const }],
  );
}
