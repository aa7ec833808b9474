/**
 * A campaign as a trace: one track for the campaign (waiting, launches, what is between them), one for its launches with
 * their phases and repetitions (of each device, where launches went on at once), one for throttling. Pure but for `readInspection`, which is passed in and called for one
 * inspection at a time; the events are generated, so that memory does not grow with the campaign.
 *
 * Moments are those of the wall clock: of the journal's lines, and of the documents, which know when their own process
 * began; durations inside a launch are those of the monotonic clock, to the nanosecond.
 */
import { messageOf, UserError } from '../../errors.js';
import type { ReadInspection } from '../../record/analyse-inspection.js';
import { sha256 } from '../../record/digest.js';
import type { PiBenchRecord, RecordBatch, RecordInspection } from '../../record/schema.js';
import type { JournalEntry } from '../../store/journal.js';
import { type Attempt, type CampaignRun, launchedAt, type Moment, runsOf } from './attempts.js';
import type { Nanoseconds, Slice, TraceEvent } from './events.js';
import { type LaunchOnTrace, type LaunchTracks, launchEvents } from './launch.js';

export interface TraceInput {
  readonly record: PiBenchRecord;
  readonly journal: readonly JournalEntry[];
  /** The document and the samples of one inspection; null where there are none. May throw UserError: damaged. */
  readonly readInspection: (index: number) => ReadInspection | null;
  /** Slices for repetitions in the whole trace, about; more are put together. Default: what a browser opens quickly. */
  readonly mostSlices?: number;
}

export interface TraceSummary {
  readonly launches: number;
  readonly repetitions: number;
  /** Of the repetitions, those that have a slice of their own. */
  readonly oneByOne: number;
}

const MOST_SLICES = 250_000;
/** Of one launch, however many there are. */
const LEAST_SLICES = 16;

const CAMPAIGN = 1;
/** Of the launches that follow each other, the `lane`-th such row; what is at once is in several. */
const tracksOf = (lane: number): LaunchTracks => ({ launches: 2 + 2 * lane, throttled: 3 + 2 * lane });

interface Known {
  readonly batch: RecordBatch;
  readonly entry: RecordInspection;
}

/** One attempt with its place on the time axis. */
interface Placed extends LaunchOnTrace {
  readonly end: Nanoseconds;
}

/** @param entry what the record has of it */
function readOrWhy(
  read: TraceInput['readInspection'],
  { index, attempt }: Attempt,
  entry: RecordInspection | null,
): Pick<LaunchOnTrace, 'read' | 'unreadable'> {
  try {
    const found = read(index);
    if (found !== null && entry?.sha256 != null && sha256(found.text) !== entry.sha256)
      return { read: null, unreadable: `${found.file} was altered after the record was written` };
    return { read: found?.document.attempt === attempt ? found : null, unreadable: null };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { read: null, unreadable: messageOf(error) };
  }
}

const campaignSlice = (name: string, begin: Nanoseconds, end: Nanoseconds, args?: Slice['args']): Slice[] =>
  end > begin
    ? [
        {
          kind: 'slice',
          track: CAMPAIGN,
          name,
          category: 'campaign',
          begin,
          duration: end - begin,
          ...(args === undefined ? {} : { args }),
        },
      ]
    : [];

/** Launches in the order of their begins, those together that overlap. */
function atOnce(launches: readonly Placed[]): readonly (readonly Placed[])[] {
  const groups: Placed[][] = [];
  let until: Nanoseconds = 0;
  for (const launch of launches.toSorted((a, b) => a.begin - b.begin)) {
    const group = groups.at(-1);
    if (group !== undefined && launch.begin < until) group.push(launch);
    else groups.push([launch]);
    until = Math.max(until, launch.end);
  }
  return groups;
}

/** The campaign's own track for one process that worked on it. */
function runSlices(
  { event, active, notes, attempts }: CampaignRun,
  begin: Nanoseconds,
  end: Nanoseconds,
  launches: readonly Placed[],
  place: (at: Moment) => Nanoseconds,
): TraceEvent[] {
  const inside: TraceEvent[] = [];
  let at = begin;
  atOnce(launches).forEach((group, i) => {
    const from = Math.min(...group.map((launch) => launch.begin));
    const to = Math.max(...group.map((launch) => launch.end));
    const numbers = group.map(({ index }) => index + 1).join(', ');
    inside.push(
      ...(i === 0
        ? campaignSlice('before the first launch', at, from, {
            note: 'setting up and, where another campaign measured, waiting for it: the journal does not separate them',
          })
        : campaignSlice('between launches', at, from)),
      ...campaignSlice(group.length === 1 ? `launch ${numbers}` : `launches ${numbers} at once`, from, to),
    );
    at = to;
  });
  inside.push(...campaignSlice(launches.length === 0 ? 'nothing was launched' : 'record', at, end));
  const open = attempts
    .filter((attempt) => attempt.end === null)
    .map(({ index, startedAt }) => ({
      at: startedAt,
      text: `launch ${index + 1} began; its end is not known`,
    }));
  const instants = [...notes, ...open].map(
    (note): TraceEvent => ({
      kind: 'instant',
      track: CAMPAIGN,
      name: note.text,
      category: 'campaign',
      begin: Math.min(end, Math.max(begin, place(note.at))),
    }),
  );
  const workedSeconds = active ?? 'not known: it was killed';
  return [
    ...campaignSlice(event === 'campaign' ? 'campaign' : 'campaign, resumed', begin, end, { workedSeconds }),
    ...[...inside, ...instants].sort((a, b) => startOf(a) - startOf(b)),
  ];
}

