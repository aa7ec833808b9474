/**
 * The verdict as JUnit's XML, in the form that Ant's and Jenkins' schemas both take: a check is a test case; fail is a failure,
 * inconclusive an error, and so is what was required and could not be judged; else skipped is skipped, and a warning passes with
 * its words beside it.
 */
import { plural } from '../../quantities/format.js';
import type { QualificationCheck } from '../../record/schema.js';
import { findingText } from '../findings.js';
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

/** Nothing where a check holds. */
function toldOf(check: QualificationCheck): Readonly<Record<string, object>> {
  const { cause, reason } = check;
  const result = resultOf(check);
  if (result === 'passed') return {};
  if (result === 'skipped') return { skipped: { '@message': clean(reason) } };
  return {
    [result]: { '@message': clean(reason), '@type': cause ?? check.kind, '#': clean(textOf(check)) },
  };
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
  const count = (result: Result): number => checks.filter((check) => resultOf(check) === result).length;
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
        '@tests': checks.length,
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
        testcase: checks.map((check) => ({
          '@name': clean(check.id),
          '@classname': `pi-bench.${suite.name}.${check.kind}`,
          '@time': secondsOf(record, check).toFixed(3),
          ...toldOf(check),
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
