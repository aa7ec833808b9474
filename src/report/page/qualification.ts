/** The page's section of a qualification: the answer, what is wrong and what to do, every check with its limit. Pure. */
import { limitText, measuredText, quantityText } from '../../qualify/findings.js';
import {
  batchTitle,
  checkName,
  checkTitle,
  countsText,
  groupsOf,
  judgedChecks,
  OUTCOME_TEXT,
  standingOut,
  telling,
  tellingFinding,
  whyNothingQualifies,
} from '../../qualify/wording.js';
import { formatSeconds, plural } from '../../quantities/format.js';
import type { Qualification, QualificationCheck, Verdict } from '../../record/schema.js';
import { textHtml } from './escape.js';

/** As good or bad news, for the colour; the words say it, too. */
const CLASSES: Readonly<Record<Verdict | Qualification['outcome'], string>> = {
  pass: 'ok',
  warn: 'warning',
  fail: 'bad',
  inconclusive: 'warning',
  skipped: 'quiet',
  qualified: 'ok',
  'not-qualified': 'bad',
};

const COLUMNS = ['check', 'verdict', 'of', 'measured', 'limit', 'attempts', 'limit from'] as const;

function rowHtml(check: QualificationCheck, title: string | null): string {
  const finding = tellingFinding(check);
  const known = finding !== undefined && finding.verdict !== 'skipped';
  const cells = [
    known ? quantityText(finding) : '',
    known ? measuredText(finding) : '',
    known ? limitText(finding) : '',
    check.attempts.map(({ verdict }) => verdict).join(', '),
    known && finding.bound !== 'none' ? finding.source : '',
  ].map((text) => `<td>${textHtml(text)}</td>`);
  const verdict = `<td><span class="${CLASSES[check.verdict]}">${check.verdict}</span></td>`;
  const of = title === null ? '' : ` <small class="quiet">${textHtml(title)}</small>`;
  return `<tr><th scope="row">${textHtml(checkName(check))}${of}</th>${verdict}${cells.join('')}</tr>`;
}

/** Checks with one cause are one thing to do: the first in all its words, of the others their figures. */
function problemHtml(
  group: readonly QualificationCheck[],
  titled: (check: QualificationCheck) => string,
): string {
  const [first, ...others] = group;
  if (first === undefined) return '';
  const { verdict, severity, cause, reason, action } = first;
  const title = others.length === 0 ? titled(first) : `${cause} in ${plural(group.length, 'check')}`;
  const named = (check: QualificationCheck, text: string): string =>
    others.length === 0 ? text : `${titled(check)}: ${text}`;
  const rows = [
    ['cause', `${cause ?? 'not known'}${severity === null ? '' : ` (${severity})`}`],
    ['why', named(first, reason)],
    ...others.map((check) => ['', named(check, telling(check))]),
    ...(action === null ? [] : [['do', action]]),
  ].map(([name = '', text = '']) => `<dt>${name}</dt><dd>${textHtml(text)}</dd>`);
  return `<div class="card"><h3><span class="${CLASSES[verdict]}">${verdict}</span> ${textHtml(title)}</h3><dl>${rows.join('')}</dl></div>`;
}

const listHtml = (title: string, items: readonly string[]): string =>
  items.length === 0
    ? ''
    : `<p class="quiet">${title}</p><ul class="quiet">${items.map((item) => `<li>${textHtml(item)}</li>`).join('')}</ul>`;

/**
 * @param batches of the record, which checks of parts of several batches are titled by
 * @param fault that was injected; null: none
 * @param warnings about the record as a whole
 */
export function qualificationHtml(
  qualification: Qualification,
  batches: readonly { readonly title: string }[],
  fault: string | null,
  warnings: readonly string[],
): string {
  const { outcome, suite, wall, attempts, notJudged, baseline, identity } = qualification;
  const bad = standingOut(qualification);
  const none = whyNothingQualifies(qualification);
  const titled = (check: QualificationCheck): string => checkTitle(check, batches);
  const again = attempts
    .slice(1)
    .map(
      ({ number, parts, campaign, cooledDown }) =>
        `attempt ${number}: ${parts.join(', ')} after ${formatSeconds(cooledDown, 2)} of cooling down (${campaign})`,
    );
  const devices = identity.devices.map(
    ({ device, name, serial, serialIs }) =>
      `${device}: ${name ?? 'not known'}, ${serialIs} ${serial ?? 'not known'}`,
  );
  const judged = `suite ${suite.name}, ${countsText(qualification)}; ${formatSeconds(wall, 3)}${baseline === null ? ', no baseline' : `, baseline ${baseline.name} of ${plural(baseline.nodes, 'node')}`}`;
  return [
    '<section class="verdict" aria-label="Verdict">',
    ...(fault === null
      ? []
      : [
          `<p class="badge bad">A fault was injected (${textHtml(fault)}): this is no verdict on the machine.</p>`,
        ]),
    ...warnings.map((text) => `<p class="badge bad">${textHtml(text)}</p>`),
    `<p class="value ${CLASSES[outcome]}">${OUTCOME_TEXT[outcome]}</p>`,
    ...(none === null ? [] : [`<p>Inconclusive: ${textHtml(none)}.</p>`]),
    `<p>${textHtml(judged)}</p>`,
    '</section>',
    ...(bad.length === 0
      ? []
      : ['<h2>What stands out</h2>', ...groupsOf(bad).map((group) => problemHtml(group, titled))]),
    '<h2 id="checks-title">Checks</h2>',
    '<div class="card">',
    '<div class="wide" role="region" aria-labelledby="checks-title" tabindex="0">',
    '<table aria-labelledby="checks-title">',
    `<thead><tr>${COLUMNS.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>`,
    `<tbody>${judgedChecks(qualification)
      .map((check) => rowHtml(check, batchTitle(check, batches)))
      .join('\n')}</tbody></table>`,
    '</div>',
    listHtml('Measured again:', again),
    listHtml('Not judged:', notJudged),
    listHtml('Devices:', devices),
    '</div>',
  ].join('\n');
}
