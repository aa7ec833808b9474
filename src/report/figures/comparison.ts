/** Ratios to the reference with their intervals, a row for each candidate of each case: a forest plot. */
import type { Mark, Spec } from 'vega';
import { formatShare, significant } from '../../quantities/format.js';
import type { ComparisonDocument, Outcome } from '../../readers/comparison/document.js';
import { outcomeWords } from '../../readers/comparison/words.js';
import { comparisonTable, isCompared, type ReportComparison } from '../comparison.js';
import { letterOf, type StackLetter } from '../stack-letters.js';
import type { Absent, CampaignFigure, Figure } from './figure.js';
import { brief, domainOf, frame, nameAxis, nameScale, numberAxis, numberScale } from './parts.js';
import type { Theme } from './theme.js';

const ROW = 30;
const MOST_ROWS = 60;
/** An interval many times as wide as everything else would leave no room for the others. */
const WIDEST = 4;
/** Of those that have no mark. */
const MOST_NAMED = 8;

interface Row {
  readonly name: string;
  readonly ratio: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly outcome: Outcome;
  readonly text: string;
}

/** Colour and shape both tell, so that neither is needed. */
const OUTCOMES = ['faster', 'same', 'slower', 'cannot tell'] as const;
const SHAPES = ['triangle-up', 'circle', 'triangle-down', 'diamond'] as const;

const coloursOf = (theme: Theme): string[] => [theme.main, theme.ink, theme.alarm, theme.other];

/** What tells a row from the others. */
function labelOf(
  cases: ComparisonDocument['cases'],
  sides: ComparisonDocument['sides'],
  name: string,
  candidate: string,
): string {
  if (cases.length === 1) return candidate;
  return sides.length === 2 ? name : `${name}, ${candidate}`;
}

function rowsOf({ cases, sides }: ComparisonDocument, letters: readonly StackLetter[]): readonly Row[] {
  return cases.flatMap(({ name, comparisons }) =>
    comparisons.flatMap(({ candidate, ratio, interval, outcome, margin }): readonly Row[] => {
      if (ratio === undefined) return [];
      const between =
        interval == null
          ? 'no interval'
          : `95 % ${significant(interval.low, 4)} to ${significant(interval.high, 4)}`;
      return [
        {
          name: labelOf(cases, sides, name, letterOf(letters, candidate)),
          ratio,
          low: interval?.low ?? null,
          high: interval?.high ?? null,
          outcome,
          text: `${significant(ratio, 4)}, ${between}: ${outcomeWords(outcome, margin)}`,
        },
      ];
    }),
  );
}

/** Of what the axis shows: all ratios and the margin; intervals as far as they do not dwarf these. */
function axisOf(rows: readonly Row[], margin: number) {
  const centres = [...rows.map(({ ratio }) => ratio), 1 + margin, 1 / (1 + margin)];
  const [least, most] = [Math.min(...centres), Math.max(...centres)];
  const room = (most / least) ** WIDEST;
  const ends = rows.flatMap(({ low, high }) => [low, high]).filter((end): end is number => end !== null);
  return domainOf([...centres, ...ends.map((end) => Math.min(most * room, Math.max(least / room, end)))]);
}

interface OpenEnd {
  readonly at: number;
  readonly shape: string;
}

/** Where the interval goes on beyond the axis. */
function openOf({ low, high }: Row, { domain: [from, to] }: ReturnType<typeof axisOf>): readonly OpenEnd[] {
  return [
    ...(low !== null && low < from ? [{ at: brief(from), shape: 'triangle-left' }] : []),
    ...(high !== null && high > to ? [{ at: brief(to), shape: 'triangle-right' }] : []),
  ];
}

/** Candidates without a ratio, which have no mark. */
function unmarkedText({ cases, sides }: ComparisonDocument): string {
  const without = cases.flatMap(({ name, comparisons }) =>
    comparisons
      .filter(({ ratio }) => ratio === undefined)
      .map(({ candidate, outcome }) => `${labelOf(cases, sides, name, candidate)} (${outcome})`),
  );
  const named = without.slice(0, MOST_NAMED).join(', ');
  const more = without.length > MOST_NAMED ? ` and ${without.length - MOST_NAMED} more` : '';
  return without.length === 0 ? '' : ` Without a ratio, and so without a mark: ${named}${more}.`;
}

