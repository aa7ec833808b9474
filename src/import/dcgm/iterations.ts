/** Several iterations of a diagnostic as one: only what passed in each of them passed. Pure. */
import type { NodeCheck } from '../../fleet/node-line.js';
import { worstOf } from '../../qualify/findings.js';

/** Each check once, with its worst verdict and in which iteration that was. */
export function worstOfEach(iterations: readonly (readonly NodeCheck[])[]): readonly NodeCheck[] {
  const [first = [], ...others] = iterations;
  if (others.length === 0) return first;
  const names = new Set(iterations.flatMap((checks) => checks.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const all = iterations.flatMap((checks, i) =>
      checks.flatMap((check) => (check.name === name ? { check, at: i + 1 } : [])),
    );
    const verdict = worstOf(all.map(({ check }) => check.verdict));
    const worst = all.filter(({ check }) => check.verdict === verdict);
    return worst.slice(0, 1).map(({ check, at }) => {
      const { reason } = check;
      if (reason === null || worst.length >= iterations.length) return check;
      return { ...check, reason: `in iteration ${at} of ${iterations.length}: ${reason}` };
    });
  });
}
