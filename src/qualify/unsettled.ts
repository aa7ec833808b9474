/** Why an earlier "no" stays where a later run of as much as it qualified the node. Pure. */
import { plural } from '../quantities/format.js';
import { type CachedVerdict, checksAsMuch, heldToLess, notJudgedAgain, sawAsMuch } from './answer.js';

/** Of many checks that failed a few tell which they were. */
const MOST_NAMED = 3;

function checksText(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED;
  return `${ids.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${plural(more, 'more check')}` : ''}`;
}

function whysOf(later: CachedVerdict, earlier: CachedVerdict): readonly string[] {
  const held = heldToLess(later, earlier).map((one) => one.replace(/^baseline.*/, 'the same baseline'));
  const failed = notJudgedAgain(later, earlier);
  return [
    ...(held.length === 0 ? [] : [`was not held to ${held.join(', ')}`]),
    ...(sawAsMuch(later.saw, earlier.saw) ? [] : ['saw less of the node']),
    ...(failed.length === 0 ? [] : [`did not judge ${checksText(failed)}`]),
  ];
}

/**
 * @param file of the verdicts
 * @returns null: the earlier one is settled, is no "no", or nobody takes the later one for a run of as much
 */
export function unsettledText(later: CachedVerdict, earlier: CachedVerdict, file: string): string | null {
  if (later.outcome !== 'qualified' || earlier.outcome !== 'not-qualified') return null;
  const whys = whysOf(later, earlier);
  return whys.length === 0 || !checksAsMuch(later, earlier)
    ? null
    : `the "no" of ${earlier.suite} of ${earlier.at} (${earlier.why}) stands for pi-bench verdict, as this run ${whys.join(' and ')}: a run as that one settles it, or, where what failed is not there any more, removing ${file}`;
}