function specOf(rows: readonly Row[], margin: number, reference: string, theme: Theme): Spec {
  const axis = axisOf(rows, margin);
  const [from, to] = axis.domain;
  const held = (value: number): number => brief(Math.min(to, Math.max(from, value)));
  const openEnds = rows.flatMap((row, i) =>
    openOf(row, axis).map((end) => ({ ...end, row: i, outcome: row.outcome })),
  );
  const values = rows.map((row, i) => ({ ...row, row: i, ratio: brief(row.ratio) }));
  const intervals = values.flatMap(({ low, high, ...row }) =>
    low === null || high === null ? [] : [{ ...row, low: held(low), high: held(high) }],
  );
  const tooltip = { signal: '{"": datum.name, "ratio": datum.text}' };
  const marks: readonly Mark[] = [
    {
      type: 'rect',
      name: 'margin',
      encode: {
        update: {
          x: { scale: 'x', value: Math.max(from, 1 / (1 + margin)) },
          x2: { scale: 'x', value: Math.min(to, 1 + margin) },
          y: { value: 0 },
          y2: { signal: 'height' },
          fill: { value: theme.soft },
          fillOpacity: { value: 0.35 },
        },
      },
    },
    {
      type: 'rule',
      name: 'reference',
      encode: {
        update: {
          x: { scale: 'x', value: 1 },
          y: { value: 0 },
          y2: { signal: 'height' },
          stroke: { value: theme.muted },
          strokeDash: { value: [5, 4] },
        },
      },
    },
    {
      type: 'rule',
      name: 'interval',
      from: { data: 'intervals' },
      encode: {
        update: {
          x: { scale: 'x', field: 'low' },
          x2: { scale: 'x', field: 'high' },
          y: { scale: 'y', field: 'row', band: 0.5 },
          stroke: { scale: 'colour', field: 'outcome' },
          strokeWidth: { value: 2.5 },
          tooltip,
        },
      },
    },
    {
      type: 'symbol',
      name: 'open-end',
      from: { data: 'open-ends' },
      encode: {
        update: {
          x: { scale: 'x', field: 'at' },
          y: { scale: 'y', field: 'row', band: 0.5 },
          shape: { field: 'shape' },
          size: { value: 70 },
          fill: { scale: 'colour', field: 'outcome' },
        },
      },
    },
    {
      type: 'symbol',
      name: 'ratio',
      from: { data: 'rows' },
      encode: {
        update: {
          x: { scale: 'x', field: 'ratio' },
          y: { scale: 'y', field: 'row', band: 0.5 },
          shape: { scale: 'shape', field: 'outcome' },
          size: { value: 80 },
          fill: { scale: 'colour', field: 'outcome' },
          tooltip,
        },
      },
    },
  ];
  return frame(theme, rows.length * ROW, {
    data: [
      { name: 'rows', values },
      { name: 'intervals', values: intervals },
      { name: 'open-ends', values: openEnds },
    ],
    scales: [
      numberScale('x', axis, 'width'),
      { name: 'y', type: 'band', domain: values.map(({ row }) => row), range: 'height' },
      nameScale(
        values.map(({ row }) => row),
        values.map(({ name }) => name),
      ),
      { name: 'colour', type: 'ordinal', domain: [...OUTCOMES], range: coloursOf(theme) },
      { name: 'shape', type: 'ordinal', domain: [...OUTCOMES], range: [...SHAPES] },
    ],
    axes: [numberAxis('x', 'bottom', `rate over that of ${reference}`, axis), nameAxis('y')],
    legends: [{ fill: 'colour', shape: 'shape', columns: { signal: 'max(1, floor(width / 110))' } }],
    marks: [...marks],
  });
}

/** @param letters of stacks whose names are too long for a row */
export function drawComparison(of: ReportComparison, letters: readonly StackLetter[] = []): Figure | Absent {
  const title = 'Comparison';
  if (!isCompared(of)) return { title, why: of.why };
  const all = rowsOf(of, letters);
  const reference = letterOf(letters, of.reference);
  const unmarked = unmarkedText(of);
  if (all.length === 0) return { title, why: 'no side has launches beside those of the reference' };
  const rows = all.slice(0, MOST_ROWS);
  const cut =
    all.length > MOST_ROWS
      ? ` The first ${MOST_ROWS} of ${all.length} comparisons are drawn; the data has all.`
      : '';
  // With many, some bar lies beside the line by chance: the outcome is corrected for that, and the bar is not.
  const several = all.length > 1 ? ', if that holds among all comparisons, too (Holm’s correction)' : '';
  const axis = axisOf(rows, of.margin);
  const open = rows.some((row) => openOf(row, axis).length > 0)
    ? ' A bar that ends in an arrow goes on beyond the picture; the table has its end.'
    : '';
  return {
    title: `Comparison with ${reference}`,
    caption: `Each mark is the rate over that of ${reference}, its bar the 95 % interval from the launches; to the right is faster. The shaded band is the margin of ${formatShare(of.margin)}: what has its 90 % interval, which is narrower than the bar, within it is called the same, a bar that lies beside the dashed line a difference${several}. What is neither cannot tell.${open}${unmarked}${cut}`,
    alternative: `${rows.map(({ name, text }) => `${name}: ${text}`).join('. ')}. A bar beside the dashed line is a difference${several}.`,
    spec: (theme) => specOf(rows, of.margin, reference, theme),
    data: comparisonTable(of),
  };
}

export const comparison: CampaignFigure = {
  scope: 'campaign',
  name: 'comparison',
  draw: ({ comparison: of, stackLetters }) => drawComparison(of, stackLetters),
};
