/** The command of an indicator: flags -> campaign -> record -> terminal. One for each entry of the registry. */
import type { Argv, CommandModule, Options } from 'yargs';
import { asksForGpu, isGpu } from '../../devices/device.js';
import { makeStandby } from '../../execution/standby.js';
import type { Indicator } from '../../indicators/indicator.js';
import type { Campaign } from '../../record/schema.js';
import { ownOfCampaign, ownStacksOf } from '../asked-stacks.js';
import { atOnceOf, sayAlone } from '../at-once.js';
import { budgetOf, labelsOf, measuringOptions, seedOf } from '../common-options.js';
import { batchesOf, createCampaign } from '../create-campaign.js';
import { describeHere } from '../here.js';
import { sayLeftOut } from '../say-left-out.js';

/** What the command takes without a name, beside the option of that name. */
export function positionalOf({ positional, options }: Indicator, yargs: Argv): Argv {
  if (positional === undefined) return yargs;
  const describe = options[positional]?.describe ?? '';
  return yargs.positional(positional, { type: 'string', describe });
}

/** Without the positional one, which would be listed twice. */
export function namedOptions(
  { positional }: Indicator,
  options: Readonly<Record<string, Options>>,
): Readonly<Record<string, Options>> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name !== positional));
}

/** Whether each launch is one process in the environment that this one has, whichever comes first. */
const isOwnOnCpu = ({ batches }: Campaign): boolean =>
  batches.every(
    ({ stack, device, atOnce, case: { parameters } }) =>
      stack.provider === 'embedded' &&
      stack.own === undefined &&
      !isGpu(device) &&
      atOnce !== true &&
      !('ranks' in parameters),
  );

export function measureCommand(indicator: Indicator): CommandModule {
  return {
    command:
      indicator.positional === undefined ? indicator.name : `${indicator.name} [${indicator.positional}]`,
    describe: indicator.summary,
    builder: (yargs) =>
      positionalOf(indicator, yargs)
        .options(namedOptions(indicator, { ...indicator.options, ...measuringOptions(indicator.measuring) }))
        .example(indicator.examples.map(([a, b]) => [a, b])),
    handler: async (flags) => {
      const machine = describeHere(asksForGpu(String(flags.device)));
      const file = await ownStacksOf(flags);
      const batches = batchesOf(indicator, flags, machine, file.names);
      const asked = atOnceOf(indicator, batches, flags, machine);
      sayAlone(asked, flags);
      sayLeftOut([flags.device], machine);
      const [seed, budget, labels] = [seedOf(flags), budgetOf(flags), labelsOf(flags)];
      const { batches: made, stacks, locks } = await ownOfCampaign(file, asked, flags.quiet === true);
      const campaign = createCampaign({
        name: indicator.name,
        command: process.argv.slice(2),
        batches: made,
        seed,
        budget,
        labels,
        stacks,
      });
      const standby = makeStandby();
      if (isOwnOnCpu(campaign)) standby.prepare({});
      try {
        // What measures is loaded when there is something to measure: bad input is refused sooner.
        const { measure } = await import('../measure.js');
        await measure(campaign, machine, flags, locks, standby);
      } finally {
        standby.dismiss();
      }
    },
  };
}
