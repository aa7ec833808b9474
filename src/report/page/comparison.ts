/** The page's section of comparisons: the answer, who is how fast, and what a reader should know beside it. */
import { plural, significant } from '../../quantities/format.js';
import {
  COMPARISON_COLUMNS,
  comparisonCaption,
  comparisonRows,
  groupsNote,
  isCompared,
  outcomeText,
} from '../comparison.js';
import type { ReportModel } from '../model.js';
import { escapeHtml } from './escape.js';
import { together } from './head.js';

const MOST_LEFT_OUT = 8;

/** As good or bad news, for the colour; the words say it, too. */
const CLASSES: Readonly<Record<string, string>> = {
  faster: 'ok',
  slower: 'bad',
  'wrong output': 'bad',
  'cannot tell': 'warning',
  'not measured': 'warning',
};

const classOf = (answer: string): string => CLASSES[answer] ?? (answer.startsWith('same') ? 'ok' : '');

const columnAt = (name: (typeof COMPARISON_COLUMNS)[number]): number => COMPARISON_COLUMNS.indexOf(name);

/** Nothing where nothing is compared: the figure says why. */
export function comparisonHtml({ comparison }: ReportModel): string {
  if (!isCompared(comparison)) return '';
  const { answer, margin, overall, notCompared, notes, reference, cases } = comparison;
  // Of one case the column would say the same in each row.
  const kept = COMPARISON_COLUMNS.map((name, i) => ({ name, i })).filter(
    ({ name }) => name !== 'case' || cases.length > 1,
  );
  const head = kept.map(({ name }) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const rows = comparisonRows(comparison).map((texts) => {
    const cells = kept.map(({ name, i }) => {
      const text = escapeHtml(together(texts[i] ?? ''));
      if (i === columnAt('who')) return `<th scope="row">${text}</th>`;
      const kind = name === 'answer' ? classOf(texts[i] ?? '') : '';
      return `<td>${kind === '' ? text : `<span class="${kind}">${text}</span>`}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const left = notCompared.slice(0, MOST_LEFT_OUT).map(({ title, why }) => `${title}: ${why}.`);
  const remarks = [
    groupsNote(comparison),
    ...overall.map(
      ({ candidate, cases: of, mean, interval }) =>
        `Over ${plural(of, 'case')} ${candidate} has ${significant(mean, 4)} times the rate of ${reference} (geometric mean)${interval === null ? '' : `, 95 % between ${significant(interval.low, 4)} and ${significant(interval.high, 4)}`}.`,
    ),
    ...left,
    notCompared.length > left.length
      ? `And ${notCompared.length - left.length} more were not compared.`
      : null,
    ...notes.map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`),
  ].filter((text) => text !== null);
  return [
    '<h2 id="comparison-title">Comparison</h2>',
    '<div class="card">',
    `<p class="quiet" id="comparison-note">${escapeHtml(comparisonCaption(comparison))}</p>`,
    ...(cases.length === 1 ? [`<p>${escapeHtml(cases[0]?.title ?? '')}</p>`] : []),
    `<p><strong>Answer:</strong> <span class="${classOf(answer)}">${escapeHtml(outcomeText(answer, margin))}</span></p>`,
    '<div class="wide" role="region" aria-labelledby="comparison-title" tabindex="0">',
    '<table aria-labelledby="comparison-title" aria-describedby="comparison-note">',
    `<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`,
    '</div>',
    ...remarks.map((text) => `<p class="quiet">${escapeHtml(text)}</p>`),
    '</div>',
  ].join('\n');
}
