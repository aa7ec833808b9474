/** `pi-bench stacks`: what this machine can measure matrix products on, and what would be needed for the rest. */
import type { CommandModule } from 'yargs';
import { renderSurvey } from '../../readers/terminal/stacks.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import { survey } from '../../stacks/survey.js';

export const stacksCommand: CommandModule = {
  command: 'stacks',
  describe: 'Every stack that this machine can run, with its identity; what would be needed for the others',
  builder: (yargs) =>
    yargs.option('json', { type: 'boolean', describe: 'As JSON' }).example([
      ['$0 stacks', 'what can follow --stack here'],
      ['$0 matmul --stack openblas,blis,embedded', 'measure several, interleaved'],
    ]),
  handler: async ({ json }) => {
    const found = await survey();
    const text =
      json === true ? JSON.stringify(found, null, 1) : renderSurvey(found, terminalStyle(process.stdout));
    process.stdout.write(`${text}\n`);
  },
};
