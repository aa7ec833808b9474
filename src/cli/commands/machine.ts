/** `pi-bench machine`: what this machine is. */
import type { CommandModule } from 'yargs';
import { renderMachine } from '../../readers/terminal/machine.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import { describeHere } from '../here.js';

export const machineCommand: CommandModule = {
  command: 'machine',
  describe: 'What this machine is: CPU, memory, system, limits',
  builder: (yargs) =>
    yargs.option('json', { type: 'boolean', describe: 'As JSON, as records hold it' }).example([
      ['$0 machine', 'what a person wants to know'],
      ['$0 machine --json | jq .cpu.caches', 'everything that was read'],
    ]),
  handler: ({ json }) => {
    const machine = describeHere();
    const text =
      json === true
        ? JSON.stringify(machine, null, 1)
        : renderMachine(machine, terminalStyle(process.stdout));
    process.stdout.write(`${text}\n`);
  },
};
