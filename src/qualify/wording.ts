/** What a verdict, its checks and its figures are called, in whatever form they are shown. Pure. */
import { plural } from '../quantities/format.js';
import type { Finding, Qualification, QualificationCheck } from '../record/schema.js';
import { findingText } from './findings.js';

export const OUTCOME_TEXT: Readonly<Record<Qualification['outcome'], string>> = {
  qualified: 'QUALIFIED',
  'not-qualified': 'NOT QUALIFIED',
  inconclusive: 'INCONCLUSIVE',
};

/** What keeps the node from being qualified: the failures first. */
export function standingInTheWay({ checks }: Qualification): readonly QualificationCheck[] {
  const required = checks.filter(({ required: needed }) => needed);
  return [
    ...required.filter(({ verdict }) => verdict === 'fail'),
    ...required.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'skipped'),
  ];
}

/** Why a node is inconclusive that no check keeps from being qualified: none can qualify it. null: it is not so. */
export function whyNothingQualifies(qualification: Qualification): string | null {
  const { outcome, checks } = qualification;
  if (outcome !== 'inconclusive' || standingInTheWay(qualification).length > 0) return null;
  return checks.length === 0
    ? 'the suite has no check, so nothing can qualify the node'
    : 'none of the checks is required, so none of them can qualify the node';
}

/** `sustained/exact@cpu stolen`. */
export const nameWithCause = ({ id, cause }: QualificationCheck): string =>
  cause === null ? id : `${id} ${cause}`;

/** What a person has to look at: all but what passed, and but what nobody insisted on and nothing was said of. */
export const standingOut = ({ checks }: Qualification): readonly QualificationCheck[] =>
  checks.filter(({ verdict, required }) => verdict !== 'pass' && (verdict !== 'skipped' || required));

/** Those of which something is said; of the others it is told once why not (`notJudged`). */
export const judgedChecks = ({ checks }: Qualification): readonly QualificationCheck[] =>
  checks.filter(({ verdict }) => verdict !== 'skipped');

/** `262 checks: 120 pass, 2 warn, 140 skipped`. */
export function countsText({ checks }: Qualification): string {
  const counts = (['pass', 'warn', 'fail', 'inconclusive', 'skipped'] as const)
    .map((verdict) => [verdict, checks.filter((check) => check.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`);
  return `${plural(checks.length, 'check')}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}

/** `efficiency gemm-float32 on cuda:0`. */
export const checkName = ({ kind, part, device }: QualificationCheck): string =>
  [kind, part, device === null || device === 'cpu' ? null : `on ${device}`]
    .filter((word) => word !== null)
    .join(' ');

/** What was measured, where the part has several batches and a number says little; null: its name says it. */
export const batchTitle = (
  { part, batch }: QualificationCheck,
  batches: readonly { readonly title: string }[],
): string | null => (part?.includes('#') && batch !== null ? (batches[batch]?.title ?? null) : null);

/** `sustained collectives#3 (all-reduce, 16 MiB)`. */
export function checkTitle(
  check: QualificationCheck,
  batches: readonly { readonly title: string }[],
): string {
  const title = batchTitle(check, batches);
  return title === null ? checkName(check) : `${checkName(check)} (${title})`;
}

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

/** The figure of a check, where its words are another's. Why launches were lost is each check's own. */
export const telling = (check: QualificationCheck): string => {
  if (check.cause === 'lost-launch') return check.reason;
  const finding = tellingFinding(check);
  return finding === undefined ? check.reason : findingText(finding);
};

/** Of several figures, the one that decided; else the first that has a limit. */
export function tellingFinding({ findings, verdict }: QualificationCheck): Finding | undefined {
  return (
    findings.find((finding) => finding.verdict === verdict && finding.bound !== 'none') ??
    findings.find(({ bound }) => bound !== 'none') ??
    findings[0]
  );
}
