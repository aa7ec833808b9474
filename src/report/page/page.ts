/** The page of a report: one HTML file with everything in it, that asks the network for nothing. */
import { gzipSync } from 'node:zlib';
import { shortCommit } from '../../package.js';
import { drawFigures, drawn, type ReportFigures } from '../figures/index.js';
import type { ReportModel } from '../model.js';
import { comparisonHtml } from './comparison.js';
import { escapeHtml } from './escape.js';
import { headHtml, overlapHtml, ratesHtml, stabilityHtml } from './head.js';
import { figuresHtml, type RenderSvg, shellHtml } from './shell.js';

export interface PageInput {
  readonly report: ReportModel;
  /** As it lies on disk: the page carries it along. */
  readonly recordText: string;
  readonly renderSvg: RenderSvg;
}

async function batchesHtml(figures: ReportFigures, { report, renderSvg }: PageInput): Promise<string> {
  const { batches } = figures;
  if (batches.length === 0) return '';
  const parts: string[] = [];
  for (const [i, { batch, figures: own }] of batches.entries()) {
    const inside = await figuresHtml(own, renderSvg);
    parts.push(
      batches.length === 1
        ? inside
        : `<details${i === 0 ? ' open' : ''}><summary>${escapeHtml(batch.name)} <span class="quiet">${escapeHtml(batch.title)}</span></summary>\n${inside}\n</details>`,
    );
  }
  const all = report.batches.length;
  const which =
    batches.length < all
      ? `<p class="quiet">${batches.length} of ${all} batches, evenly chosen; the others are in the table and in the figures above.</p>`
      : '';
  const title = all === 1 ? 'Inside the batch' : 'Inside the batches';
  return `<section aria-labelledby="inside"><h2 id="inside">${title}</h2>\n${which}\n${parts.join('\n')}\n</section>`;
}

/** Characters of a record, packed, that the page carries along; a page of several megabytes is no longer sent around. */
const MOST_RECORD = 900_000;

function recordHtml({ report, recordText }: PageInput): string {
  const packed = gzipSync(recordText, { level: 9 }).toString('base64');
  return packed.length <= MOST_RECORD
    ? `<a download="record.json.gz" href="data:application/gzip;base64,${packed}">The whole record (record.json.gz)</a>: every number of this page, with its labels.`
    : `Every number of this page, with its labels, is in record.json of campaign ${escapeHtml(report.id)}, which is too large to be carried along.`;
}

function footHtml(input: PageInput): string {
  const { report } = input;
  const { version, commit } = report.piBench;
  return [
    '<footer>',
    `<p>${recordHtml(input)}</p>`,
    `<p>Made by pi-bench ${escapeHtml(version)}${commit === null ? '' : ` (${escapeHtml(shortCommit(commit))})`} from campaign ${escapeHtml(report.id)}. This page works offline and sends nothing.</p>`,
    '</footer>',
  ].join('\n');
}

export async function pageHtml(input: PageInput): Promise<string> {
  const { report } = input;
  const figures = drawFigures(report);
  const body = [
    '<a class="skip" href="#figures-title">To the figures</a>',
    '<main>',
    headHtml(report),
    ...(report.batches.length === 0
      ? []
      : [
          comparisonHtml(report.comparison),
          overlapHtml(report),
          ratesHtml(report),
          stabilityHtml(report),
          `<section aria-labelledby="figures-title"><h2 id="figures-title">Figures</h2>`,
          await figuresHtml(figures.campaign, input.renderSvg),
          '</section>',
          await batchesHtml(figures, input),
        ]),
    '</main>',
    footHtml(input),
  ];
  return shellHtml(`${report.headline.title} · pi-bench`, body, drawn(figures));
}
