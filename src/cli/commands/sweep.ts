/** `pi-bench sweep INDICATOR`: the command of an indicator with several values for any of its flags. */
import type { CommandModule, Options } from 'yargs';
import { asksForGpu } from '../../devices/device.js';
import { UserError } from '../../errors.js';
import { findIndicator, indicators } from '../../indicators/index.js';
import type { Flags, Indicator } from '../../indicators/indicator.js';
import { ownOfCampaign, ownStacksOf } from '../asked-stacks.js';
import { sayAlone } from '../at-once.js';
import { budgetOf, labelsOf, seedOf } from '../common-options.js';
import { createCampaign } from '../create-campaign.js';
import { describeHere } from '../here.js';
import { measure } from '../measure.js';
import { sayLeftOut } from '../say-left-out.js';
import { sweptBatches, sweptOptions } from '../swept-batches.js';
import { namedOptions, positionalOf } from './measure.js';

/** What is done with an indicator and its flags. */
type Sweep = (indicator: Indicator, flags: Flags) => void | Promise<void>;

/** @param options of `sweptOptions`, those that it takes */
export const sweptCommand = (
  indicator: Indicator,
  options: Readonly<Record<string, Options>>,
  sweep: Sweep,
): CommandModule => ({
  command:
    indicator.positional === undefined ? indicator.name : `${indicator.name} [${indicator.positional}]`,
  describe: `Sweep: ${indicator.summary}`,
  builder: (yargs) => positionalOf(indicator, yargs).options(namedOptions(indicator, options)),
  handler: (flags) => sweep(indicator, flags),
});

async function measureSweep(indicator: Indicator, flags: Flags): Promise<void> {
  const machine = describeHere(asksForGpu(String(flags.device)));
  const file = await ownStacksOf(flags);
  const asked = sweptBatches(indicator, flags, machine, file.names);
  sayAlone(asked, flags);
  sayLeftOut([flags.device], machine);
  const [seed, budget, labels] = [seedOf(flags), budgetOf(flags), labelsOf(flags)];
  const { batches, stacks, locks } = await ownOfCampaign(file, asked, flags.quiet === true);
  const campaign = createCampaign({
    name: `sweep-${indicator.name}`,
    command: process.argv.slice(2),
    batches,
    seed,
    budget,
    labels,
    stacks,
  });
  await measure(campaign, machine, flags, locks);
}

function refuse({ indicator }: Flags): never {
  if (indicator !== undefined) findIndicator(String(indicator));
  throw new UserError(`say what to sweep: ${indicators.map(({ name }) => name).join(', ')}`);
}

export const sweepingBy = (sweep: Sweep): CommandModule => ({
  command: 'sweep',
  describe:
    'Measure over lists and ranges of any flag: how an indicator behaves, how many repetitions it needs',
  builder: (yargs) => {
    for (const indicator of indicators)
      yargs.command(sweptCommand(indicator, sweptOptions(indicator), sweep));
    // Whatever flags follow, what is wrong is the indicator.
    const other: CommandModule = {
      command: '$0 [indicator]',
      describe: false,
      builder: (refused) => refused.strict(false),
      handler: refuse,
    };
    return yargs.command(other).example([
      [
        '$0 sweep matmul --size 512 --reps 50,100,500,1k,2k,4k,8k --inspections 30',
        'how many repetitions are enough here',
      ],
      ['$0 sweep matmul --size 64..4096 --inspections 10', 'how the rate depends on the size'],
      ['$0 sweep matmul --size 256,512 --threads 1..8 --dtype float32,float64', 'every combination'],
    ]);
  },
  handler: () => {},
});

export const sweepCommand = sweepingBy(measureSweep);
