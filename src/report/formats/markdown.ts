/** The report as Markdown: verdict, flags and tables; in a folder also the pictures. */

import { checksMarkdown } from '../../qualify/formats/markdown.js';
import { printableText } from '../../readers/printable.js';
import {
  answerText,
  COMPARISON_COLUMNS,
  comparisonCaption,
  comparisonRows,
  isCompared,
  remarkTexts,
  reservationTexts,
} from '../comparison.js';
import { isDrawn } from '../figures/figure.js';
import type { ReportFigures } from '../figures/index.js';
import type { ReportModel } from '../model.js';
import { valueText } from '../no-score.js';
import { commandText, originRows } from '../origin.js';
import { OVERLAP_CAPTION, OVERLAP_COLUMNS, overlapRows } from '../overlap.js';
import { failedLines, flagLines, notCheckedLines, warnings } from '../page/head.js';
import { RATES_CAPTION, RATES_COLUMNS, ratesRows } from '../rates.js';
import { lettersText } from '../stack-letters.js';
import { besideLists, noFlags, STABILITY_CAPTION, STABILITY_COLUMNS, stabilityRows } from '../tables.js';
import type { Format, Request } from './format.js';
import { escapedMarkdown as escaped } from './markdown-text.js';
import { svgFiles } from './svg.js';

const PICTURES = 'figures/';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function tableLines(columns: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [row(columns), row(columns.map(() => '---')), ...rows.map((cells) => row(cells.map(escaped)))];
}

const list = (items: readonly string[]): readonly string[] => items.map((item) => `- ${item}`);

/** A section with its head; nothing where there is nothing to say. */
const section = (head: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `## ${head}`, '', ...lines];

/** Code is not escaped, so it must not end early. */
const code = (text: string): string =>
  `\`${printableText(text.replaceAll('`', "'").replaceAll(/\s+/g, ' '))}\``;

function verdictLines(report: ReportModel): readonly string[] {
  const { headline, qualification } = report;
  // The title is the verdict on the node; that of the fastest batch would only stand in its way.
  if (qualification !== null)
    return [
      '',
      ...warnings(report).map((text) => `**${escaped(text)}**`),
      ...checksMarkdown(qualification, report.batches),
    ];
  return [
    ...warnings(report).map((text) => `**${escaped(text)}**`),
    `**${escaped(valueText(report))}**${headline.of === '' ? '' : ` (${escaped(headline.of)})`}, ${escaped(headline.uncertainty)}.`,
    `${escaped(headline.verification)}.`,
  ].flatMap((line) => ['', line]);
}

function figureLines(report: ReportModel, figures: ReportFigures): readonly string[] {
  const several = report.batches.length > 1;
  const all = [
    ...figures.campaign.map((figure) => ({ ...figure, of: '' })),
    ...figures.batches.flatMap(({ batch, figures: own }) =>
      own.map((figure) => ({ ...figure, of: several ? `${batch.name}: ` : '' })),
    ),
  ];
  return all.flatMap(({ id, result, of }) =>
    isDrawn(result)
      ? [
          '',
          `### ${escaped(of)}${escaped(result.title)}`,
          '',
          `![${escaped(result.alternative)}](${PICTURES}${id}.svg)`,
          '',
          escaped(result.caption),
        ]
      : ['', `${escaped(of)}${escaped(result.title)}: not drawn: ${escaped(result.why)}.`],
  );
}

function comparisonLines({ comparison }: ReportModel): readonly string[] {
  if (!isCompared(comparison)) return [];
  const reservations = reservationTexts(comparison).map(escaped);
  const remarks = remarkTexts(comparison).map(escaped);
  return [
    escaped(comparisonCaption(comparison)),
    '',
    `Answer: **${escaped(answerText(comparison))}**.`,
    '',
    ...(reservations.length === 0 ? [] : [...list(reservations), '']),
    ...tableLines(COMPARISON_COLUMNS, comparisonRows(comparison)),
    ...(remarks.length === 0 ? [] : ['', ...list(remarks)]),
  ];
}

/** The key of the letters, below the table that has them. */
function lettersLines({ stackLetters }: ReportModel): readonly string[] {
  const letters = lettersText(stackLetters);
  return letters === '' ? [] : ['', escaped(letters)];
}

function overlapLines(report: ReportModel): readonly string[] {
  const rows = overlapRows(report);
  if (rows.length === 0) return [];
  return [OVERLAP_CAPTION, '', ...tableLines(OVERLAP_COLUMNS, rows), ...lettersLines(report)];
}

function ratesLines(report: ReportModel): readonly string[] {
  const rows = ratesRows(report);
  if (rows.length === 0) return [];
  return [RATES_CAPTION, '', ...tableLines(RATES_COLUMNS, rows), ...lettersLines(report)];
}

function textOf(report: ReportModel, figures: ReportFigures | null): string {
  const origin = [
    `- made by ${code(commandText(report))}`,
    `- pi-bench ${escaped(report.piBench.version)}, campaign ${escaped(report.id)}, ${escaped(report.createdAt)}`,
    ...originRows(report).flatMap(({ name, texts }) =>
      texts.length === 1
        ? [`- ${escaped(name)}: ${escaped(texts.join(''))}`]
        : [`- ${escaped(name)}:`, ...texts.map((text) => `  - ${escaped(text)}`)],
    ),
  ];
  const flags = flagLines(report).map(
    ({ name, where, reason }) =>
      `**${escaped(name)}**${where === '' ? '' : ` (${escaped(where)})`}: ${escaped(reason)}`,
  );
  // A qualification may have looked and measured nothing.
  const measured = report.batches.length > 0;
  const all = [
    `# ${escaped(report.headline.title)}`,
    ...verdictLines(report),
    ...(measured ? section('Flags', flags.length === 0 ? [noFlags(report).text] : list(flags)) : []),
    ...section('What else limits it', list(report.limits.map(escaped))),
    ...section('Launches that were not measured', list(failedLines(report).map(escaped))),
    ...section('Could not be checked in some launches', list(notCheckedLines(report).map(escaped))),
    ...section('Machine and origin', origin),
    ...section('Comparison', comparisonLines(report)),
    ...section('Overlap', overlapLines(report)),
    ...section('Rates', ratesLines(report)),
    ...(measured
      ? section('Stability', [
          STABILITY_CAPTION,
          '',
          ...tableLines(STABILITY_COLUMNS, stabilityRows(report)),
          ...lettersLines(report),
          ...report.recommendations.flatMap((text) => ['', `Repetitions: ${text}.`]),
        ])
      : []),
    ...besideLists(report).flatMap(({ head, lines }) => section(head, list(lines.map(escaped)))),
    ...(figures === null ? [] : section('Figures', figureLines(report, figures).slice(1))),
  ];
  return `${all.join('\n')}\n`;
}

export const markdown: Format = {
  name: 'md',
  kind: 'text',
  place: '',
  async *text({ read }: Request) {
    yield textOf(read.report, null);
  },
  async *files(request) {
    const { report } = request.read;
    const { drawFigures } = await import('../figures/index.js');
    yield { name: 'report.md', text: textOf(report, drawFigures(report)) };
    yield* svgFiles(request, PICTURES);
  },
};
