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
  sinceText,
} from '../history/words.js';
import { printable } from '../printable.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { sparkline } from './sparkline.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';

const SPARK_WIDTH = 24;
const MOST_LISTED = 8;
const MOST_CHANGES = 12;

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

/** Each text once, with the cases that it is of. */
function byText(
  told: readonly (readonly [name: string, text: string])[],
  isOnly: boolean,
): readonly string[] {
  const namesOf = new Map<string, string[]>();
  for (const [name, text] of told) namesOf.set(text, [...(namesOf.get(text) ?? []), name]);
  return [...namesOf].map(([text, names]) => (isOnly ? text : `${listed(names)}: ${text}`));
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return [...names.slice(0, MOST_LISTED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** The first of many texts under one name. */
function rowsUnder(name: string, texts: readonly string[], most = MOST_LISTED): readonly Row[] {
  const hidden = texts.length - most;
  return [...texts.slice(0, most), ...(hidden > 0 ? [`and ${hidden} more`] : [])].map(
    (text, i): Row => [i === 0 ? name : '', text],
  );
}

/** Of all cases the newest first: what lies longest behind is left to the document. */
function changeRows({ series }: HistoryDocument): readonly Row[] {
  const told = series
    .flatMap((one) => one.changes.map((change) => ({ one, change, at: one.points[change.at]?.at ?? '' })))
    .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .map(({ one, change }): [string, string] => [one.name, changeText(one, change)]);
  return rowsUnder('changes', byText(told, series.length === 1), MOST_CHANGES);
}

/** What else is not the same about the newest, where it is slower or faster. */
function differsRows({ series }: HistoryDocument): readonly Row[] {
  const told = series.flatMap(({ name, newest }): [string, string][] => {
    const reason = reasonText(newest);
    return reason === null ? [] : [[name, reason]];
  });
  return rowsUnder('differs', byText(told, series.length === 1));
}

/** Where the case went since its first level, unless that is its only change. */
function sinceRows({ series }: HistoryDocument): readonly Row[] {
  const told = series.flatMap((one): [string, string][] => {
    const text = sinceText(one);
    return text === null ? [] : [[one.name, text]];
  });
  return rowsUnder('in all', byText(told, series.length === 1));
}

/** Launches of the newest that are in no figure. */
function lostRows({ series }: HistoryDocument, style: Style): readonly Row[] {
  const told = series.flatMap(({ name, points }): [string, string][] => {
    const { launchesLost = null, launchesMissing = null } = points.at(-1) ?? {};
    return [launchesLost, launchesMissing].flatMap((text): [string, string][] =>
      text === null ? [] : [[name, text]],
    );
  });
  return rowsUnder('launches', byText(told, series.length === 1).map(style.warn));
}

/** Why a case has no verdict, each reason once, with the cases that it is of. */
function whyRows({ series }: HistoryDocument, style: Style): readonly Row[] {
  const told = series.flatMap(({ name, newest }): [string, string][] =>
    newest?.why == null || newest.outcome === 'new' ? [] : [[name, newest.why]],
  );
  return rowsUnder('no verdict', byText(told, series.length === 1).map(style.warn));
}

function flagRows({ series }: HistoryDocument, style: Style): readonly Row[] {
  const told = series.flatMap(({ name, points }): [string, string][] => {
    const flags = points.at(-1)?.flags ?? [];
    return flags.length === 0 ? [] : [[name, flags.join(', ')]];
  });
  return rowsUnder('flags', byText(told, series.length === 1).map(style.warn));
}

function leftOutRows({ leftOut }: HistoryDocument, style: Style): readonly Row[] {
  // What came after the one that is judged is worth more than what lies long behind.
  const texts = leftOut
    .toSorted((a, b) => Number(b.isNewer) - Number(a.isNewer))
    .map(({ record, why, isNewer }) => `${record}${isNewer ? ', newer than what is judged' : ''}: ${why}`);
  return rowsUnder('left out', texts.map(style.warn));
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
    ...sinceRows(document),
    ...whyRows(document, style),
    ...lostRows(document, style),
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
