/**
 * What each worker of a run reached, merged into one: `performance.json` as Cerebras' Model Zoo 1.8.0 writes it, keys in
 * order and four spaces deep. A worker is a rank, a sample one of its calls. Samples and rates add, times take the
 * slowest, so that the order of ranks never changes the result (theirs takes the first time that is not nought).
 */
import { EXIT, UserError } from '../../errors.js';
import { plural } from '../../quantities/format.js';
import { refuseFault } from '../../readers/refuse-fault.js';
import { isCutShort } from '../../record/result.js';
import type { RecordBatch, RecordInspection } from '../../record/schema.js';
import { readLaunch } from '../read-samples.js';
import type { Format, Request } from './format.js';

interface Ordinal {
  readonly samples_per_sec: number;
  readonly total_samples: number;
  readonly total_time: number;
}

export interface Performance extends Ordinal {
  readonly compile_time: number;
  readonly est_samples_per_sec: number;
  readonly ordinals?: readonly Ordinal[];
  readonly programming_time: number;
}

interface Worker {
  readonly calls: number;
  readonly seconds: number;
}

const FILE = 'performance.json';
const CASES = 'cases.json';

/** Their layout has no null. */
const NOT_KNOWN = 0;

/**
 * Spans of what a launch does before its repetitions (native/inspection.cc, src/frameworks/inspect.ts): getting the machine ready for the
 * work, beside starting, and waiting for launches that are measured at the same time.
 */
export const PROGRAMMING: readonly string[] = [
  'load',
  'allocate',
  'device init',
  'open',
  'fill',
  'warm-up',
  'calibrate',
  'settle',
];

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** @param ranks calls and seconds of each worker */
export function mergePerformance(
  ranks: readonly Worker[],
  beside: Pick<Performance, 'compile_time' | 'est_samples_per_sec' | 'programming_time'>,
): Performance {
  const ordinals = ranks.map(({ calls, seconds }) => ({
    samples_per_sec: seconds > 0 ? calls / seconds : 0,
    total_samples: calls,
    total_time: seconds,
  }));
  return {
    compile_time: beside.compile_time,
    est_samples_per_sec: beside.est_samples_per_sec,
    ...(ordinals.length > 1 ? { ordinals } : {}),
    programming_time: beside.programming_time,
    samples_per_sec: sum(ordinals.map((one) => one.samples_per_sec)),
    total_samples: sum(ordinals.map((one) => one.total_samples)),
    total_time: Math.max(0, ...ordinals.map((one) => one.total_time)),
  };
}

interface Counted {
  readonly workers: readonly Worker[];
  /** Those that are in it. */
  readonly launches: readonly RecordInspection[];
  /** Those that are not, with the reason of each: their samples are gone, or are not those that were written. */
  readonly lost: readonly string[];
}

/** How often a launch called what it measured only its samples tell: where a call is too short for the clock, each is of many. */
function countedBySamples(measured: readonly RecordInspection[], folder: string): Counted {
  const [launches, lost]: [RecordInspection[], string[]] = [[], []];
  let [calls, seconds] = [0, 0];
  for (const launch of measured) {
    const found = readLaunch(folder, launch);
    if ('why' in found) {
      lost.push(`launch ${launch.index + 1} ${found.why}`);
      continue;
    }
    const { samples } = found;
    launches.push(launch);
    calls += samples.seconds.length * samples.callsPerSample;
    seconds += sum([...samples.seconds]) * samples.callsPerSample;
  }
  return { workers: launches.length === 0 ? [] : [{ calls, seconds }], launches, lost };
}

/** Ranks are counted in the record itself. */
const countedOf = ({ ranks }: RecordBatch, measured: readonly RecordInspection[], folder: string): Counted =>
  ranks === undefined
    ? countedBySamples(measured, folder)
    : {
        workers: ranks.ranks.map(({ total }) => ({
          calls: ranks.calls ?? ranks.repetitions,
          seconds: total,
        })),
        launches: measured,
        lost: [],
      };

