/** `pi-bench fleet ...`: many nodes, judged together. Each of its commands is a file beside this one and a line here. */
import type { CommandModule } from 'yargs';
import { UserError } from '../../errors.js';
import { meantText, nearest } from '../../nearest.js';
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

const names = commands.map(({ command }) => String(command).split(' ')[0] ?? '');

/** What yargs takes where none of them is named: of two words it would only say that they are too many. */
const noSuchCommand: CommandModule = {
  command: '$0',
  describe: false,
  builder: (yargs) => yargs.strict(false),
  handler: ({ _: [, word] }) => {
    throw new UserError(
      word === undefined
        ? 'say what to do with the fleet: pi-bench fleet check, or pi-bench fleet --help'
        : `fleet has no command ${word}; it has ${names.join(', ')}${meantText(nearest(String(word), names))}`,
    );
  },
};

export const fleetCommand: CommandModule = {
  command: 'fleet',
  describe: 'Many nodes together: outliers, baselines, slow links, which checks pay',
  builder: (yargs) => {
    for (const command of [...commands, noSuchCommand]) yargs.command(command);
    return yargs.example([
      ['$0 fleet check results/*/', 'which nodes stand out, why, and what to do'],
      ['$0 fleet baseline results/*/ -o fleet.json', 'what these nodes reach, to judge others by'],
    ]);
  },
  // Only reached through one of the commands.
  handler: () => {},
};
