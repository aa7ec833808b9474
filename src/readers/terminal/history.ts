/** A history for a person: a row for each case with its course and what the newest campaign came to, and every change of level. */
import { formatShare, plural, significant } from '../../quantities/format.js';
import { speedText } from '../comparison/words.js';
import type { HistoryDocument, HistoryOutcome, HistorySeries, NewestJudged } from '../history/document.js';
import {
  changeText,
  dayText,
  HISTORY_ANSWERS,
  historyOutcomeWords,
  intervalText,
  reasonText,
} from '../history/words.js';
import { printable } from '../printable.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { sparkline } from './sparkline.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';

const SPARK_WIDTH = 24;
const MOST_LISTED = 8;
/** The newest of each case. */
const MOST_CHANGES = 5;

const left = (head: string, text: string): Cell => ({ head, align: 'left', text });
const right = (head: string, text: string): Cell => ({ head, align: 'right', text });

function outcomeText(outcome: HistoryOutcome, margin: number, style: Style): string {
  const text = historyOutcomeWords(outcome, margin);
  switch (outcome) {
    case 'faster':
    case 'same':
      return style.good(text);
    case 'slower':
      return style.bad(text);
    case 'wrong output':
      return style.bad('WRONG output');
    case 'new':
      return style.dim(text);
    default:
      return style.warn(text);
  }
}

const referenceText = (newest: NewestJudged | null): string =>
  newest?.reference == null ? '' : `${newest.reference.campaigns} since ${dayText(newest.reference.since)}`;

const spreadText = (newest: NewestJudged | null): string =>
  newest?.reference?.deviation == null ? '' : formatShare(newest.reference.deviation);

function rowOf(one: HistorySeries, { series, margin }: HistoryDocument, style: Style): readonly Cell[] {
  const { name, points, newest } = one;
  const counted = points.flatMap(({ speed, leftOut }) => (speed === null || leftOut !== null ? [] : [speed]));
  const last = points.at(-1)?.speed ?? null;
  const speeds = counted.map(({ rate, elapsedSeconds }) => rate ?? 1 / elapsedSeconds);
  return [
    left('case', series.length === 1 ? '' : name),
    right('newest', last === null ? '' : (speedText(last) ?? '')),
    right('ratio', newest?.ratio == null ? '' : style.bold(significant(newest.ratio, 4))),
    right('95 %', newest === null ? '' : (intervalText(newest) ?? '')),
    left('answer', newest === null ? style.dim('not in it') : outcomeText(newest.outcome, margin, style)),
    left('level of', referenceText(newest)),
    right('spread', spreadText(newest)),
    left('course', speeds.length < 2 ? '' : sparkline(speeds, SPARK_WIDTH)),
  ];
}

const OPTIONAL = ['spread', 'newest', 'course', 'level of'];

function changeRows(document: HistoryDocument): readonly Row[] {
  return document.series.flatMap((one) => {
    const shown = one.changes.slice(-MOST_CHANGES);
    const hidden = one.changes.length - shown.length;
    const name = document.series.length === 1 ? '' : `${one.name}, `;
    return [
      ...(hidden > 0 ? [`${name}${plural(hidden, 'earlier change')}`] : []),
      ...shown.map((change) => `${name}${changeText(one, change)}`),
    ].map((text, i): Row => [i === 0 ? 'changes' : '', text]);
  });
}

/** What else is not the same about the newest, where it is slower or faster. */
function differsRows({ series }: HistoryDocument): readonly Row[] {
  return series
    .flatMap(({ name, newest }) => {
      const reason = reasonText(newest);
      return reason === null ? [] : [series.length === 1 ? reason : `${name}: ${reason}`];
    })
    .map((text, i): Row => [i === 0 ? 'differs' : '', text]);
}

/** Why a case has no verdict, each reason once, with the cases that it is of. */
function whyRows({ series }: HistoryDocument, style: Style): readonly Row[] {
  const told = new Map<string, string[]>();
  for (const { name, newest } of series) {
    if (newest?.why == null || newest.outcome === 'new') continue;
    told.set(newest.why, [...(told.get(newest.why) ?? []), name]);
  }
  return [...told].map(([why, names]): Row => {
    const listed = names.slice(0, MOST_LISTED).join('; ');
    const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '';
    return ['no verdict', style.warn(series.length === 1 ? why : `${listed}${more}: ${why}`)];
  });
}

function flagRows({ series }: HistoryDocument, style: Style): readonly Row[] {
  const all = series.flatMap(({ name, points }) => {
    const flags = points.at(-1)?.flags ?? [];
    return flags.length === 0 ? [] : [`${series.length === 1 ? '' : `${name}: `}${flags.join(', ')}`];
  });
  const hidden = all.length - MOST_LISTED;
  return [...all.slice(0, MOST_LISTED), ...(hidden > 0 ? [`and ${hidden} more`] : [])].map(
    (text, i): Row => [i === 0 ? 'flags' : '', style.warn(text)],
  );
}

function leftOutRows({ leftOut }: HistoryDocument, style: Style): readonly Row[] {
  const hidden = leftOut.length - MOST_LISTED;
  return [
    ...leftOut.slice(0, MOST_LISTED).map(({ record, why }) => `${record}: ${why}`),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
  ].map((text, i): Row => [i === 0 ? 'left out' : '', style.warn(text)]);
}

export function renderHistory(made: HistoryDocument, style: Style): string {
  const document = printable(made);
  const { judged, campaigns, series, others, notes, answer, margin } = document;
  const titles = [...new Set(series.map(({ title }) => title))];
  const head = `${judged}, among ${plural(campaigns, 'campaign')}`;
  const what =
    'ratio: rate over that of the level before it, above 1 is faster; its interval allows for how far campaigns of that level spread';
  const rows: readonly Row[] = [
    ...differsRows(document),
    ...changeRows(document),
    ...whyRows(document, style),
    ...flagRows(document, style),
    ...leftOutRows(document, style),
    ...(others > 0
      ? ([
          ['others', `${plural(others, 'case')} of earlier campaigns, which this one does not have (--all)`],
        ] as Row[])
      : []),
    ...notes.map((note): Row => ['note', note]),
    ['answer', `${outcomeText(answer, margin, style)}: ${HISTORY_ANSWERS[answer]}`],
  ];
  return [
    ...wrap(style.bold(head), style.width),
    ...wrap(what, style.width - 2).map((line) => `  ${style.dim(line)}`),
    '',
    ...(titles.length === 1
      ? titles.flatMap((title) => wrap(title, style.width - 2)).map((line) => `  ${line}`)
      : []),
    renderFitting(
      series.map((one) => rowOf(one, document, style)),
      { optional: OPTIONAL, shortened: 'case', atLast: ['95 %'] },
      style,
    ),
    '',
    renderRows(rows, style),
  ].join('\n');
}
