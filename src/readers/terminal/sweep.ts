/** What is said of several batches together, below their one table. */
import { plural } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import { notCheckedOf, ran } from '../not-checked.js';
import { missedPrecision } from '../precision.js';
import type { Style } from './style.js';

/** `verified in 4 launches (all elements)`; of several ways each with the launches that it is of. */
function waysText(batches: readonly RecordBatch[], how: (batch: RecordBatch) => string): string {
  const launches = new Map<string, number>();
  for (const batch of batches.filter(({ verified }) => verified !== 'not-run')) {
    const way = how(batch);
    launches.set(way, (launches.get(way) ?? 0) + batch.measured);
  }
  return [...launches].map(([way, count]) => `in ${plural(count, 'launch', 'launches')} (${way})`).join(', ');
}

/** @param how every launch was verified, or those of each batch */
export function verifiedText(
  batches: readonly RecordBatch[],
  how: string | ((batch: RecordBatch) => string),
  style: Style,
): string {
  const wrong = batches.filter(({ verified }) => verified === 'failed');
  const [first] = wrong;
  if (first !== undefined) {
    const found = first.inspections.find(({ verification }) => verification?.passed === false)?.verification;
    return style.bad(`WRONG in ${plural(wrong.length, 'case')}: ${first.title}: ${found?.firstWrong}`);
  }
  const missing = batches.filter(({ verified }) => verified === 'not-run').length;
  if (missing === batches.length) return style.warn('not verified: no launch counts');
  const rest = missing > 0 ? style.warn(`; not verified: ${plural(missing, 'case')}, no launch counts`) : '';
  const ways = waysText(batches, typeof how === 'string' ? () => how : how);
  return `${style.good('verified')} ${ways}${rest}`;
}

export function flagsText(batches: readonly RecordBatch[], style: Style): string {
  const launches = batches
    .flatMap(({ inspections }) => inspections)
    .filter(({ statistics }) => statistics !== null);
  const counts = new Map<string, number>();
  for (const { flags } of batches) {
    for (const { name, inspections } of flags) counts.set(name, (counts.get(name) ?? 0) + inspections.length);
  }
  if (!batches.some(ran)) return style.warn('validity flags not looked for: no launch came that far');
  if (counts.size === 0) return style.good('no validity flag');
  const named = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${style.warn(name)} ${count}`);
  return `of ${plural(launches.length, 'launch', 'launches')}: ${named.join(', ')}; the record says which and why`;
}

export function failedText(batches: readonly RecordBatch[], style: Style): readonly string[] {
  const failed = batches.flatMap(({ inspections }) =>
    inspections
      .filter(({ status }) => status !== 'measured')
      .map(({ index, status, reason }) => ({ index, status, reason })),
  );
  const [first] = failed;
  if (first === undefined) return [];
  return [
    style.bad(
      `${plural(failed.length, 'launch', 'launches')} not measured; launch ${first.index + 1} ${first.status}: ${first.reason}`,
    ),
  ];
}

/** @param names of the batches, where their titles do not tell them apart */
export const precisionText = (
  batches: readonly RecordBatch[],
  style: Style,
  names: readonly string[] = batches.map(({ title }) => title),
): readonly string[] =>
  missedPrecision(batches.map(({ precision = null }, i) => ({ name: names[i] ?? '', precision }))).map(
    style.warn,
  );

/** Checks that could not run anywhere. */
export function notCheckedText(batches: readonly RecordBatch[]): readonly string[] {
  const flags = new Set(batches.flatMap((batch) => notCheckedOf(batch).map(([flag]) => flag)));
  return flags.size === 0 ? [] : [`in some launches not checked: ${[...flags].join(', ')}`];
}
