/** The first screen of the page: the verdict, what qualifies it, where it comes from, and the stability table. Pure. */

import { shortCommit } from '../../package.js';
import { grouped, plural } from '../../quantities/format.js';
import { measuredText } from '../../readers/launch-counts.js';
import { missedPrecision } from '../../readers/precision.js';
import { sentence } from '../comparison.js';
import { damageText } from '../damage.js';
import type { BatchModel, ReportModel } from '../model.js';
import { valueText } from '../no-score.js';
import { commandText, originRows } from '../origin.js';
import { OVERLAP_CAPTION, OVERLAP_COLUMNS, overlapRows } from '../overlap.js';
import { RATES_CAPTION, RATES_COLUMNS, ratesRows } from '../rates.js';
import { lettersText } from '../stack-letters.js';
import { besideLists, noFlags, STABILITY_CAPTION, STABILITY_COLUMNS, stabilityRows } from '../tables.js';
import { escapeHtml, textHtml } from './escape.js';
import { qualificationHtml } from './qualification.js';

const MOST_LISTED = 8;

function launchNames(inspections: readonly number[], { planned }: BatchModel): string {
  if (inspections.length === 0) return '';
  if (inspections.length === planned) return planned === 1 ? '' : 'every launch';
  const named = inspections.slice(0, MOST_LISTED).map((index) => index + 1);
  const more = inspections.length > MOST_LISTED ? ` and ${inspections.length - MOST_LISTED} more` : '';
  return `launch ${named.join(', ')}${more}`;
}

/** What a person must know before they believe any number below. */
export function warnings({
  status,
  notSettled,
  fault,
  contendedBy,
  choices,
  batches,
  imported,
}: ReportModel): readonly string[] {
  const [measured, planned] = [
    batches.reduce((sum, batch) => sum + batch.measured, 0),
    batches.reduce((sum, batch) => sum + batch.planned, 0),
  ];
  const damage = damageText(batches);
  return [
    ...(fault === null ? [] : [`A fault was injected (${fault}): this is no measurement of the machine.`]),
    ...(status === 'complete'
      ? []
      : [
          `The campaign is ${status}: ${imported === null ? measuredText(batches) : `${grouped(measured)} of ${plural(planned, 'launch', 'launches')} are among what was imported`}.`,
        ]),
    ...(notSettled === null ? [] : [sentence(notSettled)]),
    ...missedPrecision(batches).map(sentence),
    ...(contendedBy === null ? [] : [`Measured at the same time: ${contendedBy}.`]),
    ...choices.map((text) => `${text}.`),
    ...(damage === null ? [] : [damage]),
  ];
}

export interface FlagLine {
  readonly name: string;
  readonly where: string;
  readonly reason: string;
}

/** Flags of one batch each with its reason; of several batches each flag once, with how often and one reason. */
export function flagLines({ batches }: ReportModel): readonly FlagLine[] {
  const [only] = batches;
  if (batches.length === 1 && only !== undefined) {
    return only.flags.map(({ name, reason, inspections }) => ({
      name,
      where: launchNames(inspections, only),
      reason,
    }));
  }
  const names = [...new Set(batches.flatMap(({ flags }) => flags.map(({ name }) => name)))];
  return names.map((name) => {
    const raised = batches.flatMap((batch) =>
      batch.flags.filter((flag) => flag.name === name).map((flag) => ({ batch, flag })),
    );
    const launches = raised.reduce((sum, { flag }) => sum + flag.inspections.length, 0);
    const [first] = raised;
    return {
      name,
      // A published table lists no launches.
      where:
        launches === 0
          ? plural(raised.length, 'batch', 'batches')
          : `${plural(launches, 'launch', 'launches')} of ${plural(raised.length, 'batch', 'batches')}`,
      reason: first === undefined ? '' : `${first.batch.name}: ${first.flag.reason}`,
    };
  });
}

export function notCheckedLines({ batches }: ReportModel): readonly string[] {
  const all = batches.flatMap(({ notChecked }) => notChecked.map(({ flag, why }) => `${flag}: ${why}`));
  return [...new Set(all)];
}

/** Launches that were not measured, and why. */
export function failedLines({ batches }: ReportModel): readonly string[] {
  const failed = batches.flatMap(({ name, launches }) =>
    launches
      .filter(({ status }) => status !== 'measured')
      .map(
        ({ number, status, reason }) =>
          `${name}, launch ${number} ${status}${reason === null ? '' : `: ${reason}`}`,
      ),
  );
  const more = failed.length > MOST_LISTED ? [`and ${failed.length - MOST_LISTED} more`] : [];
  return [...failed.slice(0, MOST_LISTED), ...more];
}

const listHtml = (items: readonly string[]): string =>
  `<ul>${items.map((item) => `<li>${textHtml(item)}</li>`).join('')}</ul>`;

function verdictHtml(report: ReportModel): string {
  const { headline } = report;
  const alarms = warnings(report).map((text) => `<p class="badge bad">${textHtml(text)}</p>`);
  return [
    '<section class="verdict" aria-label="Verdict">',
    ...alarms,
    `<p class="value">${textHtml(valueText(report))}</p>`,
    ...(headline.of === '' ? [] : [`<p>${textHtml(headline.of)}</p>`]),
    `<p>${textHtml(headline.uncertainty)}</p>`,
    `<p class="badge ${headline.trust}">${textHtml(headline.verification)}</p>`,
    '</section>',
  ].join('\n');
}

