/** The first screen of the page: the verdict, what qualifies it, where it comes from, and the stability table. Pure. */

import { shortCommit } from '../../package.js';
import { formatSeconds, formatShare, grouped, plural } from '../../quantities/format.js';
import { sentence } from '../comparison.js';
import type { BatchModel, ReportModel } from '../model.js';
import { besideLists, noFlags, STABILITY_CAPTION, STABILITY_COLUMNS, stabilityRows } from '../tables.js';
import { escapeHtml } from './escape.js';
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
  batches,
  imported,
}: ReportModel): readonly string[] {
  const [measured, planned] = [
    batches.reduce((sum, batch) => sum + batch.measured, 0),
    batches.reduce((sum, batch) => sum + batch.planned, 0),
  ];
  return [
    ...(fault === null ? [] : [`A fault was injected (${fault}): this is no measurement of the machine.`]),
    ...(status === 'complete'
      ? []
      : [
          `The campaign is ${status}: ${grouped(measured)} of ${plural(planned, 'launch', 'launches')} ${imported === null ? 'were measured' : 'are among what was imported'}.`,
        ]),
    ...(notSettled === null ? [] : [sentence(notSettled)]),
    ...(contendedBy === null ? [] : [`Measured at the same time: ${contendedBy}.`]),
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

/** As somebody would type it. */
export const commandText = ({ command }: ReportModel): string =>
  [
    'pi-bench',
    ...command.map((part) => (/^[\w./:=@%+,-]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`)),
  ].join(' ');

const listHtml = (items: readonly string[]): string =>
  `<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;

function verdictHtml(report: ReportModel): string {
  const { headline } = report;
  const alarms = warnings(report).map((text) => `<p class="badge bad">${escapeHtml(text)}</p>`);
  return [
    '<section class="verdict" aria-label="Verdict">',
    ...alarms,
    `<p class="value">${escapeHtml(headline.value ?? 'no score')}</p>`,
    ...(headline.of === '' ? [] : [`<p>${escapeHtml(headline.of)}</p>`]),
    `<p>${escapeHtml(headline.uncertainty)}</p>`,
    `<p class="badge ${headline.trust}">${escapeHtml(headline.verification)}</p>`,
    '</section>',
  ].join('\n');
}

function flagsHtml(report: ReportModel): string {
  const lines = flagLines(report);
  const items = lines.map(
    ({ name, where, reason }) =>
      `<li><strong class="warning">${escapeHtml(name)}</strong>${where === '' ? '' : ` <span class="quiet">(${escapeHtml(where)})</span>`}: ${escapeHtml(reason)}</li>`,
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
  return `<h2>What limits it</h2><div class="card">${flags}${failures}${unchecked}</div>`;
}

/** Where it was published, and what was not. */
function importedRows({ imported, batches }: ReportModel): [string, string][] {
  if (imported === null) return [];
  const { format, files, measured, notKnown } = imported;
  const remarks = [...new Set(batches.flatMap((batch) => batch.remarks))];
  return [
    ['imported', escapeHtml(`${plural(files.length, 'file')} of ${format}: pi-bench did not measure this`)],
    ['measured', escapeHtml(measured === null ? 'when is not known' : `${measured.from} to ${measured.to}`)],
    ...(remarks.length === 0 ? [] : [['faults of the source', listHtml(remarks)] as [string, string]]),
    ['not known', listHtml(notKnown.map(({ what, why }) => `${what}: ${why}`))],
  ];
}

function originHtml(report: ReportModel): string {
  const rows: [string, string][] = [
    ['made by', `<code>${escapeHtml(commandText(report))}</code>`],
    [
      'pi-bench',
      escapeHtml(
        `${report.piBench.version}${report.piBench.commit === null ? '' : ` (${shortCommit(report.piBench.commit)})`}`,
      ),
    ],
    ['stack', escapeHtml([...new Set(report.batches.map(({ stack }) => stack))].join('; '))],
    ['when', escapeHtml(report.createdAt)],
    ...(report.wall === null
      ? []
      : [
          [
            'time',
            escapeHtml(
              `${formatSeconds(report.wall, 3)}, ${formatShare(report.measuredShare ?? 0)} of it inside repetitions that count`,
            ),
          ] as [string, string],
        ]),
    ...(report.seed === null ? [] : [['seed', String(report.seed)] as [string, string]]),
    ...importedRows(report),
    ...report.machine.map(([name, text]): [string, string] => [name, escapeHtml(text)]),
  ];
  const list = rows.map(([name, html]) => `<dt>${escapeHtml(name)}</dt><dd>${html}</dd>`).join('');
  return `<h2>Machine and origin</h2><div class="card"><dl>${list}</dl></div>`;
}

export function headHtml(report: ReportModel): string {
  return [
    `<p class="quiet">pi-bench report · ${escapeHtml(report.createdAt.slice(0, 10))}</p>`,
    `<h1>${escapeHtml(report.headline.title)}</h1>`,
    report.qualification === null
      ? verdictHtml(report)
      : qualificationHtml(report.qualification, report.batches, report.fault),
    report.batches.length === 0 ? '' : flagsHtml(report),
    originHtml(report),
  ].join('\n');
}

/** A number and its unit stay on one line. */
export const together = (text: string): string => text.replaceAll(/(\d) (?!to )/g, '$1\u00a0');

export function stabilityHtml(report: ReportModel): string {
  const head = STABILITY_COLUMNS.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const rows = stabilityRows(report).map(([name = '', ...cells]) => {
    const rest = cells.map((cell) => `<td>${escapeHtml(together(cell))}</td>`).join('');
    return `<tr><th scope="row">${escapeHtml(name)}</th>${rest}</tr>`;
  });
  return [
    '<h2 id="stability-title">Stability</h2>',
    '<div class="card">',
    `<p class="quiet" id="stability-note">${escapeHtml(STABILITY_CAPTION)}</p>`,
    '<div class="wide" role="region" aria-labelledby="stability-title" tabindex="0">',
    '<table aria-labelledby="stability-title" aria-describedby="stability-note">',
    `<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`,
    '</div>',
    ...report.recommendations.map((text) => `<p><strong>Repetitions:</strong> ${escapeHtml(text)}.</p>`),
    ...besideLists(report).map(({ head: of, lines }) => `<p><strong>${of}:</strong></p>${listHtml(lines)}`),
    '</div>',
  ].join('\n');
}
