/** From the attempts at each check to its verdict, and from the checks to that on the node. Pure. */

import { plural } from '../quantities/format.js';
import type { Qualification, QualificationCheck, Verdict } from '../record/schema.js';
import type { Context, Judgement } from './criteria/criterion.js';
import { judgementsOf, repeats } from './criteria/index.js';
import { isForDevice } from './criteria/speed.js';
import { worstOf } from './findings.js';
import type { Suite } from './suite.js';
import type { CheckKind, SuiteCheck } from './suite-file.js';

/** In so many attempts two must agree. */
export const MOST_ATTEMPTS = 3;
const ENOUGH = 2;

export interface JudgedCheck {
  readonly check: SuiteCheck;
  readonly judgement: Judgement;
}

/** How much a check has to say of a device among those of its part for other models each: it is for it, or somebody insists on it. */
function claimOf({ check, judgement: { device } }: JudgedCheck, { machine }: Context): number {
  const isIts = check.check === 'efficiency' && device !== null && isForDevice(check, device, machine);
  return isIts ? 2 : Number(check.required === true);
}

const isForSomeModels = ({ check }: JudgedCheck): boolean => 'models' in check && check.models !== undefined;

/** Of one attempt, in the order of the suite. Of checks of one part that are for other models each a device has that which is for it. */
export function judgeAll(suite: Suite, context: Context): readonly JudgedCheck[] {
  const all = suite.checks.flatMap((check) =>
    judgementsOf(check, context).map((judgement) => ({ check, judgement })),
  );
  const speaking = new Map<string, JudgedCheck>();
  for (const one of all.filter(isForSomeModels)) {
    const other = speaking.get(one.judgement.id);
    if (other === undefined || claimOf(one, context) > claimOf(other, context))
      speaking.set(one.judgement.id, one);
  }
  return all.filter((one) => !isForSomeModels(one) || speaking.get(one.judgement.id) === one);
}

const good = (verdict: Verdict): boolean => verdict === 'pass' || verdict === 'warn';
/** Nothing to measure again: it holds, or there was nothing to judge. */
const settled = (verdict: Verdict): boolean => good(verdict) || verdict === 'skipped';

/**
 * What the attempts at one check come to; null: it takes another one. What holds at once holds; what does not has to be
 * seen in two of three, for a launch can be unlucky. An attempt that could not be judged speaks for neither. A wrong output, a lost
 * launch, an error counter need not be seen twice.
 */
export function decide(kind: CheckKind, verdicts: readonly Verdict[]): Verdict | null {
  const [first] = verdicts;
  if (first === undefined) return null;
  if (!repeats(kind)) return worstOf(verdicts);
  if (settled(first)) return first;
  const failed = verdicts.filter((verdict) => verdict === 'fail').length;
  if (failed >= ENOUGH) return 'fail';
  if (verdicts.filter(good).length >= ENOUGH)
    return failed === 0 && !verdicts.includes('warn') ? 'pass' : 'warn';
  return verdicts.length < MOST_ATTEMPTS ? null : 'inconclusive';
}

type History = ReadonlyMap<string, readonly JudgedCheck[]>;

/** @throws where one attempt has two of one id: one of them would be taken for another attempt, and answer for the other */
function byId(attempts: readonly (readonly JudgedCheck[])[]): History {
  const all = new Map<string, JudgedCheck[]>();
  for (const attempt of attempts) {
    const own = new Set<string>();
    for (const one of attempt) {
      const { id } = one.judgement;
      if (own.has(id)) throw new Error(`two checks of one attempt are called ${id}`);
      own.add(id);
      const known = all.get(id);
      if (known === undefined) all.set(id, [one]);
      else known.push(one);
    }
  }
  return all;
}

const verdictsOf = (judgements: readonly JudgedCheck[]): readonly Verdict[] =>
  judgements.map(({ judgement }) => judgement.verdict);

/** As `decide`, but what no attempt can see on this machine is not looked for again. */
const decisionOf = (judgements: readonly JudgedCheck[]): Verdict | null => {
  const [first] = judgements;
  if (first === undefined) return null;
  const { check } = first.check;
  const { blind, batch, verdict } = first.judgement;
  // What is about no batch is not measured again. What counts at once may have been seen by another attempt, which was made for
  // another check.
  if ((blind || batch === null) && repeats(check)) return verdict;
  return decide(check, verdictsOf(judgements));
};

