/** The batches of one entry of a campaign file, as if its flags had been typed. */
import type { AskedEntry } from '../campaign/campaign-file.js';
import { messageOf, UserError } from '../errors.js';
import { findIndicator } from '../indicators/index.js';
import type { Flags, Indicator } from '../indicators/indicator.js';
import type { MachineDescription } from '../machine/types.js';
import type { BatchSpec } from '../record/schema.js';
import type { WithoutOthers } from './at-once.js';
import { measuringOptions } from './common-options.js';
import { checkLabels } from './create-campaign.js';
import type { OwnNames } from './own-stack-names.js';
import { sweptBatches } from './swept-batches.js';

/** What yargs would have filled in. */
function defaultsOf(indicator: Indicator): Flags {
  const options = { ...indicator.options, ...measuringOptions(indicator.measuring) };
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, option]) =>
      option.default === undefined ? [] : [[name, option.default]],
    ),
  );
}

/** @throws UserError naming the entry's line */
export function batchesOfEntry(
  entry: AskedEntry,
  file: string,
  machine: MachineDescription,
  own: OwnNames,
  withoutOthers: WithoutOthers = 'refused',
): readonly BatchSpec[] {
  const indicator = findIndicator(entry.indicator);
  try {
    const flags = { ...defaultsOf(indicator), ...entry.flags };
    const batches = sweptBatches(indicator, flags, machine, own, withoutOthers);
    if (Object.keys(entry.labels).length === 0) return batches;
    const labelled = batches.map((batch) => ({ ...batch, labels: { ...entry.labels } }));
    checkLabels(labelled);
    return labelled;
  } catch (error) {
    throw new UserError(`${file}:${entry.line}: ${messageOf(error)}`);
  }
}
