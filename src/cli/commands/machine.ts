/** `pi-bench machine`: what this machine is, and what was measured of its caches. */
import type { CommandModule } from 'yargs';
import { renderMachine } from '../../readers/terminal/machine.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import { describeHere } from '../here.js';
import { measuredCaches } from '../measured-caches.js';

export const machineCommand: CommandModule = {
  command: 'machine',
  describe: 'What this machine is: CPU, caches (reported and measured), memory, system, limits',
  builder: (yargs) =>
    yargs
      .option('json', { type: 'boolean', describe: 'As JSON, as records hold it' })
      .option('results', {
        type: 'string',
        describe: 'Folder of campaigns, in which a memory record of this machine is looked for',
        default: 'results',
      })
      .example([
        ['$0 machine', 'what a person wants to know'],
        ['$0 machine --json | jq .cpu.caches', 'everything that was read'],
      ]),
  handler: ({ json, results }) => {
    const machine = describeHere(true);
    const measured = measuredCaches(String(results), machine);
    const text =
      json === true
        ? JSON.stringify({ ...machine, measuredCaches: measured }, null, 1)
        : renderMachine(machine, measured, terminalStyle(process.stdout));
    process.stdout.write(`${text}\n`);
  },
};
