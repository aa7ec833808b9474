/** `pi-bench run FILE`: a campaign from a file, so that it can be kept, reviewed and repeated. */
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { type CampaignFile, parseCampaignFile } from '../../campaign/campaign-file.js';
import { asksForGpu } from '../../devices/device.js';
import { messageOf, UserError } from '../../errors.js';
import type { Flags } from '../../indicators/indicator.js';
import type { MachineDescription } from '../../machine/types.js';
import { requireDuration } from '../../quantities/parse.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import { ownOfCampaign } from '../asked-stacks.js';
import { sayAlone } from '../at-once.js';
import { outputOptions } from '../common-options.js';
import { createCampaign } from '../create-campaign.js';
import { distinctBatches } from '../distinct-batches.js';
import { batchesOfEntry } from '../entry-batches.js';
import { describeHere } from '../here.js';
import { measure } from '../measure.js';
import { NO_OWN, type OwnNames } from '../own-stack-names.js';
import { readOwnStacks } from '../own-stacks.js';
import { planText } from '../plan-text.js';
import { say } from '../say.js';
import { sayLeftOut } from '../say-left-out.js';

type CampaignInput = Parameters<typeof createCampaign>[0];

const WITH_LABELS = 'to measure a stack beside itself give each entry labels of its own (docs/sweeps.md)';

function inputOf(
  file: CampaignFile,
  path: string,
  machine: MachineDescription,
  own: OwnNames,
): CampaignInput {
  sayLeftOut(
    file.entries.map(({ flags }) => flags.device),
    machine,
  );
  return {
    name: file.name ?? basename(path).replace(/\.[^.]*$/, ''),
    command: process.argv.slice(2),
    batches: distinctBatches(
      file.entries,
      (entry) => {
        const batches = batchesOfEntry(entry, path, machine, own);
        sayAlone(batches, entry.flags);
        return batches;
      },
      ({ line }) =>
        say(`${path}:${line}: all of it is asked for above, and is measured once; ${WITH_LABELS}`),
    ),
    seed: file.seed,
    budget: file.budget === null ? null : requireDuration(file.budget, `${path}: budget`),
    labels: file.labels,
  };
}

/** @throws UserError that names the line */
export function readCampaignFile(path: string): CampaignFile {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${messageOf(error)}; run takes a campaign file`);
  }
  return parseCampaignFile(content, path);
}

async function run(path: string, flags: Flags): Promise<void> {
  if (flags.dryRun === true && flags.json === true)
    throw new UserError('--dry-run makes no record that --json could print: leave one of the two out');
  const file = readCampaignFile(path);
  const machine = describeHere(file.entries.some((entry) => asksForGpu(String(entry.flags.device))));
  const own = file.stackFile === null ? NO_OWN : readOwnStacks(resolve(dirname(path), file.stackFile));
  const input = inputOf(file, path, machine, own.names);
  if (flags.dryRun === true) {
    process.stdout.write(`${planText(createCampaign(input), terminalStyle(process.stdout).width)}\n`);
    return;
  }
  const { batches, stacks, locks } = await ownOfCampaign(own, input.batches, flags.quiet === true);
  await measure(createCampaign({ ...input, batches, stacks }), machine, flags, locks);
}

export const runCommand: CommandModule = {
  command: 'run <file>',
  describe: 'Measure what a campaign file asks for (YAML or JSON)',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', describe: 'The campaign file', demandOption: true })
      .options(outputOptions)
      .option('dry-run', { type: 'boolean', describe: 'Print what would be measured, and measure nothing' })
      .example([
        [
          '$0 run campaign.yaml',
          'docs/sweeps.md shows such a file; schema/campaign.schema.json is for editors',
        ],
        ['$0 run campaign.yaml --dry-run', 'its batches, launches and repetitions, and what they may take'],
      ]),
  handler: (flags) => run(String(flags.file), flags),
};
