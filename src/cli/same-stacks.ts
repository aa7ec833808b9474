/** A campaign that is resumed goes on with the libraries and packages that its launches ran: others are no part of their batch. */
import { UserError } from '../errors.js';
import { otherSoftware } from '../record/one-build.js';
import type { Campaign, InspectionDocument } from '../record/schema.js';
import { identifyStack } from '../stacks/own/own-stack.js';
import type { BatchSoFar } from './where-it-stands.js';

type Stack = InspectionDocument['stack'];

/** What launches of now would say of themselves, as far as that is known before they load anything. */
function stackNow(now: ReturnType<typeof identifyStack>, { version, sha256, mpi }: Stack): Stack {
  return {
    ...now,
    implementation: null,
    // Of a framework only the launch knows which file it loads: its packages are what can be compared.
    ...(now.packages === undefined ? {} : { version, sha256 }),
    ...(mpi === undefined ? {} : { mpi }),
  };
}

/**
 * To be called once the stacks are there.
 * @param held batches whose launches to come are held to what is there
 * @throws UserError where what measured the launches that are there would not measure the others
 */
export function checkSameStacks(campaign: Campaign, held: readonly BatchSoFar[]): void {
  /** Many batches are on one stack, whose files are looked at once. */
  const identities = new Map<string, ReturnType<typeof identifyStack>>();
  for (const { batch, first } of held) {
    if (first === null) continue;
    const key = JSON.stringify([batch.stack, batch.device]);
    const identity = identities.get(key) ?? identifyStack(campaign, batch.stack, batch.device);
    identities.set(key, identity);
    const { index, stack } = first;
    const now = { index: Number.POSITIVE_INFINITY, stack: stackNow(identity, stack) };
    const other = otherSoftware(now, [{ index, stack }, now]);
    if (other !== null)
      throw new UserError(
        `what is left of this campaign would run ${other}: resume it with what it began with, or start it anew`,
      );
  }
}
