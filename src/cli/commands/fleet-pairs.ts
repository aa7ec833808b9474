/** `pi-bench fleet pairs`: which pairs to measure, and which node is the culprit of a slow link. Measures nothing. */
import { readFileSync } from 'node:fs';
import type { CommandModule } from 'yargs';
import { EXIT, messageOf, UserError } from '../../errors.js';
import {
  besidePlan,
  type FirstJudgement,
  firstPass,
  judgePairs,
  judgeSecondPass,
  LEAST_PAIRS,
  type MeasuredPair,
  type Pair,
  type Plan,
  type SecondPlan,
  secondPass,
} from '../../fleet/pairs.js';
import { type ReadPairs, readPairs } from '../../fleet/read-pairs.js';
import { plural } from '../../quantities/format.js';
import { parseCount, parseShare } from '../../quantities/parse.js';
import { limitsText, renderPairs, renderPairsVerdict } from '../../readers/terminal/fleet.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import { pathsOf } from '../fleet-options.js';
import { listOf } from '../read-named.js';
import { say } from '../say.js';

/** Seeds have 32 bits. */
const MOST_SEED = 2 ** 32 - 1;

/** `a,b,c`, or `@file` with a name a line. */
function namesOf(text: string): readonly string[] {
  if (!text.startsWith('@')) return listOf(text);
  try {
    return readFileSync(text.slice(1), 'utf8').split(/\s+/).filter(Boolean);
  } catch (error) {
    throw new UserError(`cannot read the names of the nodes: ${messageOf(error)}`);
  }
}

