/**
 * The published repetition study: a describe() table whose columns are quantities of batches (`elapsed_2k`), and whose rows
 * are statistics over launches. Durations are in seconds, elapsed in milliseconds, rates in GFLOP/s. Pure.
 */
import { plural } from '../../quantities/format.js';
import { throttledByProcessDocument } from '../../statistics/validity/index.js';
import type { Flag } from '../../statistics/validity/types.js';
import { uncheckable } from '../not-checked.js';
import {
  NOT_KNOWN,
  type NotChecked,
  type PublishedBatch,
  publishedStack,
  type TableStatistics,
} from '../published.js';
import type { Table } from './csv.js';
import { bytesRemark, findThothIndicator } from './work.js';

const ROWS = ['count', 'mean', 'std', 'min', '25%', '50%', '75%', 'max'] as const;

export const isDescribeTable = ({ header, rows }: Table): boolean =>
  header[0] === '' && ROWS.every((name) => rows.some((row) => row[0] === name));

/** `2k` is 2,000; a leading zero stands for the point: `05k` is 500, `005k` is 50. null: no number of repetitions. */
export function repetitionsNamed(name: string): number | null {
  const [, digits = ''] = /^(\d+)k$/.exec(name) ?? [];
  const thousands = digits.startsWith('0') ? Number(`0.${digits.slice(1)}`) : Number(digits);
  return thousands > 0 ? Math.round(thousands * 1000) : null;
}

/** n of the square product whose work, n^3 + (n - 1) n^2, a rate times its time is; null: of none. */
function sizeOf(flop: number): number | null {
  const n = Math.round(Math.cbrt(flop / 2) + 1 / 6);
  const work = n ** 3 + (n - 1) * n ** 2;
  return n > 0 && Math.abs(work - flop) < 1e-4 * flop ? n : null;
}

type Column = (row: (typeof ROWS)[number]) => number;

function statistics(at: Column, unit: (value: number) => number): TableStatistics {
  const scaled = (row: (typeof ROWS)[number]): number => unit(at(row));
  return {
    n: at('count'),
    mean: scaled('mean'),
    std: scaled('std'),
    min: scaled('min'),
    q1: scaled('25%'),
    median: scaled('50%'),
    q3: scaled('75%'),
    max: scaled('max'),
  };
}

/**
 * The table has no limit of CPUs, but how long the jobs took: CPU time over that is what the processes had. Where their
 * repetitions, by the median, took a small part of it, they stood still meanwhile.
 */
function throttling(
  column: (quantity: string) => Column | null,
  repetitions: number,
  elapsed: TableStatistics,
): { flags: Flag[]; notChecked: NotChecked[] } {
  const [user, system, wall] = ['utime', 'stime', 'job_duration'].map((name) => column(name)?.('mean'));
  const cpuTime = (user ?? Number.NaN) + (system ?? Number.NaN);
  const cpus = Math.round((cpuTime / (wall ?? Number.NaN)) * 100) / 100;
  const flag = throttledByProcessDocument({ cpuTime, cpuLimit: cpus, repetitions, elapsed: elapsed.median });
  if (flag === null) {
    const why = 'the mean CPU time and duration of the jobs show no throttling, nor that there was none';
    return { flags: [], notChecked: [{ flag: 'throttled', why }] };
  }
  const reason = `in the mean of ${plural(elapsed.n, 'launch', 'launches')}, ${flag.reason} (the limit was not published: ${plural(cpus, 'CPU')} is CPU time over the jobs' duration)`;
  return { flags: [{ ...flag, reason }], notChecked: [] };
}

export interface FromTable {
  readonly batches: readonly PublishedBatch[];
  /** Columns of batches from which nothing came, and why. */
  readonly problems: readonly string[];
}

/**
 * @param table that `isDescribeTable`
 * @param file where it lies
 */
export function fromDescribeTable({ header, rows }: Table, file: string): FromTable {
  const cell = (row: string, column: number): number =>
    Number(rows.find(([name]) => name === row)?.[column] || Number.NaN);
  const columnOf = (name: string): Column | null => {
    const at = header.indexOf(name);
    return at < 0 ? null : (row) => cell(row, at);
  };
  const batches: PublishedBatch[] = [];
  const problems: string[] = [];
  for (const name of header.flatMap((head) => /^elapsed_(.+)$/.exec(head)?.[1] ?? [])) {
    const column = (quantity: string): Column | null => columnOf(`${quantity}_${name}`);
    const [elapsedMs, rateG] = [column('elapsed'), column('rate')];
    const repetitions = repetitionsNamed(name);
    if (elapsedMs === null || repetitions === null) {
      problems.push(`${name}: its name is no number of repetitions`);
      continue;
    }
    const elapsed = statistics(elapsedMs, (milliseconds) => milliseconds / 1000);
    const rates = rateG === null ? null : statistics(rateG, (giga) => giga * 1e9);
    const figures = [...Object.values(elapsed), ...Object.values(rates ?? {})];
    if (!figures.every((value) => Number.isFinite(value) && value >= 0) || !(elapsed.min > 0)) {
      problems.push(`${name}: a figure is missing or makes no sense`);
      continue;
    }
    const n = rates === null ? null : sizeOf(rates.max * elapsed.min);
    const matmul = n === null ? undefined : findThothIndicator('PiMatmul');
    const parameters = n === null ? {} : { matrix_size: n };
    const work = matmul?.work(parameters) ?? null;
    const ofBytes = work === null ? null : bytesRemark(parameters);
    const found = throttling(column, repetitions, elapsed);
    batches.push({
      case: { indicator: matmul?.name ?? NOT_KNOWN, parameters },
      title: matmul?.title(parameters) ?? 'an indicator that the table does not name',
      source: name,
      work,
      stack: publishedStack(NOT_KNOWN),
      device: NOT_KNOWN,
      repetitions,
      asked: elapsed.n,
      statistic: 'median',
      values: { kind: 'table', file, elapsed, rates },
      flags: found.flags,
      notChecked: [
        ...uncheckable(['throttled', 'quantised']),
        { flag: 'quantised', why: 'the values of the launches were not published' },
        ...found.notChecked,
      ],
      remarks: ofBytes === null ? [] : [ofBytes],
    });
  }
  return { batches, problems };
}
