/**
 * The verdict as JUnit's XML, in the form that Ant's and Jenkins' schemas both take: a check is a test case; fail is a failure,
 * inconclusive an error, and so is what was required and could not be judged; else skipped is skipped, and a warning passes with
 * its words beside it. The verdict is a test case, too: checks of which none is required do not qualify a node, however green they are.
 */
import { plural } from '../../quantities/format.js';
import type { Qualification, QualificationCheck } from '../../record/schema.js';
import { findingText } from '../findings.js';
import { standingInTheWay, whyNothingQualifies } from '../wording.js';
import type { Judged, VerdictFormat } from './format.js';

/** Characters that XML 1.0 has no place for, however they are escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const clean = (text: string): string => text.replaceAll(FORBIDDEN, '\ufffd');

/** Ant's schema takes no time zone. */
const withoutZone = (moment: string): string => moment.replace(/(\.\d+)?Z$/, '');

function textOf({ cause, severity, reason, action, findings, attempts }: QualificationCheck): string {
  return [
    reason,
    ...(cause === null ? [] : [`cause: ${cause}`]),
    ...(severity === null ? [] : [`severity: ${severity}`]),
    ...(action === null ? [] : [`next: ${action}`]),
    ...findings.map((finding) => `${finding.verdict}: ${findingText(finding)}`),
    ...(attempts.length < 2
      ? []
      : [`${plural(attempts.length, 'attempt')}: ${attempts.map(({ verdict }) => verdict).join(', ')}`]),
  ].join('\n');
}

type Result = 'failure' | 'error' | 'skipped' | 'passed';

/** Who looks at this file alone must not take a node for qualified that is not: what was required and skipped kept it from that. */
const RESULTS: Readonly<Record<QualificationCheck['verdict'], (required: boolean) => Result>> = {
  fail: () => 'failure',
  inconclusive: () => 'error',
  skipped: (required) => (required ? 'error' : 'skipped'),
  warn: () => 'passed',
  pass: () => 'passed',
};
const resultOf = ({ verdict, required }: QualificationCheck): Result => RESULTS[verdict](required);

/** A test case but for its time. */
interface TestCase {
  readonly name: string;
  readonly kind: string;
  readonly result: Result;
  readonly type: string;
  readonly message: string;
  readonly text: string;
}

const checkCase = (check: QualificationCheck): TestCase => ({
  name: check.id,
  kind: check.kind,
  result: resultOf(check),
  type: check.cause ?? check.kind,
  message: check.reason,
  text: textOf(check),
});

const OUTCOME = 'outcome';

const OUTCOME_RESULTS: Readonly<Record<Qualification['outcome'], Result>> = {
  qualified: 'passed',
  'not-qualified': 'failure',
  inconclusive: 'error',
};

const whyNotQualified = (qualification: Qualification): string =>
  whyNothingQualifies(qualification) ??
  `by ${standingInTheWay(qualification)
    .map(({ id }) => id)
    .join(', ')}`;

function outcomeCase(qualification: Qualification): TestCase {
  const { outcome } = qualification;
  const message = `${outcome}: ${whyNotQualified(qualification)}`;
  return {
    name: OUTCOME,
    kind: OUTCOME,
    result: OUTCOME_RESULTS[outcome],
    type: outcome,
    message,
    text: message,
  };
}

/** Nothing where it holds. */
function toldOf({ result, type, message, text }: TestCase): Readonly<Record<string, object>> {
  if (result === 'passed') return {};
  if (result === 'skipped') return { skipped: { '@message': clean(message) } };
  return { [result]: { '@message': clean(message), '@type': type, '#': clean(text) } };
}

/**
 * Seconds that the case took: its share of those of its batch's launches, as whoever reads the file adds them up and several checks may
 * judge one batch; what is only looked at takes none.
 */
function secondsOf({ batches, qualification }: Judged, { batch }: QualificationCheck): number {
  if (batch === null) return 0;
  const sharing = qualification.checks.filter((check) => check.batch === batch).length;
  const spans = (batches[batch]?.inspections ?? []).flatMap((inspection) => inspection.spans);
  return spans.reduce((sum, { seconds }) => sum + seconds, 0) / Math.max(1, sharing);
}

async function textOfRecord(record: Judged): Promise<string> {
  // Only who asks for this format waits for what writes it.
  const { create } = await import('xmlbuilder2');
  const { qualification, labels, campaign, piBench } = record;
  const { checks, suite, outcome, identity, startedAt, wall, notJudged } = qualification;
  const cases = [
    ...checks.map((check) => ({ ...checkCase(check), seconds: secondsOf(record, check) })),
    { ...outcomeCase(qualification), seconds: 0 },
  ];
  const count = (result: Result): number => cases.filter((one) => one.result === result).length;
  const name = `pi-bench qualify ${suite.name}`;
  const properties = {
    outcome,
    campaign: campaign.id,
    'pi-bench': piBench.version,
    machine: identity.machine ?? 'not known',
    cpu: String(labels.cpu_model ?? 'not known'),
  };
  const warned = checks.filter(({ verdict }) => verdict === 'warn');
  const document = {
    testsuites: {
      testsuite: {
        '@package': 'pi-bench',
        '@id': '0',
        '@name': name,
        '@timestamp': withoutZone(startedAt),
        '@hostname': clean(identity.hostname ?? 'localhost'),
        '@tests': cases.length,
        '@failures': count('failure'),
        '@errors': count('error'),
        '@skipped': count('skipped'),
        '@time': wall.toFixed(3),
        properties: {
          property: Object.entries(properties).map(([key, value]) => ({
            '@name': key,
            '@value': clean(value),
          })),
        },
        testcase: cases.map((one) => ({
          '@name': clean(one.name),
          '@classname': `pi-bench.${suite.name}.${one.kind}`,
          '@time': one.seconds.toFixed(3),
          ...toldOf(one),
        })),
        'system-out': clean(
          [
            `${outcome}: ${name}`,
            ...warned.map(({ id, reason }) => `warning: ${id}: ${reason}`),
            ...notJudged.map((text) => `not judged: ${text}`),
          ].join('\n'),
        ),
        'system-err': '',
      },
    },
  };
  return `${create({ version: '1.0', encoding: 'UTF-8' }, document).end({ prettyPrint: true })}\n`;
}

export const junit: VerdictFormat = { name: 'junit', file: 'qualification.xml', text: textOfRecord };
