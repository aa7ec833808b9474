/** What --at-once makes of the batches of a command or entry, and what cannot be measured so. */
import { measuredAtOnce } from '../campaign/at-once.js';
import { UserError } from '../errors.js';
import { findIndicator } from '../indicators/index.js';
import type { Flags, Indicator } from '../indicators/indicator.js';
import type { MachineDescription } from '../machine/types.js';
import { groupsOf } from '../record/at-once.js';
import { canonicalJson } from '../record/digest.js';
import type { BatchSpec } from '../record/schema.js';
import { findStack } from '../stacks/index.js';
import { checkMemoryAtOnce } from './enough-memory.js';
import { say } from './say.js';

/**
 * What is measured at once has to begin and end together, each on a device of its own, in processes whose calls the addon makes.
 * @throws UserError
 */
export function checkAtOnce(batches: readonly BatchSpec[]): void {
  for (const batch of batches.filter(({ atOnce }) => atOnce === true)) {
    const { case: one, stack, precision, settle } = batch;
    const title = findIndicator(one.indicator).title(one.parameters);
    if (precision !== undefined || settle !== undefined)
      throw new UserError(
        `--at-once: ${title}: launches at once are as many on each device: give --inspections, not --precision or --settle`,
      );
    if (findStack(stack.provider).framework !== null)
      throw new UserError(`--at-once: ${stack.provider} cannot wait for others: choose another stack`);
  }
  groupsOf(batches).forEach((group, i) => {
    const devices = group.map((member) => batches[member]?.device);
    if (group[0] === i && new Set(devices).size < devices.length)
      throw new UserError(`--at-once: ${devices.join(', ')}: a device cannot be measured beside itself`);
  });
}

/** What becomes of a case that has no other to be measured with: a suite, which is for machines of all sizes, measures it alone. */
export type WithoutOthers = 'refused' | 'alone';

/** @throws UserError where --at-once would change nothing */
function checkOthers(batches: readonly BatchSpec[], flags: Flags): void {
  if (batches.some(({ atOnce }) => atOnce === true)) return;
  const devices = new Set(batches.map(({ device }) => device));
  const why =
    devices.size < 2
      ? `${flags.device} is one device here, so there is nothing to measure at the same time: name several (cuda:all, numa:all, cpu:each)`
      : `no case is the same on two of ${[...devices].join(', ')}: fix what follows from the device (--bytes, --threads)`;
  throw new UserError(`--at-once: ${why}`);
}

/**
 * The batches of one command or entry, as its flag has them.
 * @throws UserError
 */
export function atOnceOf(
  { name, spansDevices }: Indicator,
  batches: readonly BatchSpec[],
  flags: Flags,
  machine: MachineDescription,
  withoutOthers: WithoutOthers = 'refused',
): readonly BatchSpec[] {
  if (flags['at-once'] === undefined) return batches;
  if (spansDevices === true)
    throw new UserError(`--at-once: ${name} runs on several devices by itself: leave --at-once out`);
  const all = measuredAtOnce(batches, flags['at-once']);
  if (withoutOthers === 'refused') checkOthers(all, flags);
  checkMemoryAtOnce(all, machine);
  return all;
}

/** Titles that a line has room for. */
const MOST_NAMED = 3;

/** One case on one device, alone or at once. */
const keyOf = ({ atOnce: _, ...batch }: BatchSpec): string => canonicalJson(batch);

/**
 * Which of the batches that were to be measured at once are measured alone only, as no other device has the same case; null: none.
 * @param batches of one command or entry, as `atOnceOf` makes them of its flags
 */
export function aloneText(batches: readonly BatchSpec[], flags: Flags): string | null {
  if (flags['at-once'] === undefined) return null;
  const together = new Set(batches.filter(({ atOnce }) => atOnce === true).map(keyOf));
  const alone = batches.filter((batch) => !together.has(keyOf(batch)));
  if (alone.length === 0) return null;
  const named = alone
    .slice(0, MOST_NAMED)
    .map(
      ({ case: { indicator, parameters }, device }) =>
        `${findIndicator(indicator).title(parameters)} on ${device}`,
    );
  const more = alone.length > MOST_NAMED ? [`${alone.length - MOST_NAMED} more`] : [];
  return `--at-once: measured alone only, as no other device has the same case: ${[...named, ...more].join('; ')}`;
}

export function sayAlone(batches: readonly BatchSpec[], flags: Flags): void {
  const text = aloneText(batches, flags);
  if (text !== null) say(text);
}
