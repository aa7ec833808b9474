/**
 * Whether a command was given stacks of one's own. Most are not: what reads and makes them, with its parsers of YAML and of
 * versions, is loaded for those that are.
 */
import type { Flags } from '../indicators/indicator.js';
import type { BatchSpec, OwnStack, StackChoice } from '../record/schema.js';
import type { StackLocks } from '../stacks/own/lock.js';
import type { StackRequest } from '../stacks/own/request.js';

/** What can follow --stack beside the stacks of the registry. */
export type OwnNames = ReadonlyMap<string, StackChoice>;

export interface OwnStackFile {
  readonly path: string;
  readonly requests: readonly StackRequest[];
  readonly names: OwnNames;
}

/** What a campaign has of its own stacks. */
export interface OwnOfCampaign {
  readonly batches: readonly BatchSpec[];
  readonly stacks: readonly OwnStack[];
  readonly locks: StackLocks;
}

export const namesOf = (requests: readonly StackRequest[]): OwnNames =>
  new Map(requests.map(({ name, provider }) => [name, { provider, variant: null, own: name }]));

export const NO_OWN: OwnStackFile = { path: '', requests: [], names: new Map() };

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
