/** The page of a report: one HTML file with everything in it, that asks the network for nothing. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../package.js';
import { type Absent, type Figure, isDrawn } from '../figures/figure.js';
import { drawFigures, drawn, type Named, type ReportFigures } from '../figures/index.js';
import { PAGE } from '../figures/theme.js';
import { csvText } from '../formats/csv-text.js';
import type { ReportModel } from '../model.js';
import { comparisonHtml } from './comparison.js';
import { escapeHtml, scriptJson, scriptProgram } from './escape.js';
import { headHtml, stabilityHtml } from './head.js';

export interface PageInput {
  readonly report: ReportModel;
  /** As it lies on disk: the page carries it along. */
  readonly recordText: string;
  readonly renderSvg: (spec: ReturnType<Figure['spec']>) => Promise<string>;
}

const asset = (name: string): string => readFileSync(join(packageRoot, 'assets', 'report', name), 'utf8');

/** The program that draws in the page: the very version that drew the still pictures. */
function vegaProgram(): string {
  const main = createRequire(import.meta.url).resolve('vega/vega-schema.json');
  return readFileSync(join(dirname(main), 'vega.min.js'), 'utf8').replace(
    /\/\/# sourceMappingURL=.*\s*$/,
    '',
  );
}

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Nothing is fetched and only our two programs run. Vega makes functions of a specification's expressions
 * ('unsafe-eval'); those are ours, and texts of a record are data in a specification, never expressions.
 */
function policyOf(programs: readonly string[]): string {
  const scripts = programs.map(digest).join(' ');
  return `default-src 'none'; script-src ${scripts} 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
}

/** What a data: address and its attribute cannot hold as it is; all else stays short and readable. */
const encoded = (text: string): string => text.replaceAll(/[^\w.,:;()/*=-]/gu, encodeURIComponent);

function toolsHtml(id: string, { title, zoomable, data }: Figure): string {
  const button = (action: string, text: string): string =>
    `<button type="button" data-zoom="${action}" hidden>${text}</button>`;
  const zoom =
    zoomable === true
      ? [
          button('in', 'Zoom in'),
          button('out', 'Zoom out'),
          button('back', 'Earlier'),
          button('on', 'Later'),
          button('all', 'Whole time'),
        ].join('')
      : '';
  const link = `<a download="${id}.csv" aria-label="Data of ${escapeHtml(title)} (CSV)" href="data:text/csv;charset=utf-8,${encoded(csvText(data))}">Data (CSV)</a>`;
  return `<div class="tools">${zoom}${link}</div>`;
}

/** Names of clips count within a document, and the living picture that will take its place begins at the same number. */
const renamed = (svg: string): string => svg.replaceAll(/(id="|url\(#)clip(\d+)/g, '$1still-clip$2');

async function figureHtml(
  { id, result }: Named<Figure | Absent>,
  render: PageInput['renderSvg'],
): Promise<string> {
  if (!isDrawn(result)) return '';
  const title = `<h3>${escapeHtml(result.title)}</h3>`;
  const svg = renamed(await render(result.spec(PAGE)));
  return [
    `<figure id="${id}">`,
    title,
    `<div class="plot" data-figure="${id}" role="img" aria-label="${escapeHtml(`${result.title}. ${result.alternative}`)}">${svg}</div>`,
    `<figcaption>${escapeHtml(result.caption)}</figcaption>`,
    toolsHtml(id, result),
    '</figure>',
  ].join('\n');
}

/** One after the other: a view of Vega is heavy. */
async function figuresHtml(
  all: readonly Named<Figure | Absent>[],
  render: PageInput['renderSvg'],
): Promise<string> {
  const parts: string[] = [];
  for (const figure of all) parts.push(await figureHtml(figure, render));
  const absent = all.flatMap(({ id, result }) =>
    isDrawn(result) ? [] : [`<li data-absent="${id}">${escapeHtml(`${result.title}: ${result.why}.`)}</li>`],
  );
  if (absent.length > 0)
    parts.push(`<p class="quiet">Not drawn:</p><ul class="quiet">${absent.join('')}</ul>`);
  return parts.filter((part) => part !== '').join('\n');
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
    `<p>Made by pi-bench ${escapeHtml(version)}${commit === null ? '' : ` (${escapeHtml(commit.slice(0, 12))})`} from campaign ${escapeHtml(report.id)}. This page works offline and sends nothing.</p>`,
    '</footer>',
  ].join('\n');
}

export async function pageHtml(input: PageInput): Promise<string> {
  const { report } = input;
  const figures = drawFigures(report);
  const programs = [vegaProgram(), asset('page.js')].map(scriptProgram);
  const specs = Object.fromEntries(drawn(figures).map(({ id, result }) => [id, result.spec(PAGE)]));
  const title = `${report.headline.title} · pi-bench`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policyOf(programs))}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${asset('page.css')}</style>`,
    '</head>',
    '<body>',
    '<a class="skip" href="#figures-title">To the figures</a>',
    '<main>',
    headHtml(report),
    comparisonHtml(report),
    stabilityHtml(report),
    `<section aria-labelledby="figures-title"><h2 id="figures-title">Figures</h2>`,
    await figuresHtml(figures.campaign, input.renderSvg),
    '</section>',
    await batchesHtml(figures, input),
    '</main>',
    footHtml(input),
    `<script type="application/json" id="figures">${scriptJson(specs)}</script>`,
    ...programs.map((program) => `<script>${program}</script>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
