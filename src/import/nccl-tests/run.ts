/**
 * What a program of nccl-tests prints, run by run: a line for each rank, then a row for each size with the
 * same figures out of place and in place, then how many values were out of bounds and the average. Columns
 * are found by their header, from the right, as a row has no operator or root where its operation has none.
 * Pure.
 */
import type { Bytes, Seconds } from '../../units.js';

export interface Figures {
  readonly place: 'out-of-place' | 'in-place';
  readonly seconds: Seconds;
  /** As printed, in GB/s of 1e9 bytes: two digits behind the point, or fewer. */
  readonly busRate: string;
  /** Wrong elements; null: they were not looked for. */
  readonly wrong: number | null;
}

export interface Row {
  readonly size: Bytes;
  /** Type, and operator and root where there is one. */
  readonly of: readonly string[];
  readonly figures: readonly Figures[];
}

/** By what error a program ended, and on which host. */
export interface Failure {
  readonly host: string;
  readonly why: string;
}

export interface Run {
  /** As its first line says it; null: it has none. */
  readonly program: string | null;
  readonly ranks: readonly { readonly host: string; readonly gpu: string }[];
  readonly rows: readonly Row[];
  /** Of its results all together; null: the run did not come to its end. */
  readonly outOfBounds: number | null;
  /** Its results were looked at, and its end, which alone says whether they are right, is missing. */
  readonly untold: boolean;
  /** Of the average, against what the user asked for. */
  readonly average: 'OK' | 'FAILED' | null;
  readonly failure: Failure | null;
  /** Times of the CPU, which are none of the collective. */
  readonly ofCpu: boolean;
  /** What is not as it has to be; null: nothing. */
  readonly broken: string | null;
}

const STARTING = /^# Collective test starting: (\S+)/m;
const VERSION = /^# nccl-tests version (\S+)/m;
const PARAMETERS = /^# nThread\b/;
const RANK = /^#\s+Rank\s+\d+\b.*\bPid\s+\d+ on\s+(\S+) device\s+\d+ \[[^\]]*\]\s*(.*?)\s*$/gm;
const HEADER = /^#\s+size\s.*\bbusbw\b.*$/m;
const ROW = /^\s*\d+\s+\d+\s+\S.*$/gm;
const OUT_OF_BOUNDS = /^# Out of bounds values\s*: (\d+)/m;
const AVERAGE = /^# Avg bus bandwidth\s*: \S+ *(OK|FAILED)?/m;
/** Of a program that ended by an error: `n1: Test NCCL failure common.cu:1005 '...'`, then ` .. n1 pid 12: Test failure ...`. */
const FAILURE = /^(?: \.\. )?(\S+?)(?: pid \d+)?: (Test (?:(?:NCCL|CUDA) )?failure .*?)\s*$/m;
const TIME_OF_DAY = /\s\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*$/;
const NOT_LOOKED_FOR = 'N/A';

const words = (line: string): readonly string[] => line.trim().split(/\s+/);

/** It stands before the first run; null: an older one does not say it. */
export const versionOf = (text: string): string | null => VERSION.exec(text)?.[1] ?? null;

/** null: it tells of none. */
export function failureOf(text: string): Failure | null {
  const [, host = '', why = ''] = FAILURE.exec(text) ?? [];
  return why === '' ? null : { host, why };
}

/** Each run's lines; nothing: it is no such output. */
export function runTexts(text: string): readonly string[] {
  const runs: string[][] = [];
  let isNew = true;
  for (const line of text.split(/\r?\n/)) {
    const isStart = STARTING.test(line);
    const isBegin = isStart || PARAMETERS.test(line);
    if (isBegin && isNew) runs.push([]);
    // What a first line announces, the next parameters belong to.
    if (isBegin) isNew = !isStart;
    runs.at(-1)?.push(line);
  }
  return runs.map((lines) => lines.join('\n'));
}

/** @returns in words what is odd about it, where something is */
function rowOf(line: string, starts: readonly number[]): Row | string {
  const cells = words(line.replace(TIME_OF_DAY, ''));
  const [first = 0] = starts;
  const named = cells.slice(2, Math.max(2, cells.length - first));
  const figures = starts.map((start, i): Figures => {
    const [time, , busRate = '', wrong = ''] = cells.slice(cells.length - start);
    return {
      place: i === 0 ? 'out-of-place' : 'in-place',
      seconds: Number(time) / 1e6,
      busRate,
      wrong: wrong === NOT_LOOKED_FOR ? null : Number(wrong),
    };
  });
  const isOdd = figures.some(
    ({ seconds, busRate, wrong }) =>
      !(seconds > 0) || !Number.isFinite(Number(busRate)) || Number.isNaN(Number(wrong)),
  );
  if (isOdd || named.length === 0) return `a row that its header does not explain: ${line.trim()}`;
  return {
    size: Number(cells[0]),
    of: named.filter((one) => one !== 'none' && one !== '-1'),
    figures,
  };
}

export function runOf(text: string): Run {
  const labels = words((HEADER.exec(text)?.[0] ?? '').replace(/^#/, '').replace(/\btimestamp\s*$/, ''));
  /** Where the figures of each place begin, from the right. */
  const starts = labels.flatMap((label, i) => (label === 'time' ? labels.length - i : []));
  const ofCpu = labels.includes('cputime');
  /**
   * Up to version 2.12 the largest error that was seen stands there, and only the end says whether it is
   * within bounds.
   */
  const isCounted = labels.includes('#wrong');
  const read = (text.match(ROW) ?? []).map((line) => rowOf(line, starts));
  const rows = read.flatMap((row) => (typeof row === 'string' ? [] : row));
  const average = AVERAGE.exec(text);
  const counted = average === null ? undefined : OUT_OF_BOUNDS.exec(text)?.[1];
  const outOfBounds = counted === undefined ? null : Number(counted);
  const isUntold = !isCounted && outOfBounds === null;
  const toldOf = (error: number | null): number | null => (error === null || isUntold ? null : 0);
  const odd = read.find((row) => typeof row === 'string');
  const failure = failureOf(text);
  const empty = read.length === 0 ? (failure?.why ?? 'it has no results') : null;
  const missing = empty ?? (starts.length === 0 ? 'its table has no header' : null);
  return {
    program: STARTING.exec(text)?.[1] ?? null,
    ranks: [...text.matchAll(RANK)].map(([, host = '', gpu = '']) => ({ host, gpu })),
    rows: isCounted
      ? rows
      : rows.map((row) => ({
          ...row,
          figures: row.figures.map((one) => ({ ...one, wrong: toldOf(one.wrong) })),
        })),
    outOfBounds,
    untold: isUntold && rows.some(({ figures }) => figures.some(({ wrong }) => wrong !== null)),
    average: (average?.[1] as 'OK' | 'FAILED' | undefined) ?? null,
    failure,
    ofCpu,
    broken: starts.length > 0 && typeof odd === 'string' ? odd : missing,
  };
}
