/** `pi-bench fleet ...`: many nodes, judged together. Each of its commands is a file beside this one and a line here. */
import type { CommandModule } from 'yargs';
import { fleetBaselineCommand } from './fleet-baseline.js';
import { fleetCheckCommand } from './fleet-check.js';
import { fleetNodesCommand } from './fleet-nodes.js';
import { fleetPairsCommand } from './fleet-pairs.js';
import { fleetPlanCommand } from './fleet-plan.js';

const commands: readonly CommandModule[] = [
  fleetCheckCommand,
  fleetBaselineCommand,
  fleetNodesCommand,
  fleetPairsCommand,
  fleetPlanCommand,
];

export const fleetCommand: CommandModule = {
  command: 'fleet',
  describe: 'Many nodes together: outliers, baselines, slow links, which checks pay',
  builder: (yargs) => {
    for (const command of commands) yargs.command(command);
    return yargs
      .strictCommands()
      .demandCommand(1, 1, 'say what to do with the fleet: pi-bench fleet check, or pi-bench fleet --help')
      .example([
        ['$0 fleet check results/*/', 'which nodes stand out, why, and what to do'],
        ['$0 fleet baseline results/*/ -o fleet.json', 'what these nodes reach, to judge others by'],
      ]);
  },
  // Only reached where no command of the fleet was named, which demandCommand has refused.
  handler: () => {},
};
