/** The verdict as Markdown, for a ticket: what is wrong and what to do first, every check below. */
import { formatSeconds, plural } from '../../quantities/format.js';
import { checkName, OUTCOME_TEXT, tellingFinding } from '../../readers/terminal/qualification.js';
import type { Qualification, QualificationCheck } from '../../record/schema.js';
import { escapedMarkdown } from '../../report/formats/markdown-text.js';
import { limitText, quantityText, valueText } from '../findings.js';
import type { Judged, VerdictFormat } from './format.js';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function tableRow(check: QualificationCheck): string {
  const finding = tellingFinding(check);
  const known = finding !== undefined && finding.verdict !== 'skipped';
  return row(
    [
      check.verdict,
      checkName(check),
      known ? quantityText(finding) : '',
      known ? valueText(finding.measured, finding.unit) : '',
      known ? limitText(finding) : '',
      known && finding.bound !== 'none' ? finding.source : '',
    ].map(escapedMarkdown),
  );
}

const problem = (check: QualificationCheck): readonly string[] => [
  `### ${check.verdict.toUpperCase()}: ${escapedMarkdown(checkName(check))}`,
  '',
  `- cause: ${escapedMarkdown(check.cause ?? 'not known')}${check.severity === null ? '' : ` (${check.severity})`}`,
  `- why: ${escapedMarkdown(check.reason)}`,
  ...(check.action === null ? [] : [`- do: ${escapedMarkdown(check.action)}`]),
  '',
];

/** What stands out, with what to do; then every check, every attempt, and what was not judged. */
export function checksMarkdown({ checks, attempts, notJudged }: Qualification): readonly string[] {
  const bad = checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped');
  return [
    ...bad.flatMap(problem),
    '## All checks',
    '',
    row(['verdict', 'check', 'of', 'measured', 'limit', 'limit from']),
    row(['---', '---', '---', '---:', '---:', '---']),
    ...checks.map(tableRow),
    ...(attempts.length < 2
      ? []
      : [
          '',
          '## Attempts',
          '',
          ...attempts.map(
            ({ number, campaign: id, why, parts }) =>
              `- ${number}: ${escapedMarkdown(`${parts.join(', ')} (${why}; ${id})`)}`,
          ),
        ]),
    ...(notJudged.length === 0
      ? []
      : ['', '## Not judged', '', ...notJudged.map((text) => `- ${escapedMarkdown(text)}`)]),
  ];
}

function markdownLines({ qualification, campaign, labels }: Judged): readonly string[] {
  const { outcome, suite, checks, identity, wall, startedAt } = qualification;
  return [
    `# ${OUTCOME_TEXT[outcome]}: ${escapedMarkdown(identity.hostname ?? identity.machine ?? 'this machine')}`,
    '',
    ...(campaign.fault === null
      ? []
      : [`**A fault was injected (${campaign.fault.kind}): this is no verdict on the machine.**`, '']),
    `Suite ${escapedMarkdown(suite.name)}, ${plural(checks.length, 'check')}, ${formatSeconds(wall, 3)}, begun ${startedAt}.`,
    `CPU: ${escapedMarkdown(String(labels.cpu_model ?? 'not known'))}; campaign ${escapedMarkdown(campaign.id)}.`,
    '',
    ...checksMarkdown(qualification),
  ];
}

export const markdown: VerdictFormat = {
  name: 'md',
  file: 'qualification.md',
  text: (record) => `${markdownLines(record).join('\n')}\n`,
};
