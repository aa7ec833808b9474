/** `pi-bench fleet baseline NODES... -o FILE`: what nodes of one kind reach, to judge others by. */
import { basename } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT } from '../../errors.js';
import { makeBaseline } from '../../fleet/baseline.js';
import { identity } from '../../package.js';
import { plural } from '../../quantities/format.js';
import { readOneKind, scaleOf, withAcross, withMargin, withNodes } from '../fleet-options.js';
import { writeText } from '../print-text.js';
import { say } from '../say.js';

const MOST_NAMED = 10;

export const fleetBaselineCommand: CommandModule = {
  command: 'baseline [nodes..]',
  describe: 'What nodes of one kind reach, outliers left out, as a file to judge others by',
  builder: (yargs) =>
    withMargin(withAcross(withNodes(yargs)))
      .option('out', {
        type: 'string',
        alias: 'o',
        describe: 'File to write it to',
        defaultDescription: 'stdout',
      })
      .option('name', { type: 'string', describe: 'What it is called', defaultDescription: 'as its file' })
      .example([
        ['$0 fleet baseline results/*/ -o fleet.json', 'then: pi-bench qualify --baseline fleet.json'],
      ])
      .epilogue(
        'Exit codes: 0 every KPI has an entry, 2 some were refused, 64 no fleet, a mixed one, or no entry at all',
      ),
  handler: async ({ nodes: paths, across, margin, out, name }) => {
    const fleet = await readOneKind(paths, across);
    const file = out === undefined ? null : String(out);
    const { baseline, refused, leftOut } = makeBaseline(
      fleet,
      {
        name: name === undefined ? basename(file ?? 'fleet', '.json') : String(name),
        createdAt: new Date().toISOString(),
        piBench: identity(),
      },
      scaleOf(margin),
    );
    const nodes = new Set(leftOut.map(({ node }) => node)).size;
    if (nodes > 0) say(`${plural(nodes, 'node')} left out, wholly or in part, as no example to others:`);
    for (const { node, why } of leftOut.slice(0, MOST_NAMED)) say(`${node}: ${why}`);
    if (leftOut.length > MOST_NAMED) say(`... and ${leftOut.length - MOST_NAMED} more`);
    for (const { title, why } of refused.slice(0, MOST_NAMED)) say(`no entry for ${title}: ${why}`);
    if (refused.length > MOST_NAMED) say(`... and ${refused.length - MOST_NAMED} more`);
    const text = `${JSON.stringify(baseline, null, 1)}\n`;
    if (file === null) process.stdout.write(text);
    else {
      writeText(file, text);
      const entries = plural(baseline.entries.length, 'entry', 'entries');
      process.stdout.write(`${file}: ${entries} from ${plural(baseline.nodes.length, 'node')}\n`);
    }
    process.exitCode = refused.length > 0 ? EXIT.incomplete : EXIT.done;
  },
};
