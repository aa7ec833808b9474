/** The command of an indicator: flags -> campaign -> record -> terminal. One for each entry of the registry. */
import type { CommandModule } from 'yargs';
import type { Indicator } from '../../indicators/indicator.js';
import { budgetOf, labelsOf, measuringOptions, seedOf } from '../common-options.js';
import { batchesOf, createCampaign } from '../create-campaign.js';
import { describeHere } from '../here.js';
import { measure } from '../measure.js';
import { makeOwnStacks, ownStacksOf } from '../own-stacks.js';

export function measureCommand(indicator: Indicator): CommandModule {
  return {
    command: indicator.name,
    describe: indicator.summary,
    builder: (yargs) =>
      yargs
        .options({ ...indicator.options, ...measuringOptions(indicator.measuring) })
        .example(indicator.examples.map(([a, b]) => [a, b])),
    handler: async (flags) => {
      const machine = describeHere();
      const file = ownStacksOf(flags);
      const asked = batchesOf(indicator, flags, machine, file.names);
      const [seed, budget, labels] = [seedOf(flags), budgetOf(flags), labelsOf(flags)];
      const { batches, stacks, locks } = await makeOwnStacks(file, asked, flags.quiet === true);
      const campaign = createCampaign({
        name: indicator.name,
        command: process.argv.slice(2),
        batches,
        seed,
        budget,
        labels,
        stacks,
      });
      await measure(campaign, machine, flags, locks);
    },
  };
}
