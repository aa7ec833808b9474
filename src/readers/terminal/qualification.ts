/** A qualification as an operator reads it at three in the morning: the answer, what is wrong and what to do, then the rest. Pure. */
import { limitText, measuredText, quantityText } from '../../qualify/findings.js';
import {
  checkName,
  checkTitle,
  countsText,
  groupsOf,
  OUTCOME_TEXT,
  standingInTheWay,
  telling,
  tellingFinding,
  whyNothingQualifies,
} from '../../qualify/wording.js';
import { formatSeconds, plural } from '../../quantities/format.js';
import type { PiBenchRecord, Qualification, QualificationCheck } from '../../record/schema.js';
import { printable } from '../printable.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';

function coloured(outcome: Qualification['outcome'], style: Style): string {
  const text = style.bold(OUTCOME_TEXT[outcome]);
  if (outcome === 'qualified') return style.good(text);
  return outcome === 'not-qualified' ? style.bad(text) : style.warn(text);
}

function mark(verdict: QualificationCheck['verdict'], style: Style): string {
  if (verdict === 'pass') return style.good('ok');
  if (verdict === 'fail') return style.bad('FAIL');
  if (verdict === 'skipped') return style.dim('skip');
  return style.warn(verdict === 'warn' ? 'warn' : 'open');
}

/** The first in all its words; of the others, which say the same, the figures. */
function groupText(
  group: readonly QualificationCheck[],
  named: (check: QualificationCheck) => string,
  style: Style,
): string {
  const [first] = group;
  if (first === undefined) return '';
  const { verdict, cause, severity, action, required, reason } = first;
  const others = group.slice(1);
  const title = style.bold(
    others.length === 0 ? named(first) : `${cause} in ${plural(group.length, 'check')}`,
  );
  const beside = [severity, required ? null : 'not required'].filter((word) => word !== null);
  const inner = { ...style, width: style.width - 4 };
  const rows: Row[] = [
    ...(verdict === 'skipped' || others.length > 0 ? [] : [['cause', cause ?? 'not known'] as const]),
    [others.length === 0 ? 'why' : 'checks', others.length === 0 ? reason : `${named(first)}: ${reason}`],
    ...others.map((check) => ['', `${named(check)}: ${telling(check)}`] as const),
    ...(action === null ? [] : [['do', action] as const]),
  ];
  return [
    `  ${mark(verdict, style)}  ${title}${beside.length === 0 ? '' : style.dim(`  ${beside.join(', ')}`)}`,
    ...renderRows(rows, inner)
      .split('\n')
      .map((line) => `    ${line}`),
  ].join('\n');
}

function rowOf(check: QualificationCheck, style: Style): readonly Cell[] {
  const finding = tellingFinding(check);
  const left = (head: string, text: string): Cell => ({ head, align: 'left', text });
  const right = (head: string, text: string): Cell => ({ head, align: 'right', text });
  const known = finding !== undefined && finding.verdict !== 'skipped';
  return [
    left('', mark(check.verdict, style)),
    left('check', checkName(check)),
    left('of', known ? quantityText(finding) : ''),
    {
      ...right('measured', known ? measuredText(finding) : ''),
      ...(typeof finding?.measured === 'string' ? { words: true } : {}),
    },
    right('limit', known ? limitText(finding) : ''),
    left('limit from', known && finding.bound !== 'none' ? finding.source : ''),
  ];
}

function attemptsText({ attempts }: Qualification): readonly string[] {
  const again = attempts.slice(1);
  if (again.length === 0) return [];
  return again.map(
    ({ number, parts, cooledDown }) =>
      `attempt ${number}: ${parts.join(', ')} measured again, ${formatSeconds(cooledDown, 2)} of cooling down before`,
  );
}

/** @param path of the record; null: it is not said */
export function renderQualification(read: PiBenchRecord, path: string | null, style: Style): string {
  const record = printable(read);
  const { qualification, campaign, accounting } = record;
  if (qualification === undefined) return '';
  const { outcome, suite, checks, identity, wall, notJudged, baseline } = qualification;
  const where = identity.hostname ?? identity.machine ?? 'this machine';
  const way = new Set(standingInTheWay(qualification));
  const wrong = checks.filter(
    (check) => way.has(check) || check.verdict === 'fail' || check.verdict === 'warn',
  );
  const others = checks.filter((check) => !wrong.includes(check) && check.verdict !== 'skipped');
  const goodput =
    accounting === null || record.batches.length === 0
      ? ''
      : `, ${Math.round(accounting.share * 100)} % of the first attempt in repetitions`;
  const named = (check: QualificationCheck): string => checkTitle(check, record.batches);
  const none = whyNothingQualifies(qualification);
  const lines = (text: string): readonly string[] => wrap(text, style.width - 2).map((line) => `  ${line}`);
  return [
    `${coloured(outcome, style)}  ${style.bold(where)}`,
    ...lines(
      `suite ${suite.name}${suite.file === null ? '' : ` (${suite.file})`}, ${countsText(qualification)}; ${formatSeconds(wall, 3)}${goodput}`,
    ),
    ...(baseline === null ? [] : lines(`baseline ${baseline.name} of ${plural(baseline.nodes, 'node')}`)),
    ...(campaign.fault === null
      ? []
      : lines(style.bad(`A FAULT WAS INJECTED (${campaign.fault.kind}): this is no verdict on the machine`))),
    ...(none === null ? [] : ['', ...lines(none)]),
    ...groupsOf(wrong).flatMap((group) => ['', groupText(group, named, style)]),
    ...(attemptsText(qualification).length === 0 ? [] : ['', ...attemptsText(qualification).flatMap(lines)]),
    ...(others.length === 0
      ? []
      : [
          '',
          renderFitting(
            others.map((check) => rowOf(check, style)),
            { optional: ['limit from', 'of'], shortened: 'check' },
            style,
          ),
        ]),
    ...(notJudged.length === 0
      ? []
      : [
          '',
          style.dim('  not judged'),
          ...notJudged.flatMap((text) => wrap(text, style.width - 4).map((line) => style.dim(`    ${line}`))),
        ]),
    ...(path === null ? [] : ['', style.dim(`  ${path}`)]),
  ].join('\n');
}
