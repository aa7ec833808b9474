/**
 * What `dcgmi diag -j` printed, as checks with verdicts: the layouts of DCGM 3 and 4, of one iteration and of
 * several. Pure.
 */
import type { z } from 'zod';
import { type CheckVerdict, type NodeCheck, type NodeLine, unknownNode } from '../fleet/node-line.js';
import { worstOf } from '../qualify/findings.js';
import { worstOfEach } from './dcgm/iterations.js';
import {
  documentsOf,
  isOutput,
  type Output,
  output,
  type Result,
  type Run,
  type Test,
} from './dcgm/layout.js';

/** In DCGM's own numbers. */
const SEVERITIES = ['none', 'monitor', 'isolate', 'unknown', 'triage', 'config', 'reset'];

const OF_STATUS: Readonly<Record<string, CheckVerdict>> = {
  pass: 'pass',
  warn: 'warn',
  fail: 'fail',
  skip: 'skipped',
  skipped: 'skipped',
};

/** A word that is not known here is no pass. */
const verdictOf = (status: string): CheckVerdict => OF_STATUS[status.trim().toLowerCase()] ?? 'inconclusive';

type Facts = Pick<Result, 'error_id' | 'error_severity'>;

function withFacts(words: string, { error_id, error_severity }: Facts): string {
  const severity = SEVERITIES[Number(error_severity ?? -1)];
  const facts = [
    ...(error_id === undefined ? [] : [`error ${error_id}`]),
    ...(severity === undefined ? [] : [`severity ${severity}`]),
  ];
  return `${words}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

function reasonOf(result: Result, status: string): string | null {
  const { warnings, info } = result;
  const said = (Array.isArray(warnings) ? warnings : [warnings]).flatMap((one) => {
    if (one === undefined || one === null) return [];
    return typeof one === 'string'
      ? withFacts(one, result)
      : withFacts(one.warning ?? one.warnings ?? 'no words', one);
  });
  if (said.length > 0) return said.join('; ');
  const told = (Array.isArray(info) ? info : [info]).filter((one) => typeof one === 'string');
  if (verdictOf(status) === 'pass') return null;
  return told.length > 0 ? told.join('; ') : `DCGM says ${status}`;
}

/** DCGM's number for the system. */
const NO_GPU = '-1';

function entityOf({ gpu_id, gpu_ids, cpu_id, entity_group, entity_id, warnings }: Result): string {
  if (entity_id !== undefined) return `@${(entity_group ?? 'entity').toLowerCase()} ${entity_id}`;
  if (cpu_id !== undefined) return `@cpu ${cpu_id}`;
  // A number stands at a deployment test: of several faults it is the GPU of the last one alone.
  const isOfLast = typeof gpu_id === 'number' && Array.isArray(warnings) && warnings.length > 1;
  const gpu = gpu_id ?? gpu_ids;
  return gpu === undefined || String(gpu) === NO_GPU || isOfLast ? '' : `@gpu ${gpu}`;
}

const check = (name: string, verdict: CheckVerdict, reason: string | null): NodeCheck => ({
  name,
  verdict,
  cause: null,
  reason,
  seconds: null,
});

const NO_STATUS = 'nothing of its status';

/**
 * Of each entity, and of the test as a whole where that is worse: DCGM 4 tells what is about no entity only
 * in the summary. A test that was asked for and did not run is its name and nothing else there; one that was
 * not asked for is null, or absent.
 */
function checksOf({ name, results = [], test_summary: summary }: Test): readonly NodeCheck[] {
  const title = `dcgm/${name}`;
  const own = results.flatMap((one) => {
    if (one === null) return [];
    const status = one.status ?? results[0]?.status ?? NO_STATUS;
    return [check(`${title}${entityOf(one)}`, verdictOf(status), reasonOf(one, status))];
  });
  if (summary === undefined) {
    return own.length > 0
      ? own
      : [check(title, 'inconclusive', 'DCGM reports no result of it: it did not run')];
  }
  const { status = NO_STATUS } = summary;
  const whole = verdictOf(status);
  const known = own.map(({ verdict }) => verdict);
  const isTold = own.length > 0 && worstOf([...known, whole]) === worstOf(known);
  return isTold ? own : [...own, check(title, whole, reasonOf(summary, status))];
}

const diagnosticOf = (run: Run) => run['DCGM Diagnostic'] ?? run['DCGM GPU Diagnostic'] ?? {};

function checksOfRun(run: Run): readonly NodeCheck[] {
  const { test_categories: categories = [], runtime_error: error } = diagnosticOf(run);
  const checks = categories.flatMap((category) =>
    (category?.tests ?? []).flatMap((one) => (one === null ? [] : checksOf(one))),
  );
  if (error !== undefined) return [...checks, check('dcgm', 'inconclusive', error)];
  return checks.length > 0 ? checks : [check('dcgm', 'inconclusive', 'DCGM reports no result of any test')];
}

/** An iteration that could not run is null, or what the one before it had, as DCGM writes it. */
const runsOf = ({ iterations, ...own }: Output): readonly Run[] =>
  iterations === undefined ? [own] : iterations.map((run) => run ?? {});

/**
 * DCGM ends its iterations at the first error, so that the others were never made; a check that failed says
 * so itself.
 */
function overallOf(all: Output, checks: readonly NodeCheck[]): readonly NodeCheck[] {
  const { 'Overall Result': result = 'Pass', warning } = all;
  if (verdictOf(result) === 'pass' || checks.some(({ verdict }) => verdict === 'fail')) return [];
  return [
    check(
      'dcgm/iterations',
      'inconclusive',
      `DCGM says ${result}${warning === undefined ? '' : `: ${warning}`}`,
    ),
  ];
}

/** A node of whose output nothing is understood: it must not be missing where nodes are judged. */
export const openDcgmNode = (node: string, why: string): NodeLine => ({
  ...unknownNode(node, 'dcgm', null),
  hardware: { imported: 'dcgm' },
  checks: [check('dcgm', 'inconclusive', why)],
});

function notUnderstood(node: string, { issues: [issue] }: z.ZodError): NodeLine {
  const where = issue === undefined ? '' : `: ${issue.path.join('.')}: ${issue.message}`;
  return openDcgmNode(node, `its output has a form that pi-bench does not know${where}`);
}

const versionOf = (run: Run): string | undefined =>
  run.metadata?.version ?? run.version ?? diagnosticOf(run).version;

/**
 * @param node what the node is called: the output does not name it
 * @returns null where it is no such output
 * @throws SyntaxError where it is not JSON
 */
export function dcgmNode(text: string, node: string): NodeLine | null {
  const parsed = documentsOf(text)
    .filter(isOutput)
    .map((json) => output.safeParse(json));
  if (parsed.length === 0) return null;
  const broken = parsed.find(({ success }) => !success);
  if (broken?.error !== undefined) return notUnderstood(node, broken.error);
  const all = parsed.flatMap(({ data }): Output[] => (data === undefined ? [] : [data]));
  const checks = all.flatMap((one) => worstOfEach(runsOf(one).map(checksOfRun)));
  return {
    ...unknownNode(node, 'dcgm', all.flatMap(runsOf).flatMap((run) => versionOf(run) ?? [])[0] ?? null),
    hardware: { imported: 'dcgm' },
    checks: [...checks, ...all.flatMap((one) => overallOf(one, checks))],
  };
}
