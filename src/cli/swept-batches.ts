/** The batches of a sweep: flags of which each may have several values, in all combinations. */
import type { Options } from 'yargs';
import { combinations } from '../campaign/combinations.js';
import { valuesOf } from '../campaign/flag-values.js';
import { withEvenMemory } from '../devices/even-memory.js';
import type { Flags, Indicator } from '../indicators/indicator.js';
import type { MachineDescription } from '../machine/types.js';
import type { BatchSpec } from '../record/schema.js';
import { atOnceOf, type WithoutOthers } from './at-once.js';
import { devicesOf, measuringOptions, withSettling } from './common-options.js';
import { batchesOf, checkBatchCount, stackNames } from './create-campaign.js';
import { distinctBatches } from './distinct-batches.js';
import type { OwnNames } from './own-stack-names.js';

/** Flags of measuring that make another batch; the others hold for the whole campaign. */
const OF_A_BATCH = ['reps', 'inspections', 'warmup', 'stack', 'precision', 'timeout', 'device', 'duration'];

/** What takes several values: all that makes a case or a batch, but yes-or-no flags. */
function sweptNames(indicator: Indicator): readonly string[] {
  const own = Object.entries(indicator.options).filter(([, { type }]) => type !== 'boolean');
  return [...own.map(([name]) => name), ...OF_A_BATCH];
}

/** `choices` would refuse a list before it is taken apart; the indicator checks each value. */
export function sweptOptions(indicator: Indicator): Readonly<Record<string, Options>> {
  const all = { ...indicator.options, ...measuringOptions(indicator.measuring) };
  const swept = sweptNames(indicator);
  return Object.fromEntries(
    Object.entries(all).map(([name, { choices, ...option }]) =>
      choices === undefined || !swept.includes(name)
        ? [name, all[name] ?? option]
        : [name, { ...option, describe: `${option.describe} (${choices.join(', ')})` }],
    ),
  );
}

/**
 * A batch for each combination of the flags' values; one that two combinations ask for, once.
 * @param own the names of a stack file
 * @throws UserError, QuantityError
 */
export function sweptBatches(
  indicator: Indicator,
  asked: Flags,
  machine: MachineDescription,
  own: OwnNames,
  withoutOthers: WithoutOthers = 'refused',
): readonly BatchSpec[] {
  const flags = withSettling(asked, stackNames(asked, own).length);
  const given = sweptNames(indicator).filter((name) => flags[name] !== undefined);
  const values = Object.fromEntries(given.map((name) => [name, valuesOf(name, flags[name])]));
  checkBatchCount(Object.values(values).reduce((count, some) => count * some.length, 1));
  const devices = (values.device ?? []).flatMap((device) => devicesOf({ device }, machine));
  const even = withEvenMemory(devices, machine);
  const each = distinctBatches(combinations(values), (one) =>
    batchesOf(indicator, { ...flags, ...one }, even, own, devices),
  );
  return atOnceOf(indicator, each, flags, machine, withoutOthers);
}