/** Batches of the first record that have to be measured again, by their index. */
export function undecided(attempts: readonly (readonly JudgedCheck[])[]): readonly number[] {
  const open = [...byId(attempts).values()].flatMap((judgements) => {
    const [first] = judgements;
    if (first === undefined || first.judgement.batch === null) return [];
    return decisionOf(judgements) === null ? [first.judgement.batch] : [];
  });
  return [...new Set(open)].sort((a, b) => a - b);
}

/** What the reason of several attempts begins with. */
function attemptsText(verdict: Verdict, verdicts: readonly Verdict[]): string {
  const failed = verdicts.filter((one) => !settled(one)).length;
  const times = plural(verdicts.length, 'attempt');
  if (verdicts.length === 1 || failed === 0) return '';
  if (verdict === 'fail') return `in ${failed} of ${times}: `;
  if (!good(verdict)) return `${failed} of ${times} not good: `;
  if (!verdicts.includes('fail')) return `${failed} of ${times} could not be judged: `;
  // Of a warning the figures that follow are those of the bad attempt, of a pass those of a good one.
  return `${verdict === 'pass' ? 'not in' : 'in'} ${failed} of ${times}, which does not count as a failure: `;
}

/**
 * Whose figures are shown: the last attempt's that came to the verdict, or else of the one that was not good; of what need not be
 * seen again the first's, which had all launches; of a warning because something failed once, that failure's.
 */
function telling(judgements: readonly JudgedCheck[], verdict: Verdict, repeated: boolean): JudgedCheck {
  const came = ({ judgement }: JudgedCheck): boolean => judgement.verdict === verdict;
  const once = judgements.find(({ judgement }) => judgement.verdict === 'fail');
  const own = repeated ? judgements.findLast(came) : judgements.find(came);
  const chosen = verdict === 'warn' && repeated ? (once ?? own) : own;
  const bad = judgements.find(({ judgement }) => !settled(judgement.verdict));
  return chosen ?? bad ?? (judgements[0] as JudgedCheck);
}

function checkOf(judgements: readonly JudgedCheck[], interrupted: boolean): QualificationCheck | null {
  const [first] = judgements;
  if (first === undefined) return null;
  const { check } = first;
  const verdicts = verdictsOf(judgements);
  const decided = decisionOf(judgements);
  const verdict = decided ?? 'inconclusive';
  const { judgement } = telling(judgements, verdict, repeats(check.check));
  const early =
    decided === null
      ? `not measured again, as ${interrupted ? 'it was interrupted' : 'the time was up'} (${verdicts.length} of ${MOST_ATTEMPTS} attempts): `
      : '';
  const fine = verdict === 'pass' || verdict === 'skipped';
  const { id, kind, part, device, batch, cause } = { ...judgement, batch: first.judgement.batch };
  // What could be judged once stays required, whatever kept another attempt from being judged. A check that the suite does not have
  // qualifies nothing where it holds.
  const possible = judgements.some((one) => one.judgement.possible);
  const counts = possible && !(check.implied === true && settled(verdict));
  return {
    id,
    kind,
    part,
    device,
    batch,
    required: check.required ?? counts,
    verdict,
    severity: fine ? null : (check.severity ?? cause?.severity ?? 'triage'),
    cause: fine ? null : (cause?.name ?? null),
    reason: `${early}${attemptsText(verdict, verdicts)}${judgement.reason}`,
    action: fine ? null : (check.action ?? cause?.action ?? null),
    findings: [...judgement.findings],
    attempts: judgements.map(({ judgement: one }, i) => ({
      number: i + 1,
      verdict: one.verdict,
      findings: [...one.findings],
    })),
  };
}

/**
 * @param attempts what each attempt's checks came to; ids of the first are those of all
 * @param interrupted whether a signal kept it from being measured again
 */
export const checksOf = (
  attempts: readonly (readonly JudgedCheck[])[],
  interrupted = false,
): readonly QualificationCheck[] => {
  const ids = new Set((attempts[0] ?? []).map(({ judgement }) => judgement.id));
  return [...byId(attempts)].flatMap(([id, judgements]) =>
    ids.has(id) ? (checkOf(judgements, interrupted) ?? []) : [],
  );
};

/** A required check that is neither pass nor warn keeps a node from being qualified, whatever kept it from being judged. */
export function outcomeOf(checks: readonly QualificationCheck[]): Qualification['outcome'] {
  const verdicts = new Set(checks.filter(({ required }) => required).map(({ verdict }) => verdict));
  if (verdicts.has('fail')) return 'not-qualified';
  if (verdicts.size === 0 || verdicts.has('inconclusive') || verdicts.has('skipped')) return 'inconclusive';
  return 'qualified';
}
