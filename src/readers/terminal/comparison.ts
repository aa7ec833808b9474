/** A comparison for a person: a row for each case and candidate, what was not compared, and what it all comes to. */
import { plural, significant } from '../../quantities/format.js';
import { MOST_ROUNDS } from '../../statistics/settling.js';
import type {
  ComparedBatch,
  ComparedCase,
  ComparedPair,
  ComparisonDocument,
  Outcome,
} from '../comparison/document.js';
import { acrossOf, choicesOfSides, flagTexts } from '../comparison/reservations.js';
import { neededToSettle } from '../comparison/to-settle.js';
import { ANSWERS, fastestFirst, groupLetters, outcomeWords, speedText } from '../comparison/words.js';
import { printable } from '../printable.js';
import { type Cell, renderFitting, renderFittings } from './fitting-table.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';

const MOST_LISTED = 8;

const left = (head: string, text: string): Cell => ({ head, align: 'left', text });
const right = (head: string, text: string): Cell => ({ head, align: 'right', text });

function outcomeText(outcome: Outcome, margin: number, style: Style): string {
  switch (outcome) {
    case 'faster':
      return style.good(outcome);
    case 'slower':
      return style.bad(outcome);
    case 'same':
      return style.good(outcomeWords(outcome, margin));
    case 'wrong output':
      return style.bad('WRONG output');
    default:
      return style.warn(outcome);
  }
}

const ratioText = (ratio: number | undefined): string => (ratio === undefined ? '' : significant(ratio, 4));

const intervalText = ({ interval, outcome }: ComparedPair): string =>
  interval == null
    ? outcome === 'cannot tell'
      ? 'none'
      : ''
    : `${significant(interval.low, 4)}–${significant(interval.high, 4)}`;

const rateText = (batch: ComparedBatch | undefined): string =>
  batch === undefined ? '' : (speedText(batch) ?? '');

const batchOf = ({ batches }: ComparedCase, side: string): ComparedBatch | undefined =>
  batches.find((batch) => batch.side === side);

/** Two sides: one row for each case. */
function pairRows({ cases, reference }: ComparisonDocument, style: Style): readonly (readonly Cell[])[] {
  return cases.flatMap((one) =>
    one.comparisons.map((pair) => {
      const [own, other] = [batchOf(one, reference), batchOf(one, pair.candidate)];
      return [
        left('case', cases.length === 1 ? '' : one.name),
        right('ratio', style.bold(ratioText(pair.ratio))),
        right('95 %', intervalText(pair)),
        left('answer', outcomeText(pair.outcome, pair.margin, style)),
        right('launches', `${own?.launches ?? 0}, ${other?.launches ?? 0}`),
        right('reference', rateText(own)),
        right('candidate', rateText(other)),
      ];
    }),
  );
}

/** Several sides: those of one case together, the fastest first. */
function groupRows(one: ComparedCase, style: Style): readonly (readonly Cell[])[] {
  return fastestFirst(one.batches).map((batch) => {
    const pair = one.comparisons.find(({ candidate }) => candidate === batch.side);
    return [
      left('who', batch.side),
      right('rate', rateText(batch)),
      right('ratio', style.bold(pair === undefined ? '1' : ratioText(pair.ratio))),
      right('95 %', pair === undefined ? '' : intervalText(pair)),
      left(
        'answer',
        pair === undefined ? style.dim('reference') : outcomeText(pair.outcome, pair.margin, style),
      ),
      left('group', groupLetters(one, batch.side)),
      right('launches', String(batch.launches)),
    ];
  });
}

function tables(document: ComparisonDocument, style: Style): readonly string[] {
  if (document.sides.length === 2) {
    const optional = ['launches', 'candidate', 'reference'];
    const [only, ...others] = document.cases;
    const title = only === undefined || others.length > 0 ? [] : wrap(only.title, style.width - 2);
    return [
      ...title.map((line) => `  ${line}`),
      renderFitting(pairRows(document, style), { optional, shortened: 'case', atLast: ['95 %'] }, style),
    ];
  }
  const fitting = { optional: ['launches', 'rate'], shortened: 'who', atLast: ['95 %'] };
  const texts = renderFittings(
    document.cases.map((one) => groupRows(one, style)),
    fitting,
    style,
  );
  return document.cases.flatMap(({ title }, i) => [
    ...(i === 0 ? [] : ['']),
    ...wrap(title, style.width - 2).map((line) => `  ${line}`),
    texts[i] ?? '',
  ]);
}

/** What gets so many launches: where time cut them off, more of it first of all. */
function moreText(launches: number, cut: boolean): string {
  if (!cut) return `--inspections ${launches}`;
  return launches > MOST_ROUNDS ? `--inspections ${launches} and a longer --budget` : 'a longer --budget';
}

function settleRows(document: ComparisonDocument, cut: boolean): readonly Row[] {
  const needed = neededToSettle(document);
  if (needed === null) return [];
  const { text, launches, tooFew } = needed;
  // How many rounds a look needs is said where the launches were cut off.
  if (tooFew && cut) return [['to settle', 'a longer --budget']];
  return [['to settle', launches === null ? text : `${text}: ${moreText(launches, cut)}`]];
}

const flagRows = (document: ComparisonDocument, style: Style): readonly Row[] =>
  flagTexts(document).map((text): Row => ['flags', style.warn(text)]);

function missingRows({ notCompared }: ComparisonDocument, style: Style): readonly Row[] {
  const listed = notCompared.slice(0, MOST_LISTED).map(({ title, why }) => `${title}: ${why}`);
  const more = notCompared.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].map((text, i) => [
    i === 0 ? 'left out' : '',
    style.warn(text),
  ]);
}

/** @param cut time ended the launches before they told: a number of launches is then no advice */
export function renderComparison(made: ComparisonDocument, style: Style, cut = false): string {
  const document = printable(made);
  const { reference, sides, margin, by, overall, notes, answer } = document;
  const across = acrossOf(document);
  const candidates = sides.slice(1).map(({ name }) => name);
  const head = `${candidates.join(', ')} against ${reference}, by ${by}`;
  const rows: readonly Row[] = [
    ...overall.map(
      ({ candidate, cases, mean, interval }): Row => [
        'over cases',
        `${candidate}: ${significant(mean, 4)} times the reference’s rate, geometric mean of the ratios of ${plural(cases, 'case')} (a score takes those of the medians)${interval === null ? '' : `, 95 % between ${significant(interval.low, 4)} and ${significant(interval.high, 4)}`}`,
      ],
    ),
    ...choicesOfSides(document).map((text): Row => ['choice', style.warn(text)]),
    ...settleRows(document, cut),
    ...flagRows(document, style),
    ...missingRows(document, style),
    ...(across === null ? [] : ([[across.head, style.warn(across.text)]] as Row[])),
    ...notes.map((note): Row => ['note', note]),
    ['answer', `${outcomeText(answer, margin, style)}: ${ANSWERS[answer]}`],
  ];
  const what = `ratio: rate over that of ${reference}, above 1 is faster: the centre of the launches’ ratios, which need not be that of the medians shown`;
  return [
    ...wrap(style.bold(head), style.width),
    ...wrap(what, style.width - 2).map((line) => `  ${style.dim(line)}`),
    '',
    ...tables(document, style),
    '',
    renderRows(rows, style),
  ].join('\n');
}