function flagsHtml(report: ReportModel): string {
  const lines = flagLines(report);
  const items = lines.map(
    ({ name, where, reason }) =>
      `<li><strong class="warning">${textHtml(name)}</strong>${where === '' ? '' : ` <span class="quiet">(${textHtml(where)})</span>`}: ${textHtml(reason)}</li>`,
  );
  const none = noFlags(report);
  const flags =
    lines.length === 0
      ? `<p class="${none.good ? 'ok' : 'quiet'}">${none.text}</p>`
      : `<ul class="flags">${items.join('')}</ul>`;
  const notChecked = notCheckedLines(report);
  const unchecked =
    notChecked.length === 0
      ? ''
      : `<p class="quiet">Could not be checked in some launches, so silence says nothing:</p>${listHtml(notChecked)}`;
  const failed = failedLines(report);
  const failures =
    failed.length === 0 ? '' : `<p class="bad">Launches that were not measured:</p>${listHtml(failed)}`;
  const limits = report.limits.length === 0 ? '' : listHtml(report.limits);
  return `<h2>What limits it</h2><div class="card">${flags}${limits}${failures}${unchecked}</div>`;
}

const textsHtml = (texts: readonly string[]): string =>
  texts.length === 1 ? textHtml(texts.join('')) : listHtml(texts);

function originHtml(report: ReportModel): string {
  const { version, commit } = report.piBench;
  const rows: readonly (readonly [name: string, html: string])[] = [
    ['made by', `<code>${escapeHtml(commandText(report))}</code>`],
    ['pi-bench', textHtml(`${version}${commit === null ? '' : ` (${shortCommit(commit)})`}`)],
    ['when', textHtml(report.createdAt)],
    ...originRows(report).map(({ name, texts }) => [name, textsHtml(texts)] as const),
  ];
  const list = rows.map(([name, html]) => `<dt>${textHtml(name)}</dt><dd>${html}</dd>`).join('');
  return `<h2>Machine and origin</h2><div class="card"><dl>${list}</dl></div>`;
}

export function headHtml(report: ReportModel): string {
  return [
    `<p class="quiet">pi-bench report · ${textHtml(report.createdAt.slice(0, 10))}</p>`,
    `<h1>${textHtml(report.headline.title)}</h1>`,
    report.qualification === null
      ? verdictHtml(report)
      : qualificationHtml(
          report.qualification,
          report.batches,
          report.fault,
          warnings({ ...report, fault: null }),
        ),
    report.batches.length === 0 ? '' : flagsHtml(report),
    originHtml(report),
  ].join('\n');
}

/** A number and its unit stay on one line. */
export const together = (text: string): string => text.replaceAll(/(\d) (?!to )/g, '$1\u00a0');

/** With its heading and what is to be known of it; the first cell of a row is its name. */
function tableHtml(
  id: string,
  title: string,
  note: string,
  columns: readonly string[],
  texts: readonly (readonly string[])[],
  className = '',
): readonly string[] {
  const kind = className === '' ? '' : ` class="${className}"`;
  const head = columns.map((name) => `<th scope="col">${textHtml(name)}</th>`).join('');
  const rows = texts.map(([name = '', ...cells]) => {
    const rest = cells.map((cell) => `<td>${textHtml(together(cell))}</td>`).join('');
    return `<tr><th scope="row">${textHtml(name)}</th>${rest}</tr>`;
  });
  return [
    `<h2 id="${id}-title">${title}</h2>`,
    '<div class="card">',
    `<p class="quiet" id="${id}-note">${textHtml(note)}</p>`,
    `<div class="wide" role="region" aria-labelledby="${id}-title" tabindex="0">`,
    `<table${kind} aria-labelledby="${id}-title" aria-describedby="${id}-note">`,
    `<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`,
    '</div>',
  ];
}

/** What the letters stand for in its rows belongs to each table: the next one may be far below. */
function lettersHtml({ stackLetters }: ReportModel): readonly string[] {
  const letters = lettersText(stackLetters);
  return letters === '' ? [] : [`<p class="quiet">${textHtml(letters)}</p>`];
}

/** Nothing where nothing overlapped. */
export function overlapHtml(report: ReportModel): string {
  const rows = overlapRows(report);
  if (rows.length === 0) return '';
  return [
    ...tableHtml('overlap', 'Overlap', OVERLAP_CAPTION, OVERLAP_COLUMNS, rows, 'figures'),
    ...lettersHtml(report),
    '</div>',
  ].join('\n');
}

/** Nothing where there is no rate. */
export function ratesHtml(report: ReportModel): string {
  const rows = ratesRows(report);
  if (rows.length === 0) return '';
  return [
    ...tableHtml('rates', 'Rates', RATES_CAPTION, RATES_COLUMNS, rows),
    ...lettersHtml(report),
    '</div>',
  ].join('\n');
}

export function stabilityHtml(report: ReportModel): string {
  return [
    ...tableHtml('stability', 'Stability', STABILITY_CAPTION, STABILITY_COLUMNS, stabilityRows(report)),
    ...lettersHtml(report),
    ...report.recommendations.map((text) => `<p><strong>Repetitions:</strong> ${textHtml(text)}.</p>`),
    ...besideLists(report).map(({ head: of, lines }) => `<p><strong>${of}:</strong></p>${listHtml(lines)}`),
    '</div>',
  ].join('\n');
}
