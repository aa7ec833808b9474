/** Every format of the report. A new one is its file and its line here. */
import { csv } from './csv.js';
import type { Format } from './format.js';
import { html } from './html.js';
import { json } from './json.js';
import { markdown } from './markdown.js';
import { performanceJson } from './performance-json.js';
import { svg } from './svg.js';

export const formats: readonly Format[] = [html, markdown, svg, csv, json, performanceJson];
export type { Format, OutputFile, Request } from './format.js';
