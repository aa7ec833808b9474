/** The page of `pi-bench compare --format html`: a comparison of whatever records, with its figure, and nothing else. */
import type { ComparisonDocument } from '../../readers/comparison/document.js';
import { drawComparison } from '../figures/comparison.js';
import { isDrawn } from '../figures/figure.js';
import { comparisonHtml } from './comparison.js';
import { escapeHtml } from './escape.js';
import { figuresHtml, type RenderSvg, shellHtml } from './shell.js';

export async function comparisonPageHtml(
  document: ComparisonDocument,
  version: string,
  renderSvg: RenderSvg,
): Promise<string> {
  const { sides, reference } = document;
  const candidates = sides.slice(1).map(({ name }) => name);
  const title = `${candidates.join(', ')} against ${reference}`;
  const figure = { id: 'comparison', result: drawComparison(document) };
  const campaigns = [...new Set(sides.flatMap(({ campaigns: of }) => of))].join(', ');
  const body = [
    '<main>',
    `<h1>${escapeHtml(title)}</h1>`,
    comparisonHtml(document),
    '<section aria-label="Figure">',
    await figuresHtml([figure], renderSvg),
    '</section>',
    '</main>',
    `<footer><p>Made by pi-bench ${escapeHtml(version)} from ${escapeHtml(campaigns)}. This page works offline and sends nothing.</p></footer>`,
  ];
  const { id, result } = figure;
  return shellHtml(`${title} · pi-bench`, body, isDrawn(result) ? [{ id, result }] : []);
}
