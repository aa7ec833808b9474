/**
 * Measured pairs: lines `{"pair": ["a", "b"], "rate": 1.2e10}`, or records whose campaign has the label `pair=a b`. Of a pair that was
 * measured several times the newest counts: it was measured again because something was wrong, or mended.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';
import { keyedBatch, machineOf } from '../qualify/baseline-key.js';
import { lostLaunches, missingLaunches } from '../readers/comparison/lost-launches.js';
import type { RecordBatch } from '../record/schema.js';
import { doesNoWork } from '../record/work.js';
import { isFolder } from '../store/make-folder.js';
import { mayBeThere } from '../store/may-be-there.js';
import { movedOutOfSight, movedTo } from '../store/moved.js';
import { readRecord } from '../store/read-record.js';
import { RECORD } from '../store/store.js';
import { keyText } from './case-key.js';
import { type MeasuredPair, type Pair, pairKey } from './pairs.js';
import { linesOf } from './read-lines.js';

const schema = z.strictObject({
  pair: z.tuple([z.string().min(1), z.string().min(1)]),
  rate: z.number().positive().nullable(),
  unit: z.string().optional(),
});

/** What a line measured: nobody says. */
const UNNAMED = '';

export interface ReadPairs {
  readonly measured: readonly MeasuredPair[];
  /** Empty: nobody says. */
  readonly unit: string;
  /** Pairs of which there was more than one measurement. */
  readonly repeated: readonly Pair[];
  /** Pairs that were not measured to their end, so that their rates are of what came before it. */
  readonly cut: readonly CutPair[];
  /** Why there is no record in a folder: whoever was killed leaves one without. */
  readonly unread: readonly string[];
}

export interface CutPair {
  readonly pair: Pair;
  readonly why: string;
}

interface OnePair extends MeasuredPair {
  readonly unit: string;
  /** Milliseconds since 1970 at which its campaign began; null: a line does not say. */
  readonly at: number | null;
  /** Why it is not whole; null: it is. */
  readonly cut: string | null;
}

function pairOfLine(text: string, where: string): OnePair {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${where} is not JSON: ${messageOf(error)}`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) {
    const { pair, rate, unit = '' } = parsed.data;
    return { pair, rates: rate === null ? null : { [UNNAMED]: rate }, unit, at: null, cut: null };
  }
  throw new UserError(
    `${where} is no measured pair such as {"pair": ["a", "b"], "rate": 1.2e10}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
  );
}

/** A link over which launches hang or crash is none that passes, whatever the others reached. */
const rateOf = (batch: RecordBatch): number | null =>
  lostLaunches(batch) === null ? (batch.rate?.median ?? null) : null;

/** @throws UserError for a record that says of no pair how fast its link is */
function pairOfRecord({ record, path: file }: ReturnType<typeof readRecord>): OnePair {
  if (record.campaign.fault !== null)
    throw new UserError(
      `${file}: a fault was injected (${record.campaign.fault.kind}), so it is no measurement of a link`,
    );
  const label = record.campaign.labels?.pair ?? record.batches[0]?.asked.labels?.pair;
  // As `fleet pairs` prints them; commas, too, which --labels takes for its own.
  const [a, b, ...more] = (label ?? '').split(/[\s,]+/).filter(Boolean);
  if (a === undefined || b === undefined || more.length > 0) {
    throw new UserError(
      `${file} does not say which pair it measured: measure it with --labels "pair=NODE NODE" (or labels: {pair: "NODE NODE"} in a campaign file)`,
    );
  }
  const idle = record.batches.find(doesNoWork);
  if (idle !== undefined)
    throw new UserError(
      `${file}: ${idle.title} moves nothing, so it has no rate of a link: measure all-reduce there`,
    );
  const machine = machineOf(record);
  const rates: Record<string, number | null> = {};
  for (const batch of record.batches) {
    const what = keyText(keyedBatch(machine, batch, 'rate'));
    const rate = rateOf(batch);
    const before = rates[what];
    // Measured twice, it is as slow as the slower.
    rates[what] =
      before === undefined ? rate : before === null || rate === null ? null : Math.min(before, rate);
  }
  const [cut = null] = record.batches.flatMap((batch) => missingLaunches(batch) ?? []);
  const at = Date.parse(record.campaign.createdAt);
  return { pair: [a, b], rates, unit: record.batches[0]?.rateUnit ?? '', at, cut };
}

/** A record that is there, or elsewhere, and cannot be read says nothing of its link, and least of all that it failed. */
const leftNone = (folder: string): boolean =>
  isFolder(folder) &&
  !mayBeThere(join(folder, RECORD)) &&
  movedTo(folder) === null &&
  movedOutOfSight(folder) === null;

/**
 * A campaign that left no record must not keep the other pairs from being judged.
 * @throws UserError for a record that cannot be read
 */
function pairAt(path: string, unread: string[]): readonly OnePair[] {
  let read: ReturnType<typeof readRecord>;
  try {
    read = readRecord(path);
  } catch (error) {
    if (!(error instanceof UserError) || !leftNone(path)) throw error;
    unread.push(error.message);
    return [];
  }
  return [pairOfRecord(read)];
}

/** By their times where both have one, or else what was given later. */
const isNewer = (one: OnePair, before: OnePair): boolean =>
  one.at === null || before.at === null || one.at >= before.at;

/** Each pair once, whichever of its nodes was named first. */
function newestOf(read: readonly OnePair[]): {
  readonly pairs: readonly OnePair[];
  readonly repeated: readonly Pair[];
} {
  const pairs = new Map<string, OnePair>();
  const repeated = new Map<string, Pair>();
  for (const one of read) {
    const key = pairKey(one.pair);
    const before = pairs.get(key);
    if (before !== undefined) repeated.set(key, before.pair);
    if (before === undefined || isNewer(one, before)) pairs.set(key, one);
  }
  return { pairs: [...pairs.values()], repeated: [...repeated.values()] };
}

/**
 * @param paths records of pairs, or files with a pair on each line
 * @throws UserError for what is not there or is no pair, and for pairs that cannot be compared
 */
export function readPairs(paths: readonly string[]): ReadPairs {
  const unread: string[] = [];
  const read = paths.flatMap((path) =>
    /\.(jsonl|ndjson)$/.test(path)
      ? [...linesOf(path)].map(({ number, text }) => pairOfLine(text, `${path}:${number}`))
      : pairAt(path, unread),
  );
  if (read.length + unread.length === 0) throw new UserError('there is no measured pair in what was given');
  const units = [...new Set(read.flatMap(({ unit }) => unit || []))];
  const alone = read.find(({ pair: [a, b] }) => a === b);
  if (alone !== undefined) throw new UserError(`${alone.pair[0]} is paired with itself: a link has two ends`);
  if (units.length > 1)
    throw new UserError(`pairs in different units cannot be compared: ${units.join(', ')}`);
  const { pairs, repeated } = newestOf(read);
  return {
    measured: pairs.map(({ pair, rates }) => ({ pair, rates })),
    unit: units[0] ?? '',
    repeated,
    cut: pairs.flatMap(({ pair, cut }) => (cut === null ? [] : [{ pair, why: cut }])),
    unread,
  };
}