/** Calls a second of all workers that the ceiling allows; null where none is known. */
function mostCallsOf({ ranks, roofline, work }: RecordBatch): number | null {
  if (ranks !== undefined) {
    const { ceiling } = ranks;
    return ceiling === null ? null : (ceiling.rate / ceiling.bytes) * ranks.ranks.length;
  }
  return roofline?.attainable == null || work === null ? null : roofline.attainable / work.flop;
}

function whyNone({ verified, imported, inspections }: RecordBatch): string {
  if (imported !== undefined) return 'nobody published how many calls its launches made';
  if (verified === 'failed') return 'an output was wrong';
  // Its times are whole, and its reason says why they are not those of its case.
  const refused = inspections.find((launch) => launch.statistics !== null && !isCutShort(launch));
  if (refused === undefined) return 'no launch ran to its end';
  return `no launch counts${refused.reason === null ? '' : `: ${refused.reason}`}`;
}

interface Reached extends Pick<Counted, 'lost'> {
  readonly performance: Performance;
}

/** What failed, was cut short or computed wrong results does not count. @returns a sentence where nothing does */
function reachedBy(batch: RecordBatch, folder: string): Reached | string {
  const { inspections, elapsed } = batch;
  const measured = inspections.filter(({ status }) => status === 'measured');
  if (elapsed === null || measured.length === 0) return whyNone(batch);
  const { workers, launches, lost } = countedOf(batch, measured, folder);
  if (workers.length === 0) return `${lost[0]}, so nobody knows how many calls it made`;
  const ready = launches.map(({ spans }) =>
    sum(spans.filter(({ name }) => PROGRAMMING.includes(name)).map(({ seconds }) => seconds)),
  );
  const performance = mergePerformance(workers, {
    // Nothing is compiled for a case.
    compile_time: 0,
    est_samples_per_sec: mostCallsOf(batch) ?? NOT_KNOWN,
    programming_time: Math.max(0, ...ready),
  });
  return { performance, lost };
}

const textOf = (content: Performance | readonly Written[]): string => `${JSON.stringify(content, null, 4)}\n`;

/** Of which case a file is: its own layout has no place for that. */
interface Written {
  readonly file: string;
  /** Its place in the record’s `batches`. */
  readonly batch: number;
  readonly case: string;
  readonly stack: string;
}

/** A file of fewer launches than were measured says so, as it has no place for that itself. */
function tellLost(name: string, { lost }: Reached, warn: Request['warn']): void {
  if (lost.length > 0) warn(`${name} is without ${plural(lost.length, 'launch', 'launches')}: ${lost[0]}`);
}

function only({ read: { record, folder }, warn }: Request): Performance {
  refuseFault(record, FILE);
  const [batch, ...others] = record.batches;
  if (others.length > 0)
    throw new UserError(
      `performance.json is of one case, and this record has ${record.batches.length}: give --out a folder, and each gets its own`,
    );
  if (batch === undefined) throw new UserError('nothing was measured, so there is no performance to write');
  const reached = reachedBy(batch, folder);
  if (typeof reached === 'string')
    throw new UserError(`${reached}, so there is no performance to write`, EXIT.incomplete);
  tellLost(FILE, reached, warn);
  return reached.performance;
}

export const performanceJson: Format = {
  name: 'performance-json',
  kind: 'text',
  place: '',
  async *text(request) {
    yield textOf(only(request));
  },
  async *files({ read: { record, report, folder }, warn }) {
    refuseFault(record, FILE);
    const written: Written[] = [];
    for (const [i, batch] of record.batches.entries()) {
      const reached = reachedBy(batch, folder);
      const name = record.batches.length === 1 ? FILE : `performance.${i + 1}.json`;
      const stack = report.batches[i]?.stack ?? batch.stack.provider;
      if (typeof reached === 'string') {
        warn(`${name} is not written: ${batch.title} (${stack}): ${reached}`);
        continue;
      }
      tellLost(name, reached, warn);
      written.push({ file: name, batch: i, case: batch.title, stack });
      yield { name, text: textOf(reached.performance) };
    }
    if (record.batches.length > 1) yield { name: CASES, text: textOf(written) };
  },
};
