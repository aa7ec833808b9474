/** The comparison of a record's stacks, and its table in words, for a page and for a text. Pure. */
import { UserError } from '../errors.js';
import { formatShare, plural, significant } from '../quantities/format.js';
import { compareRecords } from '../readers/comparison/comparison.js';
import type {
  ComparedBatch,
  ComparedCase,
  ComparedPair,
  ComparisonDocument,
} from '../readers/comparison/document.js';
import { acrossOf, choicesOfSides, flagTexts } from '../readers/comparison/reservations.js';
import { stackKey } from '../readers/comparison/sides.js';
import { neededToSettle } from '../readers/comparison/to-settle.js';
import { ANSWERS, fastestFirst, groupLetters, outcomeWords, speedText } from '../readers/comparison/words.js';
import type { PiBenchRecord } from '../record/schema.js';
import type { Table } from './figures/figure.js';

/** `why` continues a sentence that begins with "the comparison". */
export type ReportComparison = ComparisonDocument | { readonly why: string };

export const isCompared = (of: ReportComparison): of is ComparisonDocument => 'cases' in of;

/** Of stacks; of all else a record may differ in, who wants it asks `compare`. */
export function comparisonOf(record: PiBenchRecord): ReportComparison {
  const settles = record.batches.some(({ asked }) => asked.settle !== undefined);
  const stacks = new Set(record.batches.map(({ stack }) => stackKey(stack))).size;
  if (stacks < 2 && !settles) return { why: 'it compares stacks, and there is one only' };
  const question = { by: null, reference: null, margin: null, across: [], force: false } as const;
  try {
    return compareRecords([{ record, name: record.campaign.id }], question);
  } catch (error) {
    if (error instanceof UserError) return { why: error.message };
    throw error;
  }
}

const NONE = '–';

export const COMPARISON_COLUMNS = [
  'case',
  'who',
  'rate',
  'ratio',
  '95 %',
  'answer',
  'group',
  'launches',
] as const;

const intervalText = ({ interval }: ComparedPair): string =>
  interval == null ? NONE : `${significant(interval.low, 4)} to ${significant(interval.high, 4)}`;

interface ComparedRow {
  readonly of: ComparedCase;
  readonly batch: ComparedBatch;
  /** null: the reference. */
  readonly pair: ComparedPair | null;
}

/** Of each case the fastest first. */
function rowsOf({ cases }: ComparisonDocument): readonly ComparedRow[] {
  return cases.flatMap((of) =>
    fastestFirst(of.batches).map((batch) => ({
      of,
      batch,
      pair: of.comparisons.find(({ candidate }) => candidate === batch.side) ?? null,
    })),
  );
}

/** A row of texts for each side of each case, one text for each of `COMPARISON_COLUMNS`. */
export function comparisonRows(document: ComparisonDocument): readonly (readonly string[])[] {
  return rowsOf(document).map(({ of, batch, pair }) => [
    of.name,
    batch.side,
    speedText(batch) ?? NONE,
    pair === null ? '1' : pair.ratio === undefined ? NONE : significant(pair.ratio, 4),
    pair === null ? NONE : intervalText(pair),
    pair === null ? 'reference' : outcomeWords(pair.outcome, pair.margin),
    groupLetters(of, batch.side) || NONE,
    String(batch.launches),
  ]);
}

/** In base units, for who computes with it. */
export function comparisonTable(document: ComparisonDocument): Table {
  return {
    columns: [
      'case',
      'side',
      'reference',
      'rate_unit',
      'rate',
      'launches',
      'ratio',
      'ratio_low',
      'ratio_high',
      'p_adjusted',
      'margin',
      'answer',
      'groups',
      'method',
    ],
    rows: rowsOf(document).map(({ of, batch, pair }) => [
      of.title,
      batch.side,
      document.reference,
      batch.rateUnit,
      batch.rate,
      batch.launches,
      pair === null ? 1 : (pair.ratio ?? null),
      pair?.interval?.low ?? null,
      pair?.interval?.high ?? null,
      pair?.pAdjusted ?? null,
      pair?.margin ?? null,
      pair?.outcome ?? 'reference',
      groupLetters(of, batch.side),
      pair?.method ?? null,
    ]),
  };
}

/** What a group is, once; nothing where there are none. */
const groupsNote = ({ cases }: ComparisonDocument): string | null =>
  cases.some(({ groups }) => groups.length > 0)
    ? 'Those that share a letter of a group cannot be told apart; a like b and b like c does not make a like c. A pair with the reference is told apart where its outcome says so; the other pairs of a case are corrected among themselves.'
    : null;

export const comparisonCaption = ({ reference, margin, by }: ComparisonDocument): string =>
  `By ${by}. The ratio is the rate over that of ${reference}: above 1 is faster. Differences below ${formatShare(margin)} do not matter: what is shown to lie within them is called the same.`;

/** `same within 2 %: the same within the margin` would say it twice. */
export const answerText = ({ answer, margin }: ComparisonDocument): string =>
  answer === 'same' ? outcomeWords(answer, margin) : `${answer}: ${ANSWERS[answer]}`;

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** What a person must know before they believe the answer. */
export function reservationTexts(document: ComparisonDocument): readonly string[] {
  const across = acrossOf(document);
  return [
    ...(across === null
      ? []
      : [
          across.head === 'forced'
            ? `Forced: ${across.text}.`
            : `Compared across what is not comparable without asking: ${across.text}.`,
        ]),
    ...choicesOfSides(document).map((text) => `${text}.`),
    ...flagTexts(document).map((text) => `Flags of ${text}.`),
  ];
}

const MOST_LEFT_OUT = 8;

/** What else belongs to the answer, a sentence each. */
export function remarkTexts(document: ComparisonDocument): readonly string[] {
  const { overall, notCompared, notes, reference } = document;
  const groups = groupsNote(document);
  const needed = neededToSettle(document);
  const left = notCompared.slice(0, MOST_LEFT_OUT).map(({ title, why }) => `${title}: ${why}.`);
  return [
    ...(groups === null ? [] : [groups]),
    ...overall.map(
      ({ candidate, cases, mean, interval }) =>
        `Over ${plural(cases, 'case')} ${candidate} has ${significant(mean, 4)} times the rate of ${reference} (geometric mean of the ratios of the cases; a score takes those of the medians)${interval === null ? '' : `, 95 % between ${significant(interval.low, 4)} and ${significant(interval.high, 4)}`}.`,
    ),
    ...(needed === null ? [] : [`To settle what cannot be told: ${needed.text}.`]),
    ...left,
    ...(notCompared.length > left.length
      ? [`And ${notCompared.length - left.length} more were not compared.`]
      : []),
    ...notes.map(sentence),
  ];
}
