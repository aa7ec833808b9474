/** The command of an indicator: flags -> campaign -> record -> terminal. One for each entry of the registry. */
import type { CommandModule } from 'yargs';
import { asksForGpu } from '../../devices/device.js';
import type { Indicator } from '../../indicators/indicator.js';
import { budgetOf, labelsOf, measuringOptions, seedOf } from '../common-options.js';
import { batchesOf, createCampaign } from '../create-campaign.js';
import { describeHere } from '../here.js';
import { measure } from '../measure.js';

export function measureCommand(indicator: Indicator): CommandModule {
  return {
    command: indicator.name,
    describe: indicator.summary,
    builder: (yargs) =>
      yargs
        .options({ ...indicator.options, ...measuringOptions(indicator.measuring) })
        .example(indicator.examples.map(([a, b]) => [a, b])),
    handler: (flags) => {
      const machine = describeHere(asksForGpu(String(flags.device)));
      const campaign = createCampaign({
        name: indicator.name,
        command: process.argv.slice(2),
        batches: batchesOf(indicator, flags, machine),
        seed: seedOf(flags),
        budget: budgetOf(flags),
        labels: labelsOf(flags),
      });
      return measure(campaign, machine, flags);
    },
  };
}
