/** Every format of a verdict. A new one is its file and its line here. */
import type { VerdictFormat } from './format.js';
import { html } from './html.js';
import { json, jsonl } from './json.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { prom } from './prometheus.js';

export const verdictFormats: readonly VerdictFormat[] = [json, jsonl, junit, markdown, html, prom];
export { isJudged, type Judged, type VerdictFormat } from './format.js';
