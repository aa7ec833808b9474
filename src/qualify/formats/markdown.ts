/** The verdict as Markdown, for a ticket: what is wrong and what to do first, every check below. */
import { isGpu } from '../../devices/device.js';
import { formatSeconds } from '../../quantities/format.js';
import type { Qualification, QualificationCheck, RecordBatch } from '../../record/schema.js';
import { escapedMarkdown } from '../../report/formats/markdown-text.js';
import { limitText, measuredText, quantityText } from '../findings.js';
import {
  checkTitle,
  countsText,
  judgedChecks,
  OUTCOME_TEXT,
  standingOut,
  tellingFinding,
  whyNothingQualifies,
} from '../wording.js';
import type { Judged, VerdictFormat } from './format.js';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function tableRow(check: QualificationCheck, title: string): string {
  const finding = tellingFinding(check);
  const known = finding !== undefined && finding.verdict !== 'skipped';
  return row(
    [
      check.verdict,
      title,
      known ? quantityText(finding) : '',
      known ? measuredText(finding) : '',
      known ? limitText(finding) : '',
      known && finding.bound !== 'none' ? finding.source : '',
    ].map(escapedMarkdown),
  );
}

const problem = (check: QualificationCheck, title: string): readonly string[] => [
  `### ${check.verdict.toUpperCase()}: ${escapedMarkdown(title)}`,
  '',
  `- cause: ${escapedMarkdown(check.cause ?? 'not known')}${check.severity === null ? '' : ` (${check.severity})`}`,
  `- why: ${escapedMarkdown(check.reason)}`,
  ...(check.action === null ? [] : [`- do: ${escapedMarkdown(check.action)}`]),
  '',
];

/** What stands out, with what to do; then every check that says something, every attempt, and what was not judged. */
export function checksMarkdown(
  qualification: Qualification,
  batches: readonly Pick<RecordBatch, 'title'>[],
): readonly string[] {
  const { attempts, notJudged } = qualification;
  const titled = (check: QualificationCheck): string => checkTitle(check, batches);
  const none = whyNothingQualifies(qualification);
  return [
    ...(none === null ? [] : [`Inconclusive: ${none}.`, '']),
    ...standingOut(qualification).flatMap((check) => problem(check, titled(check))),
    '## Checks',
    '',
    row(['verdict', 'check', 'of', 'measured', 'limit', 'limit from']),
    row(['---', '---', '---', '---:', '---:', '---']),
    ...judgedChecks(qualification).map((check) => tableRow(check, titled(check))),
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

const gpuText = ({ device, name, serial }: Qualification['identity']['devices'][number]): string =>
  `GPU ${device}: ${escapedMarkdown([name ?? 'not known', serial].filter((part) => part !== null).join(', '))}.`;

function markdownLines({ qualification, campaign, labels, batches }: Judged): readonly string[] {
  const { outcome, suite, identity, wall, startedAt } = qualification;
  return [
    `# ${OUTCOME_TEXT[outcome]}: ${escapedMarkdown(identity.hostname ?? identity.machine ?? 'this machine')}`,
    '',
    ...(campaign.fault === null
      ? []
      : [`**A fault was injected (${campaign.fault.kind}): this is no verdict on the machine.**`, '']),
    `Suite ${escapedMarkdown(suite.name)}, ${countsText(qualification)}; ${formatSeconds(wall, 3)}, begun ${startedAt}.`,
    `CPU: ${escapedMarkdown(String(labels.cpu_model ?? 'not known'))}; campaign ${escapedMarkdown(campaign.id)}.`,
    ...identity.devices.filter(({ device }) => isGpu(device)).map(gpuText),
    '',
    ...checksMarkdown(qualification, batches),
  ];
}

export const markdown: VerdictFormat = {
  name: 'md',
  file: 'qualification.md',
  text: (record) => `${markdownLines(record).join('\n')}\n`,
};