function printPlan(plan: Plan, json: boolean, leftText: string): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(plan, null, 1)}\n`);
    return;
  }
  if (plan.pairs.length > 0) process.stdout.write(`${renderPairs(plan)}\n`);
  if (plan.left.length > 0) say(`${plan.left.join(', ')} ${leftText}`);
}

/**
 * @param isWhole whether the first pass is all that there was to measure, and its limits rest on enough: else it names no culprit
 * @returns the exit code
 */
function printSecondPass(plan: SecondPlan, json: boolean, isWhole: boolean): number {
  const { pairs, left, slowWithAll } = plan;
  const waiting = left.filter((node) => !slowWithAll.includes(node));
  printPlan(
    { ...plan, left: json ? left : waiting },
    json,
    'wait for another second pass: no node that passed is left for them',
  );
  if (slowWithAll.length === 0) return EXIT.incomplete;
  const so = isWhole ? ', and so culprits without a second pass' : '';
  say(`slow with every node that passed${so}: ${slowWithAll.join(', ')}`);
  return isWhole && pairs.length + waiting.length === 0 ? EXIT.answerIsNo : EXIT.incomplete;
}

const MOST_NAMED = 10;

function namesText(pairs: readonly Pair[]): string {
  const named = pairs.slice(0, MOST_NAMED).map((pair) => pair.join(' and '));
  return `${named.join(', ')}${pairs.length > named.length ? ` and ${pairs.length - named.length} more` : ''}`;
}

/** Reads a pass, and says what of it is not there, or not whole, and of which pairs it has taken one measurement of several. */
function readPass(paths: unknown): ReadPairs {
  const read = readPairs(pathsOf(paths));
  const { repeated, cut, unread } = read;
  for (const why of unread.slice(0, MOST_NAMED)) say(why);
  if (unread.length > MOST_NAMED) say(`... and ${unread.length - MOST_NAMED} more without a record`);
  if (repeated.length > 0) say(`measured several times, of which the newest counts: ${namesText(repeated)}`);
  const [first] = cut;
  if (first !== undefined)
    say(`not measured to the end: ${namesText(cut.map(({ pair }) => pair))} (${first.why})`);
  return read;
}

interface FirstPass {
  readonly measured: readonly MeasuredPair[];
  /** Nothing is known of somebody: a node that was in no pair, or a pair that left nothing and that no plan names. */
  readonly open: boolean;
}

/** @param plan null: what was to be measured nobody says */
function wholeFirstPass({ measured, cut, unread }: ReadPairs, plan: Plan | null): FirstPass {
  const open = cut.length > 0;
  if (plan === null) return { measured, open: open || unread.length > 0 };
  const { measured: all, absent, alone } = besidePlan(plan, measured);
  if (absent.length > 0) say(`nothing was measured of ${namesText(absent)}: taken for failed`);
  if (alone.length > 0) say(`${alone.join(', ')} was in no pair, so nothing is known of it`);
  return { measured: all, open: open || alone.length > 0 };
}

/** Whether the limits rest on pairs enough; where not, that is said. */
function restsOnEnough({ rated }: FirstJudgement): boolean {
  if (rated >= LEAST_PAIRS) return true;
  say(
    `${plural(rated, 'pair has', 'pairs have')} a rate, and fewer than ${LEAST_PAIRS} cannot say what a link has to reach: measure more pairs`,
  );
  return false;
}

export const fleetPairsCommand: CommandModule = {
  command: 'pairs',
  describe: 'Two passes over pairs of nodes that name the culprit of a slow link',
  builder: (yargs) =>
    yargs
      .option('nodes', {
        type: 'string',
        describe:
          'Names with commas, or @FILE: prints the pairs of the first pass; beside --first: what it was planned for, so that a pair of which nothing is there has failed',
      })
      .option('first', {
        type: 'string',
        array: true,
        describe:
          'Measured pairs of the first pass (.jsonl, or records measured with --labels "pair=A B"): prints the second pass',
      })
      .option('second', {
        type: 'string',
        array: true,
        describe: 'Those of the second pass: names the culprits',
      })
      .option('margin', {
        type: 'string',
        default: '10%',
        describe: 'A link this far below the median is slow',
      })
      .option('seed', { type: 'string', default: '1', describe: 'Of the order in which nodes are paired' })
      .option('json', { type: 'boolean', describe: 'As JSON' })
      .example([
        ['$0 fleet pairs --nodes n1,n2,n3,n4,n5,n6', 'which pairs to measure first'],
        ['$0 fleet pairs --nodes @nodes.txt --first first/*/*/', 'suspects, each with a node that passed'],
        ['$0 fleet pairs --nodes @nodes.txt --first first/*/*/ --second second/*/*/', 'who is slow again'],
      ])
      .epilogue(
        'A line of a .jsonl: {"pair": ["n1", "n2"], "rate": 1.2e10, "unit": "B/s"}; rate null: it failed. Of a pair that was measured several times the newest counts. Exit codes: 0 no slow link, 1 a culprit (without a second pass where each suspect was slow with every node that passed), 2 a second pass is needed, or does not settle it, or fewer than three pairs have a rate, or a node was in no pair, or a pair was not measured to its end',
      ),
  handler: ({ nodes, first, second, margin, seed, json }) => {
    const plan =
      nodes === undefined
        ? null
        : firstPass(namesOf(String(nodes)), parseCount(String(seed), '--seed', MOST_SEED));
    if (first === undefined) {
      if (plan === null || second !== undefined) {
        throw new UserError('pairs takes --nodes for a first pass, or --first with what was measured in it');
      }
      printPlan(plan, json === true, 'without a partner: measure with another node afterwards');
      return;
    }
    const read = readPass(first);
    const { unit } = read;
    const { measured, open } = wholeFirstPass(read, plan);
    const judged = judgePairs(measured, parseShare(String(margin), '--margin'));
    const good = restsOnEnough(judged) && !open ? EXIT.done : EXIT.incomplete;
    if (second === undefined) {
      if (judged.slow.length === 0) {
        if (json === true)
          process.stdout.write(`${JSON.stringify({ pairs: [], left: [], slowWithAll: [] }, null, 1)}\n`);
        else say(`no pair is slower than ${limitsText(judged.limits, unit)}: there is no second pass`);
        process.exitCode = good;
        return;
      }
      process.exitCode = printSecondPass(secondPass(judged), json === true, good === EXIT.done);
      return;
    }
    const again = readPass(second);
    if (again.unit !== unit && again.unit !== '' && unit !== '') {
      throw new UserError(`the first pass is in ${unit} and the second in ${again.unit}: measure both alike`);
    }
    const verdict = judgeSecondPass(judged, again.measured);
    process.stdout.write(
      json === true
        ? `${JSON.stringify(verdict, null, 1)}\n`
        : `${renderPairsVerdict(verdict, unit, terminalStyle(process.stdout))}\n`,
    );
    const is = (wanted: string): boolean => verdict.suspects.some((one) => one.verdict === wanted);
    process.exitCode = is('culprit')
      ? EXIT.answerIsNo
      : is('not measured') || verdict.between.length > 0 || again.cut.length > 0
        ? EXIT.incomplete
        : good;
  },
};
