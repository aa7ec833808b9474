/** The page's section of comparisons: the answer, who is how fast, and what a reader should know beside it. */
import type { ComparisonDocument } from '../../readers/comparison/document.js';
import {
  answerText,
  COMPARISON_COLUMNS,
  comparisonCaption,
  comparisonRows,
  isCompared,
  type ReportComparison,
  remarkTexts,
  reservationTexts,
} from '../comparison.js';
import { textHtml } from './escape.js';
import { together } from './head.js';
import { listHtml } from './list.js';
import { classOfOutcome } from './outcome-class.js';

/** The side names its row, and the case is a row above those of its own: a table has room for that on a telephone, too. */
const SHOWN = ['who', 'rate', 'ratio', '95 %', 'group', 'launches', 'answer'] as const;
const columnAt = (name: (typeof COMPARISON_COLUMNS)[number]): number => COMPARISON_COLUMNS.indexOf(name);

function rowHtml(texts: readonly string[]): string {
  const cells = SHOWN.map((name) => {
    const text = texts[columnAt(name)] ?? '';
    const html = textHtml(together(text));
    if (name === 'who') return `<th scope="row">${html}</th>`;
    return name === 'answer'
      ? `<td><span class="${classOfOutcome(text)}">${html}</span></td>`
      : `<td>${html}</td>`;
  });
  return `<tr>${cells.join('')}</tr>`;
}

/** One body for each case. */
function bodiesHtml(comparison: ComparisonDocument): string {
  const rows = comparisonRows(comparison);
  return comparison.cases
    .map(({ title, batches }, i) => {
      const first = comparison.cases.slice(0, i).reduce((sum, { batches: of }) => sum + of.length, 0);
      const own = rows.slice(first, first + batches.length).map(rowHtml);
      const head = `<tr><th scope="rowgroup" colspan="${SHOWN.length}">${textHtml(title)}</th></tr>`;
      return `<tbody>${[head, ...own].join('\n')}</tbody>`;
    })
    .join('\n');
}

/** Nothing where nothing is compared: the figure says why. */
export function comparisonHtml(comparison: ReportComparison): string {
  if (!isCompared(comparison)) return '';
  const { answer } = comparison;
  const head = SHOWN.map((name) => `<th scope="col">${textHtml(name)}</th>`).join('');
  return [
    '<h2 id="comparison-title">Comparison</h2>',
    '<div class="card">',
    `<p class="quiet" id="comparison-note">${textHtml(comparisonCaption(comparison))}</p>`,
    `<p><strong>Answer:</strong> <span class="${classOfOutcome(answer)}">${textHtml(answerText(comparison))}</span></p>`,
    ...listHtml('warning', reservationTexts(comparison)),
    '<div class="wide" role="region" aria-labelledby="comparison-title" tabindex="0">',
    '<table aria-labelledby="comparison-title" aria-describedby="comparison-note">',
    `<thead><tr>${head}</tr></thead>${bodiesHtml(comparison)}</table>`,
    '</div>',
    ...listHtml('quiet', remarkTexts(comparison)),
    '</div>',
  ].join('\n');
}
