/** The page of `pi-bench history --format html`: what the newest campaign came to, every change of level, a figure of each case. */
import { formatShare, plural, significant } from '../../quantities/format.js';
import type { HistoryDocument, HistorySeries } from '../../readers/history/document.js';
import {
  changeText,
  dayText,
  HISTORY_ANSWERS,
  historyOutcomeWords,
  intervalText,
  levelText,
  reasonText,
  sinceText,
} from '../../readers/history/words.js';
import { isDrawn } from '../figures/figure.js';
import { drawHistory } from '../figures/history.js';
import { textHtml } from './escape.js';
import { together } from './head.js';
import { listHtml } from './list.js';
import { classOfOutcome } from './outcome-class.js';
import { figuresHtml, type RenderSvg, shellHtml } from './shell.js';

/** A picture for each of hundreds of cases would be a page that no telephone opens: of those that changed first. */
const MOST_FIGURES = 24;
const MOST_CHANGES = 100;

const HEADS = ['case', 'newest', 'ratio', '95 %', 'level', 'campaigns', 'answer'] as const;
const NONE = '–';

function rowHtml({ name, points, newest }: HistorySeries, margin: number): string {
  const last = points.at(-1)?.speed ?? null;
  const reference = newest?.reference ?? null;
  const answer = newest === null ? 'not in it' : historyOutcomeWords(newest.outcome, margin);
  const cells = [
    last === null ? NONE : levelText(last),
    newest?.ratio == null ? NONE : significant(newest.ratio, 4),
    (newest === null ? null : intervalText(newest)) ?? NONE,
    reference === null ? NONE : levelText(reference.speed),
    reference === null ? NONE : `${reference.campaigns} since ${dayText(reference.since)}`,
  ].map((text) => `<td>${textHtml(together(text))}</td>`);
  const answerCell = `<td><span class="${newest === null ? '' : classOfOutcome(newest.outcome)}">${textHtml(together(answer))}</span></td>`;
  return `<tr><th scope="row">${textHtml(together(name))}</th>${cells.join('')}${answerCell}</tr>`;
}

const worthFirst = (one: HistorySeries, other: HistorySeries): number =>
  Number(other.newest?.outcome === 'slower') - Number(one.newest?.outcome === 'slower') ||
  Number(other.changes.length > 0) - Number(one.changes.length > 0);

/** What a reader should know beside the table. */
function remarksOf({ series, leftOut, others, notes }: HistoryDocument, figures: number): readonly string[] {
  const why = new Map<string, string[]>();
  for (const { name, newest } of series) {
    if (newest?.why != null) why.set(newest.why, [...(why.get(newest.why) ?? []), name]);
  }
  const reasons = series.flatMap(({ name, newest }) => {
    const reason = reasonText(newest);
    return reason === null ? [] : [`the newest of ${name} differs: ${reason}`];
  });
  const told = series.flatMap((one) => {
    const { launchesLost = null, launchesMissing = null } = one.points.at(-1) ?? {};
    return [sinceText(one), launchesLost, launchesMissing].flatMap((text) =>
      text === null ? [] : [`${one.name}: ${text}`],
    );
  });
  return [
    ...reasons,
    ...told,
    ...[...why].map(([text, names]) => `${names.join('; ')}: ${text}`),
    ...leftOut.map(
      ({ record, why: text, isNewer }) =>
        `left out${isNewer ? ', and newer than what is judged' : ''}: ${record}: ${text}`,
    ),
    ...(others > 0
      ? [
          `${plural(others, 'case')} of earlier campaigns, which this one does not have, are not shown (--all)`,
        ]
      : []),
    ...notes,
    ...(figures < series.length
      ? [`pictures of ${figures} of ${plural(series.length, 'case')}, those that changed first`]
      : []),
  ];
}

export async function historyPageHtml(
  document: HistoryDocument,
  version: string,
  renderSvg: RenderSvg,
): Promise<string> {
  const { judged, campaigns, series, margin, answer } = document;
  const title = `${judged}, among ${plural(campaigns, 'campaign')}`;
  const titles = [...new Set(series.map(({ title: of }) => of))];
  const shown = series.toSorted(worthFirst).slice(0, MOST_FIGURES);
  const figures = shown.map((one, i) => ({ id: `history-${i + 1}`, result: drawHistory(one, margin) }));
  const changes = series.flatMap((one) =>
    one.changes.map((change) => `${one.name}, ${changeText(one, change)}`),
  );
  const head = HEADS.map((name) => `<th scope="col">${textHtml(name)}</th>`).join('');
  const body = [
    '<main>',
    `<h1>${textHtml(title)}</h1>`,
    ...(titles.length === 1 ? titles.map((text) => `<p>${textHtml(text)}</p>`) : []),
    '<div class="card">',
    `<p><strong>Answer:</strong> <span class="${classOfOutcome(answer)}">${textHtml(`${historyOutcomeWords(answer, margin)}: ${HISTORY_ANSWERS[answer]}`)}</span></p>`,
    `<p class="quiet" id="history-note">${textHtml(`Ratio: rate over that of the level before it, above 1 is faster; its interval allows for how far campaigns of that level spread. A difference has to hold among all cases (Holm’s correction); the same is what lies within ${formatShare(margin)}.`)}</p>`,
    '<div class="wide" role="region" aria-label="Cases" tabindex="0">',
    `<table aria-describedby="history-note"><thead><tr>${head}</tr></thead><tbody>`,
    ...series.map((one) => rowHtml(one, margin)),
    '</tbody></table>',
    '</div>',
    ...(changes.length === 0 ? [] : ['<h2>Changes</h2>']),
    ...listHtml('', changes.slice(0, MOST_CHANGES)),
    ...listHtml('quiet', remarksOf(document, shown.length)),
    '</div>',
    '<section aria-label="Figures">',
    await figuresHtml(figures, renderSvg),
    '</section>',
    '</main>',
    `<footer><p>Made by pi-bench ${textHtml(version)}. This page works offline and sends nothing.</p></footer>`,
  ];
  return shellHtml(
    `${title} · pi-bench`,
    body,
    figures.flatMap(({ id, result }) => (isDrawn(result) ? [{ id, result }] : [])),
  );
}