const startOf = (event: TraceEvent): number => (event.kind === 'name' ? 0 : event.begin);

/** The last document that tells of each inspection, by index. */
function knownLaunches({ batches }: PiBenchRecord): ReadonlyMap<number, Known> {
  return new Map(
    batches.flatMap((batch) => batch.inspections.map((entry) => [entry.index, { batch, entry }] as const)),
  );
}

/** Attempts with an end, in their order; of an inspection that was repeated the record tells of the last only. */
function endedAttempts(runs: readonly CampaignRun[]): readonly { attempt: Attempt; last: boolean }[] {
  const ended = runs.flatMap(({ attempts }) => attempts).filter(({ end }) => end !== null);
  const last = new Map(ended.map((attempt) => [attempt.index, attempt]));
  return ended.map((attempt) => ({ attempt, last: last.get(attempt.index) === attempt }));
}

/** A row of spoiled launches must not pass for one of the machine. */
const faultText = ({ campaign: { fault } }: PiBenchRecord): string =>
  fault === null ? '' : `: a fault was injected (${fault.kind}), so this is no measurement of the machine`;

/** The devices whose launches have a row each: one row for all, where nothing was measured at once. */
function devicesOf({ batches }: PiBenchRecord): readonly string[] {
  return batches.some(({ atOnce: beside }) => beside !== undefined)
    ? [...new Set(batches.map(({ device }) => device))]
    : [];
}

/**
 * The launches' own track comes first, because where each launch lies is known when its document was read; then the
 * campaign's. Within a track events are in the order of time, the outer before the inner.
 * @throws UserError for a journal without a campaign
 */
export function* traceOf(input: TraceInput): Generator<TraceEvent, TraceSummary> {
  const { record, journal, readInspection, mostSlices = MOST_SLICES } = input;
  const runs = runsOf(journal);
  const [firstRun] = runs;
  if (firstRun === undefined)
    throw new UserError('the journal tells of no campaign: there is nothing to trace');
  const origin = firstRun.begin;
  const place = (at: Moment): Nanoseconds => Math.round((at - origin) * 1e6);

  yield { kind: 'name', track: null, name: `pi-bench ${record.campaign.id}${faultText(record)}` };
  yield { kind: 'name', track: CAMPAIGN, name: 'campaign' };
  const devices = devicesOf(record);
  const rows = devices.length === 0 ? ['launches'] : devices.map((device) => `launches on ${device}`);
  for (const [lane, name] of rows.entries()) yield { kind: 'name', track: tracksOf(lane).launches, name };
  const known = knownLaunches(record);
  const attempts = endedAttempts(runs);
  const room = Math.max(LEAST_SLICES, Math.floor(mostSlices / Math.max(1, attempts.length)));

  const placed = new Map<Attempt, Placed>();
  const throttled = rows.map((): Slice[] => []);
  let [repetitions, oneByOne] = [0, 0];
  /** When the last launch of each row ended. */
  const before = rows.map((): Nanoseconds => 0);
  for (const { attempt, last } of attempts) {
    const here = known.get(attempt.index);
    const entry = last ? (here?.entry ?? null) : null;
    const found = last ? readOrWhy(readInspection, attempt, entry) : { read: null, unreadable: null };
    const wished = place(launchedAt(attempt, found.read));
    const lane = Math.max(0, devices.indexOf(here?.batch.device ?? ''));
    const begin = Math.max(before[lane] ?? 0, wished);
    const { status = '', reason = null, wall = 0 } = attempt.end ?? {};
    const { index } = attempt;
    const where = { index, attempt: attempt.attempt, status, reason, begin, wall, moved: begin - wished };
    const launch = { ...where, batch: here?.batch ?? null, entry, ...found, mostSlices: room };
    const drawn = yield* launchEvents(launch, tracksOf(lane));
    placed.set(attempt, { ...launch, read: null, end: drawn.end });
    throttled[lane]?.push(...drawn.throttled);
    repetitions += drawn.repetitions;
    oneByOne += drawn.oneByOne;
    before[lane] = drawn.end;
  }

  let at: Nanoseconds = 0;
  for (const run of runs) {
    const own = run.attempts.flatMap((attempt) => placed.get(attempt) ?? []);
    const begin = Math.max(at, place(run.begin));
    at = Math.max(begin, place(run.end), ...own.map(({ end }) => end));
    yield* runSlices(run, begin, at, own, place);
  }
  for (const [lane, slices] of throttled.entries()) {
    if (slices.length === 0) continue;
    yield {
      kind: 'name',
      track: tracksOf(lane).throttled,
      name: 'throttled (counted; when in the span is not known)',
    };
    yield* slices;
  }
  return { launches: attempts.length, repetitions, oneByOne };
}
