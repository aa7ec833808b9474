/**
 * Whether a command was given stacks of one's own. Most are not: what reads and makes them, with its parsers of YAML and of
 * versions, is loaded for those that are.
 */
import type { Flags } from '../indicators/indicator.js';
import type { BatchSpec } from '../record/schema.js';
import { NO_OWN, type OwnOfCampaign, type OwnStackFile } from './own-stack-names.js';

/**
 * Of --stack-file, where it was given.
 * @throws UserError that names the line
 */
export async function ownStacksOf({ stackFile }: Flags): Promise<OwnStackFile> {
  if (stackFile === undefined) return NO_OWN;
  return (await import('./own-stacks.js')).readOwnStacks(String(stackFile));
}

/**
 * Makes what the batches need of the file's stacks.
 * @throws UserError
 */
export async function ownOfCampaign(
  file: OwnStackFile,
  batches: readonly BatchSpec[],
  quiet: boolean,
): Promise<OwnOfCampaign> {
  if (file.requests.length === 0) return { batches, stacks: [], locks: {} };
  return (await import('./own-stacks.js')).makeOwnStacks(file, batches, quiet);
}
