/** A campaign that is resumed goes on with the libraries and packages that its launches ran: others are no part of their batch. */
import { doneSoFar } from '../campaign/progress-of-journal.js';
import { UserError } from '../errors.js';
import { otherSoftware } from '../record/one-build.js';
import type { BatchSpec, InspectionDocument, StackChoice } from '../record/schema.js';
import { identifyStack } from '../stacks/own/own-stack.js';
import type { Journal } from '../store/journal.js';
import { readInspection } from '../store/read-inspection.js';
import { inspectionPath } from '../store/store.js';

/** Of the campaign's stacks, which one. */
const keyOf = (provider: string, variant: string | null, own: string | undefined, device: string): string =>
  JSON.stringify([provider, variant, own ?? null, device]);

const askedKey = ({ stack: { provider, variant, own }, device }: BatchSpec): string =>
  keyOf(provider, variant, own, device);

const ranKey = ({ stack: { provider, variant, own }, device }: InspectionDocument): string =>
  keyOf(provider, variant, own?.name, device);

/** The first document of each stack that launches have left, in the order in which they were asked for. */
function firstOfEach(
  folder: string,
  { entries, head: { campaign } }: Journal,
): readonly InspectionDocument[] {
  const { ends, open } = doneSoFar(entries);
  const missing = new Set(campaign.batches.map(askedKey));
  const found: InspectionDocument[] = [];
  // A launch may have left its document just before the kill.
  for (const index of [...ends.keys(), ...open.keys()].sort((a, b) => a - b)) {
    if (missing.size === 0) break;
    try {
      const document = readInspection(folder, inspectionPath(index))?.document;
      if (document !== undefined && missing.delete(ranKey(document))) found.push(document);
    } catch (error) {
      // It will be measured again, which is said where that is decided.
      if (!(error instanceof UserError)) throw error;
    }
  }
  return found;
}

/** What launches of now would say of themselves, as far as that is known before they load anything. */
function stackNow(
  { head: { campaign } }: Journal,
  { stack, device }: InspectionDocument,
): InspectionDocument['stack'] {
  const { provider, variant, own } = stack;
  const choice: StackChoice = { provider, variant, ...(own === undefined ? {} : { own: own.name }) };
  const now = identifyStack(campaign, choice, device);
  return {
    ...now,
    implementation: null,
    // Of a framework only the launch knows which file it loads: its packages are what can be compared.
    ...(now.packages === undefined ? {} : { version: stack.version, sha256: stack.sha256 }),
    ...(stack.mpi === undefined ? {} : { mpi: stack.mpi }),
  };
}

/**
 * To be called once the stacks are there, where something may be left to launch.
 * @throws UserError where what measured the launches that are there would not measure the others
 */
export function checkSameStacks(folder: string, journal: Journal): void {
  for (const document of firstOfEach(folder, journal)) {
    const { index, stack } = document;
    const now = { index: Number.POSITIVE_INFINITY, stack: stackNow(journal, document) };
    const other = otherSoftware(now, [{ index, stack }, now]);
    if (other !== null)
      throw new UserError(
        `what is left of this campaign would run ${other}: resume it with what it began with, or start it anew`,
      );
  }
}
