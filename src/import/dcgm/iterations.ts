/** Several iterations of a diagnostic as one: only what passed in each of them passed. Pure. */
import type { CheckVerdict, NodeCheck } from '../../fleet/node-line.js';
import { isEntityOf } from '../../fleet/open-checks.js';
import { worstOf } from '../../qualify/findings.js';

type Iterations = readonly (readonly NodeCheck[])[];

/** Of one name in one iteration, counted from 1. */
interface Own {
  readonly at: number;
  /** Nothing: it is not there. */
  readonly checks: readonly NodeCheck[];
  readonly verdict: CheckVerdict;
  /** A check of a whole test is there only where it is worse than its entities, of which some were judged. */
  readonly isToldByEntities: boolean;
}

const togetherOf = (checks: readonly NodeCheck[]): CheckVerdict =>
  worstOf(checks.map(({ verdict }) => verdict));

function ownOf(iterations: Iterations, name: string): readonly Own[] {
  return iterations.map((all, i) => {
    const checks = all.filter((one) => one.name === name);
    const entities = all.filter((one) => isEntityOf(one.name, name));
    const isToldByEntities = checks.length === 0 && togetherOf(entities) !== 'skipped';
    return { at: i + 1, checks, verdict: togetherOf(checks), isToldByEntities };
  });
}

/** `in iteration 2 of 3: hot`; what is the same in all of them is said without it. */
function reasonsText(reasons: readonly (readonly [at: number, reason: string])[], of: number): string | null {
  const ats = new Map<string, Set<number>>();
  for (const [at, reason] of reasons) ats.set(reason, (ats.get(reason) ?? new Set()).add(at));
  if (ats.size === 0) return null;
  const texts = [...ats].map(([reason, own]) => {
    if (own.size === of) return reason;
    return `in iteration${own.size === 1 ? '' : 's'} ${[...own].join(', ')} of ${of}: ${reason}`;
  });
  return texts.join('; ');
}

const reasonsOf = (own: readonly Own[], wanted: CheckVerdict) =>
  own.flatMap(({ at, checks }) =>
    checks.flatMap(({ verdict, reason }) =>
      verdict === wanted && reason !== null ? [[at, reason] as const] : [],
    ),
  );

/** Where nothing was judged that was judged in another iteration. */
const unjudgedOf = (own: readonly Own[]) =>
  own.flatMap(({ at, checks, verdict, isToldByEntities }) => {
    if (isToldByEntities || verdict !== 'skipped') return [];
    if (checks.length === 0) return [[at, 'no result of it'] as const];
    return checks.map(({ reason }) => [at, reason === null ? 'skipped' : `skipped: ${reason}`] as const);
  });

const HOLDING: ReadonlySet<CheckVerdict> = new Set(['pass', 'warn']);

/** Each check once, with its worst verdict and in which iterations that was. */
export function worstOfEach(iterations: Iterations): readonly NodeCheck[] {
  const [first = [], ...others] = iterations;
  if (others.length === 0) return first;
  const names = new Set(iterations.flatMap((checks) => checks.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const own = ownOf(iterations, name);
    const worst = worstOf(own.map(({ verdict }) => verdict));
    const unjudged = HOLDING.has(worst) ? unjudgedOf(own) : [];
    const verdict = unjudged.length === 0 ? worst : 'inconclusive';
    const reason = reasonsText([...reasonsOf(own, worst), ...unjudged], iterations.length);
    const checks = own.flatMap((one) => one.checks);
    return checks.slice(0, 1).map((check) => ({ ...check, verdict, reason }));
  });
}
