/**
 * What `dcgmi diag -j` printed, as checks with verdicts: the layouts of DCGM 3 (`gpu_ids`, statuses in capitals) and 4 (entities,
 * errors with a severity). Pure.
 */
import { z } from 'zod';
import { type CheckVerdict, type NodeCheck, type NodeLine, unknownNode } from '../fleet/node-line.js';
import { worstOf } from '../qualify/findings.js';

const warning = z.union([
  z.string(),
  z.looseObject({
    warning: z.string().optional(),
    error_id: z.union([z.int(), z.string()]).optional(),
    error_severity: z.union([z.int(), z.string()]).optional(),
  }),
]);
const texts = z.union([z.string(), z.array(z.union([z.string(), z.looseObject({})]))]);
const result = z.looseObject({
  gpu_ids: z.string().optional(),
  entity_group: z.string().optional(),
  entity_id: z.int().optional(),
  status: z.string(),
  warnings: z.union([z.string(), z.array(warning)]).optional(),
  info: texts.optional(),
});
const test = z.looseObject({
  name: z.string(),
  results: z.array(result.nullable()).optional(),
  test_summary: result.optional(),
});
const diagnostic = z.looseObject({
  test_categories: z
    .array(
      z
        .looseObject({
          category: z.string().optional(),
          tests: z.array(test.nullable()).optional(),
        })
        .nullable(),
    )
    .optional(),
  runtime_error: z.string().optional(),
});
const document = z.looseObject({
  'DCGM Diagnostic': diagnostic.optional(),
  'DCGM GPU Diagnostic': diagnostic.optional(),
  metadata: z.looseObject({ version: z.string().optional() }).optional(),
});

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

type Result = z.infer<typeof result>;

function reasonOf({ warnings, info, status }: Result): string | null {
  const said = (Array.isArray(warnings) ? warnings : warnings === undefined ? [] : [warnings]).map((one) => {
    if (typeof one === 'string') return one;
    const severity = SEVERITIES[Number(one.error_severity ?? -1)];
    const facts = [
      ...(one.error_id === undefined ? [] : [`error ${one.error_id}`]),
      ...(severity === undefined ? [] : [`severity ${severity}`]),
    ];
    return `${one.warning ?? 'no words'}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
  });
  const verdict = verdictOf(status);
  if (said.length > 0) return said.join('; ');
  const told = (Array.isArray(info) ? info : [info]).filter((one) => typeof one === 'string');
  if (verdict === 'pass') return null;
  return told.length > 0 ? told.join('; ') : `DCGM says ${status}`;
}

const entityOf = ({ gpu_ids, entity_group, entity_id }: Result): string =>
  entity_id === undefined
    ? gpu_ids === undefined
      ? ''
      : `@gpu ${gpu_ids}`
    : `@${(entity_group ?? 'entity').toLowerCase()} ${entity_id}`;

const check = (name: string, verdict: CheckVerdict, reason: string | null): NodeCheck => ({
  name,
  verdict,
  cause: null,
  reason,
  seconds: null,
});

/**
 * Of each entity, and of the test as a whole where that is worse: DCGM 4 tells what is about no entity only in the summary. A test that
 * was asked for and did not run is its name and nothing else there; one that was not asked for is null, or absent.
 */
function checksOf({ name, results = [], test_summary: summary }: z.infer<typeof test>): readonly NodeCheck[] {
  const title = `dcgm/${name}`;
  const own = results.flatMap((one) =>
    one === null ? [] : [check(`${title}${entityOf(one)}`, verdictOf(one.status), reasonOf(one))],
  );
  if (summary === undefined) {
    return own.length > 0
      ? own
      : [check(title, 'inconclusive', 'DCGM reports no result of it: it did not run')];
  }
  const whole = verdictOf(summary.status);
  const known = own.map(({ verdict }) => verdict);
  const isTold = own.length > 0 && worstOf([...known, whole]) === worstOf(known);
  return isTold ? own : [...own, check(title, whole, reasonOf(summary))];
}

/** dcgmi prints warnings before its JSON now and then. */
function jsonOf(text: string): unknown {
  const from = text.indexOf('{');
  return JSON.parse(from < 0 ? text : text.slice(from, text.lastIndexOf('}') + 1));
}

const isOutput = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && ('DCGM Diagnostic' in json || 'DCGM GPU Diagnostic' in json);

/** A node whose output has a form of which nothing is known here: it must not be missing where nodes are judged. */
function notUnderstood(node: string, { issues: [issue] }: z.ZodError): NodeLine {
  const where = issue === undefined ? '' : `: ${issue.path.join('.')}: ${issue.message}`;
  return {
    ...unknownNode(node, 'dcgm', null),
    hardware: { imported: 'dcgm' },
    checks: [check('dcgm', 'inconclusive', `its output has a form that pi-bench does not know${where}`)],
  };
}

/**
 * @param node what the node is called: the output does not name it
 * @returns null where it is no such output
 * @throws SyntaxError where it is not JSON
 */
export function dcgmNode(text: string, node: string): NodeLine | null {
  const json = jsonOf(text);
  const parsed = document.safeParse(json);
  if (!parsed.success) return isOutput(json) ? notUnderstood(node, parsed.error) : null;
  const found = parsed.data['DCGM Diagnostic'] ?? parsed.data['DCGM GPU Diagnostic'];
  if (found === undefined) return null;
  const checks = (found.test_categories ?? []).flatMap((category) =>
    (category?.tests ?? []).flatMap((one) => (one === null ? [] : checksOf(one))),
  );
  const version = parsed.data.metadata?.version ?? null;
  return {
    ...unknownNode(node, 'dcgm', version),
    hardware: { imported: 'dcgm' },
    checks: [
      ...checks,
      ...(found.runtime_error === undefined ? [] : [check('dcgm', 'inconclusive', found.runtime_error)]),
      ...(checks.length > 0 || found.runtime_error !== undefined
        ? []
        : [check('dcgm', 'inconclusive', 'DCGM reports no result of any test')]),
    ],
  };
}
