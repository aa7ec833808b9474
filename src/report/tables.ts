/** The stability table of a report, for a page and for a program. Pure. */
import { formatSeconds, formatShare, withPrefix } from '../quantities/format.js';
import { ran } from '../readers/not-checked.js';
import { askedTable } from './asked.js';
import { CEILING_FIELDS, ceilingFields } from './ceilings.js';
import type { Table } from './figures/figure.js';
import { INTERVAL_FIELDS, intervalCells, P99_FIELDS, p99Cells } from './intervals.js';
import type { BatchModel, ReportModel } from './model.js';
import { noScoreOf } from './no-score.js';
import { OVERLAP_FIELDS, overlapCells } from './overlap.js';
import { RATE_FIELDS, rateFields } from './rates.js';

export const STABILITY_CAPTION =
  'Elapsed seconds of a repetition: each launch counts with its median, so that std, std error, CV and IQR say how far launches are apart.';

export const STABILITY_COLUMNS = [
  'batch',
  'inspections',
  'rate',
  'median',
  'std',
  'std error',
  'CV',
  'IQR',
  'min to max',
  'flags',
] as const;

const NONE = '–';

const seconds = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : formatSeconds(value);

/** The unit once where both are a number of the same one: minutes have seconds beside them. */
function rangeText(low: number, high: number): string {
  const [a, b] = [formatSeconds(low), formatSeconds(high)];
  const [value, unit, ...more] = a.split(' ');
  const [, other, ...others] = b.split(' ');
  return unit === other && more.length + others.length === 0 ? `${value} to ${b}` : `${a} to ${b}`;
}

const isChecked = ({ elapsed, launches }: BatchModel): boolean => ran({ elapsed, inspections: launches });

function flagsText(batch: BatchModel): string {
  const { flags } = batch;
  if (flags.length === 0) return isChecked(batch) ? 'none' : NONE;
  return (
    flags
      // Of an import nobody knows which launches.
      .map(({ name, inspections }) => (inspections.length === 0 ? name : `${name} (${inspections.length})`))
      .join(', ')
  );
}

/** Where no flag was raised: whether any could have been. */
export function noFlags({ batches }: ReportModel): { readonly text: string; readonly good: boolean } {
  const good = batches.some(isChecked);
  return {
    text: good
      ? 'No validity flag was raised.'
      : 'Validity flags were not looked for: no launch came that far.',
    good,
  };
}

function scoreText(batch: BatchModel): string {
  const { rate, rateUnit, verified, idle, elapsed } = batch;
  if (verified === 'failed') return 'WRONG';
  if (idle && elapsed !== null) return 'does no work';
  return rate === null ? noScoreOf(batch) : withPrefix(rate.median, rateUnit);
}

/** A row of texts for each batch, one text for each column. */
export function stabilityRows({ batches }: ReportModel): readonly (readonly string[])[] {
  return batches.map((batch) => {
    const { label, measured, planned, between } = batch;
    return [
      label,
      measured === planned ? String(measured) : `${measured} of ${planned}`,
      scoreText(batch),
      seconds(between?.median),
      seconds(between?.std),
      seconds(between?.stdError),
      between?.cv == null ? NONE : formatShare(between.cv),
      // Of one launch there is no spread to tell.
      between === null || between.n < 2 ? NONE : formatSeconds(between.iqr),
      between === null ? NONE : rangeText(between.min, between.max),
      flagsText(batch),
    ];
  });
}

/** A list of lines with its head. */
export interface Lines {
  readonly head: string;
  readonly lines: readonly string[];
}

/** Of batches of which the same is said. */
const MOST_NAMED = 8;

/** What is said of batches, each text once behind their names. */
function sharedLines(
  batches: readonly BatchModel[],
  kind: 'noCeiling' | 'noPeak' | 'slowest',
): readonly string[] {
  const names = new Map<string, string[]>();
  for (const { name, [kind]: text } of batches)
    if (text !== null) names.set(text, [...(names.get(text) ?? []), name]);
  return [...names].map(([text, own]) => {
    const more = own.length > MOST_NAMED ? ` and ${own.length - MOST_NAMED} more` : '';
    return `${own.slice(0, MOST_NAMED).join(', ')}${more}: ${text}`;
  });
}

/**
 * What rates are of other ones, of those alone and of a datasheet, what was read beside them, which are no ceiling or have none, and
 * which rest on too few repetitions. Only what is known of some batch.
 */
