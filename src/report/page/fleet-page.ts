/** The page of `pi-bench fleet check --format html`: who is named and why, with the violins of each named node beside its fleet. */

import { CAUSES } from '../../fleet/causes.js';
import type { FleetCheck, NamedNode } from '../../fleet/check.js';
import { disagreementText, sameMachinesText } from '../../fleet/identity.js';
import { warnedTexts } from '../../fleet/notes.js';
import type { Fleet } from '../../fleet/table.js';
import { unseenText } from '../../fleet/unseen-rules.js';
import { versionsText } from '../../qualify/versions.js';
import { plural } from '../../quantities/format.js';
import {
  type AlikeNodes,
  alikeNodes,
  byKpi,
  LIMITS_ADVICE,
  notJudgedTexts,
  optionalTexts,
  outcomeTexts,
} from '../../readers/terminal/fleet.js';
import { isDrawn } from '../figures/figure.js';
import { drawNode } from '../figures/fleet.js';
import { escapeHtml } from './escape.js';
import { together } from './head.js';
import { figuresHtml, type RenderSvg, shellHtml } from './shell.js';

/** A picture for each of hundreds of nodes would be a page that no telephone opens. */
const MOST_FIGURES = 12;
const MOST_NAMED = 500;
const MOST_KPIS = 3;
const MOST_LISTED = 100;

const sentenceHtml = (text: string): string => escapeHtml(together(text));

/** Sentences, not figures: a card for each node, or for those of which the same is said, reads better than a table, on a telephone too. */
function cardHtml({ names, said }: AlikeNodes): string {
  const { on, cause, severity, reason, action, findings, verdict, beside } = said;
  const devices = on.filter((one) => one !== 'cpu');
  const title = `${names.join(', ')}${devices.length === 0 ? '' : ` (${devices.join(', ')})`}`;
  const groups = byKpi(findings);
  const worse = groups
    .slice(0, MOST_KPIS)
    .map(({ title, text }) => `<li>${sentenceHtml(`${title}: ${text}`)}</li>`);
  const more = groups.length - worse.length;
  const also =
    beside.length === 0
      ? ''
      : ` Also ${beside.map((name) => escapeHtml(`${name} (${CAUSES[name].words})`)).join(', ')}.`;
  return [
    '<div class="card">',
    `<h2>${escapeHtml(title)}</h2>`,
    `<p><strong class="${verdict === 'fail' ? 'bad' : 'warning'}">${escapeHtml(cause)}</strong> (${severity}): ${sentenceHtml(reason)}.${also}</p>`,
    worse.length === 0
      ? ''
      : `<ul>${worse.join('')}${more > 0 ? `<li>and at ${plural(more, 'KPI')} more</li>` : ''}</ul>`,
    `<p><strong>Next:</strong> ${escapeHtml(action)}.</p>`,
    '</div>',
  ].join('\n');
}

function namedHtml(named: readonly NamedNode[]): string {
  const more =
    named.length > MOST_NAMED
      ? `<p class="quiet">and ${named.length - MOST_NAMED} more, which the JSON has</p>`
      : '';
  return `${alikeNodes(named.slice(0, MOST_NAMED)).map(cardHtml).join('\n')}${more}`;
}

function listHtml(title: string, texts: readonly string[]): string {
  if (texts.length === 0) return '';
  const items = texts.slice(0, MOST_LISTED).map((text) => `<li>${escapeHtml(text)}</li>`);
  const more = texts.length - items.length;
  const rest = more > 0 ? `<li>and ${more} more, which the JSON has</li>` : '';
  return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}${rest}</ul>`;
}

export async function fleetPageHtml(
  fleet: Fleet,
  check: FleetCheck,
  version: string,
  renderSvg: RenderSvg,
): Promise<string> {
  const { named, nodes, kpis, baseline, settings, powerLimits, reference } = check;
  const drawable = named.filter(({ findings }) => findings.some(({ key }) => key !== null));
  const figures = drawable
    .slice(0, MOST_FIGURES)
    .map((node, i) => ({ id: `node-${i + 1}`, result: drawNode(fleet, node) }));
  const against =
    baseline === null
      ? 'against each other'
      : `against the baseline ${baseline.name}${versionsText(baseline.otherVersions)}`;
  const words = outcomeTexts(check).join('');
  const title = `${words[0]?.toUpperCase()}${words.slice(1)}`;
  const middle = reference === null ? '' : ` Most typical is ${reference}.`;
  const machines = sameMachinesText(check.sameMachines);
  const body = [
    '<main>',
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(`${plural(nodes, 'node')} and ${plural(kpis, 'KPI')}, ${against}.${middle}`)}</p>`,
    namedHtml(named),
    '<section aria-label="Figures">',
    await figuresHtml(figures, renderSvg),
    drawable.length > figures.length
      ? `<p class="quiet">The first ${figures.length} of ${drawable.length} nodes are drawn.</p>`
      : '',
    '</section>',
    listHtml('Not judged', notJudgedTexts(check)),
    listHtml('Open, and not required', optionalTexts(check)),
    listHtml('Not seen: rules by which these were not judged', check.unseen.map(unseenText)),
    listHtml('Checks that warn', warnedTexts(check.warned)),
    listHtml('To be known beside this', [...(machines === null ? [] : [machines]), ...check.notes]),
    listHtml('What the nodes do not agree on', [
      ...settings.map(disagreementText),
      ...powerLimits.map((one) => `${one}: ${LIMITS_ADVICE}`),
    ]),
    '</main>',
    `<footer><p>Made by pi-bench ${escapeHtml(version)}. This page works offline and sends nothing.</p></footer>`,
  ];
  return shellHtml(
    `${title} · pi-bench`,
    body,
    figures.flatMap(({ id, result }) => (isDrawn(result) ? [{ id, result }] : [])),
  );
}
