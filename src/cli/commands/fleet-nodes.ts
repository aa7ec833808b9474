/** `pi-bench fleet nodes NODES...`: records as node lines, for keeping a fleet in one file, or as SuperBench's summary. */
import type { CommandModule } from 'yargs';
import { toLine } from '../../fleet/node-line.js';
import { readLines } from '../../fleet/read-fleet.js';
import { toSuperbench } from '../../import/superbench.js';
import { plural } from '../../quantities/format.js';
import { pathsOf, withNodes } from '../fleet-options.js';
import { writeText } from '../print-text.js';

const FORMATS = ['jsonl', 'superbench'] as const;

export const fleetNodesCommand: CommandModule = {
  command: 'nodes [nodes..]',
  describe: 'The nodes as JSON Lines: one line each, with its KPIs, their distributions and its checks',
  builder: (yargs) =>
    withNodes(yargs)
      .option('format', {
        choices: FORMATS,
        default: 'jsonl',
        describe: 'superbench: results-summary.jsonl as SuperBench writes it, medians only',
      })
      .option('out', {
        type: 'string',
        alias: 'o',
        describe: 'File to write it to',
        defaultDescription: 'stdout',
      })
      .example([
        ['$0 fleet nodes results/*/ -o nodes.jsonl', 'then: pi-bench fleet check nodes.jsonl'],
        ['$0 fleet nodes results/*/ --format superbench -o results-summary.jsonl', 'for sb result diagnosis'],
      ]),
  handler: ({ nodes, format, out }) => {
    const write = format === 'superbench' ? toSuperbench : toLine;
    const lines = readLines(pathsOf(nodes)).map(write);
    if (out === undefined) process.stdout.write(lines.join(''));
    else {
      writeText(String(out), lines.join(''));
      process.stdout.write(`${String(out)}: ${plural(lines.length, 'node')}\n`);
    }
  },
};