export function besideLists({ batches }: ReportModel): readonly Lines[] {
  const lines = (kind: 'atOnce' | 'datasheet' | 'traffic') =>
    batches.flatMap(({ name, [kind]: beside }) => (beside === null ? [] : [`${name}: ${beside.text}`]));
  return [
    { head: 'No ceiling', lines: sharedLines(batches, 'noCeiling') },
    { head: 'Efficiency not known', lines: sharedLines(batches, 'noPeak') },
    { head: 'Slowest 5 %', lines: sharedLines(batches, 'slowest') },
    { head: 'Measured at once', lines: lines('atOnce') },
    { head: 'Of the datasheet', lines: lines('datasheet') },
    { head: 'Under load', lines: lines('traffic') },
  ].filter((list) => list.lines.length > 0);
}

const SUMMARY = [
  'n',
  'mean',
  'median',
  'std',
  'stdError',
  'mad',
  'min',
  'max',
  'q1',
  'q3',
  'iqr',
  'p1',
  'p5',
  'p95',
  'p99',
  'cv',
  'covm',
  'skew',
  'lag1',
  'effectiveSampleSize',
] as const;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What holds for all rows, so that a row that was cut out of its table still says it. */
const CAMPAIGN = ['campaign', 'status', 'contended_by', 'fault', 'machine', 'hostname'] as const;

/**
 * One row for each batch, in base units: `launches_` is of the launch medians, `repetitions_` of all repetitions together. Columns are
 * only ever added, at the end, beyond those of parameters and labels, which are what the batches have; a number that was swept stands third.
 */
export function summaryTable(report: ReportModel): Table {
  const { batches, axis, id, status, contendedBy, fault, identity, imported } = report;
  const ofCampaign = [id, status, contendedBy, fault, identity.machine, identity.hostname];
  const asked = askedTable(batches);
  const names: readonly string[] = ['batch', 'title'];
  const others: readonly string[] = [
    'planned',
    'measured',
    'verified',
    'rate_unit',
    'rate',
    'rate_low',
    'rate_high',
    'rate_p05',
    'rate_sustained',
    'rate_2mnk_less_mn',
    'rate_of_alone',
    'at_once_overlap',
    'rate_of_datasheet',
    ...OVERLAP_FIELDS,
    'interval_level',
    'interval_basis',
    ...SUMMARY.map((name) => `launches_${snake(name)}`),
    ...SUMMARY.map((name) => `repetitions_${snake(name)}`),
    'disturbed_share',
    'flags',
    'not_checked',
    'stack',
    'stack_version',
    'stack_sha256',
    'stack_choice',
    ...CAMPAIGN,
    ...RATE_FIELDS,
    ...INTERVAL_FIELDS,
    'traffic_rate',
    'imported',
    ...asked.columns,
    ...P99_FIELDS,
    ...CEILING_FIELDS,
  ];
  // No two columns have one name: what was swept stands among the parameters, too (`batch`, `parameter_batch`).
  const swept = axis === null || [...names, ...others].includes(axis.key) ? null : axis;
  return {
    columns: [...names, ...(swept === null ? [] : [swept.key]), ...others],
    rows: batches.map((batch, i) => {
      const { rate, between, pooled } = batch;
      return [
        batch.name,
        batch.title,
        ...(swept === null ? [] : [swept.values[i] ?? null]),
        batch.planned,
        batch.measured,
        batch.verified,
        batch.rateUnit,
        rate?.median ?? null,
        rate?.interval?.low ?? null,
        rate?.interval?.high ?? null,
        rate?.p05 ?? null,
        rate?.sustained ?? null,
        batch.rate2mnkLessMn,
        batch.atOnce?.ofAlone ?? null,
        batch.atOnce?.overlap ?? null,
        batch.datasheet?.share ?? null,
        ...overlapCells(batch),
        rate?.interval?.level ?? batch.elapsed?.interval?.level ?? null,
        batch.elapsed?.basis ?? null,
        ...SUMMARY.map((name) => between?.[name] ?? null),
        ...SUMMARY.map((name) => pooled?.[name] ?? null),
        batch.disturbedShare,
        batch.flags.map(({ name }) => name).join(' '),
        [...new Set(batch.notChecked.map(({ flag }) => flag))].join(' '),
        batch.stack,
        batch.stackVersion,
        batch.stackSha256,
        batch.stackChoice,
        ...ofCampaign,
        ...rateFields(batch),
        ...intervalCells(batch),
        batch.traffic?.rate ?? null,
        imported?.format ?? null,
        ...(asked.rows[i] ?? []),
        ...p99Cells(batch),
        ...ceilingFields(batch),
      ];
    }),
  };
}
