/** A qualification as an operator reads it at three in the morning: the answer, what is wrong and what to do, then the rest. Pure. */
import { findingText, limitText, quantityText, valueText } from '../../qualify/findings.js';
import { formatSeconds, plural } from '../../quantities/format.js';
import type { Finding, PiBenchRecord, Qualification, QualificationCheck } from '../../record/schema.js';
import { type Cell, renderFitting } from './fitting-table.js';
import { type Style, wrap } from './style.js';
import { type Row, renderRows } from './table.js';

export const OUTCOME_TEXT: Readonly<Record<Qualification['outcome'], string>> = {
  qualified: 'QUALIFIED',
  'not-qualified': 'NOT QUALIFIED',
  inconclusive: 'INCONCLUSIVE',
};

const countOf = ({ checks }: Qualification, verdict: QualificationCheck['verdict']): number =>
  checks.filter((check) => check.verdict === verdict).length;

/** What keeps the node from being qualified: the failures first. */
export function standingInTheWay({ checks }: Qualification): readonly QualificationCheck[] {
  const required = checks.filter(({ required: needed }) => needed);
  return [
    ...required.filter(({ verdict }) => verdict === 'fail'),
    ...required.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'skipped'),
  ];
}

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

/** `efficiency gemm-float32 on cuda:0`. */
export const checkName = ({ kind, part, device }: QualificationCheck): string =>
  [kind, part, device === null || device === 'cpu' ? null : `on ${device}`]
    .filter((word) => word !== null)
    .join(' ');

/** Checks that came to the same for the same cause: one thing to do. */
export function groupsOf(checks: readonly QualificationCheck[]): readonly (readonly QualificationCheck[])[] {
  const groups = new Map<string, QualificationCheck[]>();
  for (const check of checks) {
    const { verdict, cause, action, required } = check;
    const key = JSON.stringify([verdict, cause ?? check.id, action, required]);
    groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  return [...groups.values()];
}

/** The figure of a check, where its words are another's. */
export const telling = (check: QualificationCheck): string => {
  const finding = tellingFinding(check);
  return finding === undefined ? check.reason : findingText(finding);
};

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

/** Of several figures, the one that decided; else the first that has a limit. */
export function tellingFinding({ findings, verdict }: QualificationCheck): Finding | undefined {
  return (
    findings.find((finding) => finding.verdict === verdict && finding.bound !== 'none') ??
    findings.find(({ bound }) => bound !== 'none') ??
    findings[0]
  );
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
    right('measured', known ? valueText(finding.measured, finding.unit) : ''),
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
export function renderQualification(record: PiBenchRecord, path: string | null, style: Style): string {
  const { qualification, campaign, accounting } = record;
  if (qualification === undefined) return '';
  const { outcome, suite, checks, identity, wall, notJudged, baseline } = qualification;
  const counts = (['pass', 'warn', 'fail', 'inconclusive', 'skipped'] as const)
    .map((verdict) => [verdict, countOf(qualification, verdict)] as const)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');
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
  // Of several batches of one part a number says little.
  const named = (check: QualificationCheck): string => {
    const title =
      check.part?.includes('#') && check.batch !== null ? record.batches[check.batch]?.title : undefined;
    return title === undefined ? checkName(check) : `${checkName(check)} (${title})`;
  };
  const lines = (text: string): readonly string[] => wrap(text, style.width - 2).map((line) => `  ${line}`);
  return [
    `${coloured(outcome, style)}  ${style.bold(where)}`,
    ...lines(
      `suite ${suite.name}${suite.file === null ? '' : ` (${suite.file})`}, ${plural(checks.length, 'check')}: ${counts}; ${formatSeconds(wall, 3)}${goodput}`,
    ),
    ...(baseline === null ? [] : lines(`baseline ${baseline.name} of ${plural(baseline.nodes, 'node')}`)),
    ...(campaign.fault === null
      ? []
      : lines(style.bad(`A FAULT WAS INJECTED (${campaign.fault.kind}): this is no verdict on the machine`))),
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
