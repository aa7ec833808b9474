/** `pi-bench fleet plan NODES... --budget 10m`: which checks have paid for their time. */
import type { CommandModule } from 'yargs';
import { UserError } from '../../errors.js';
import { historyOf } from '../../fleet/history.js';
import { planChecks } from '../../fleet/plan.js';
import { readNodes } from '../../fleet/read-fleet.js';
import { isFileOfLines } from '../../fleet/read-node-lines.js';
import { requireDuration } from '../../quantities/parse.js';
import { renderPlan } from '../../readers/terminal/fleet.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import { pathsOf, scaleOf, withMargin, withNodes } from '../fleet-options.js';

export const fleetPlanCommand: CommandModule = {
  command: 'plan [nodes..]',
  describe: 'Which checks have paid for their time: those that found most defects in a budget',
  builder: (yargs) =>
    withMargin(withNodes(yargs))
      .option('budget', { type: 'string', demandOption: true, describe: 'Time for one node: 60s, 10min' })
      .option('json', { type: 'boolean', describe: 'As JSON' })
      .example([['$0 fleet plan history/*.jsonl --budget 10min', 'each file is a fleet at one time']])
      .epilogue(
        'Nodes with verdicts of qualify are counted by those; others are held against the nodes of their hardware and version in the same file, as fleet check does.',
      ),
  handler: ({ nodes, budget, margin, json }) => {
    const seconds = requireDuration(String(budget), '--budget');
    const paths = pathsOf(nodes);
    const lines = (all: readonly string[]) => [...readNodes(all)].map(({ line }) => line);
    const folders = paths.filter((path) => !isFileOfLines(path));
    const files = [
      ...paths.filter(isFileOfLines).map((path) => lines([path])),
      ...(folders.length === 0 ? [] : [lines(folders)]),
    ];
    const { checks, defects, runs } = historyOf(files, scaleOf(margin));
    if (runs === 0) throw new UserError('there is no history: give node lines (.jsonl) or results folders');
    if (checks.every((check) => check.seconds === null)) {
      throw new UserError(
        'this history does not say how long any check took, so nothing can be planned from it',
      );
    }
    const plan = planChecks(checks, defects, seconds);
    process.stdout.write(
      json === true
        ? `${JSON.stringify({ budget: seconds, runs, ...plan }, null, 1)}\n`
        : `${renderPlan(plan, seconds, runs, terminalStyle(process.stdout))}\n`,
    );
  },
};
