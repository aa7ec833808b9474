/** What every page has: styles, programs and what they may do, and figures with their words and data. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../package.js';
import { type Absent, type Figure, isDrawn } from '../figures/figure.js';
import type { Named } from '../figures/index.js';
import { PAGE } from '../figures/theme.js';
import { csvText } from '../formats/csv-text.js';
import { escapeHtml, scriptJson, scriptProgram, textHtml } from './escape.js';

export type RenderSvg = (spec: ReturnType<Figure['spec']>) => Promise<string>;

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

async function figureHtml({ id, result }: Named<Figure | Absent>, render: RenderSvg): Promise<string> {
  if (!isDrawn(result)) return '';
  const title = `<h3>${escapeHtml(result.title)}</h3>`;
  const svg = renamed(await render(result.spec(PAGE)));
  return [
    `<figure id="${id}">`,
    title,
    `<div class="plot" data-figure="${id}" role="img" aria-label="${escapeHtml(`${result.title}. ${result.alternative}`)}">${svg}</div>`,
    `<figcaption>${textHtml(result.caption)}</figcaption>`,
    toolsHtml(id, result),
    '</figure>',
  ].join('\n');
}

/** One after the other: a view of Vega is heavy. */
export async function figuresHtml(
  all: readonly Named<Figure | Absent>[],
  render: RenderSvg,
): Promise<string> {
  const parts: string[] = [];
  for (const figure of all) parts.push(await figureHtml(figure, render));
  const absent = all.flatMap(({ id, result }) =>
    isDrawn(result) ? [] : [`<li data-absent="${id}">${textHtml(`${result.title}: ${result.why}.`)}</li>`],
  );
  if (absent.length > 0)
    parts.push(`<p class="quiet">Not drawn:</p><ul class="quiet">${absent.join('')}</ul>`);
  return parts.filter((part) => part !== '').join('\n');
}

/** @param body between the tags of that name; `figures` that it has, drawn anew in the page by their specifications */
export function shellHtml(title: string, body: readonly string[], figures: readonly Named<Figure>[]): string {
  const programs = [vegaProgram(), asset('page.js')].map(scriptProgram);
  const specs = Object.fromEntries(figures.map(({ id, result }) => [id, result.spec(PAGE)]));
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
    ...body,
    `<script type="application/json" id="figures">${scriptJson(specs)}</script>`,
    ...programs.map((program) => `<script>${program}</script>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
