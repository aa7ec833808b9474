/** Stacks of one's own as the commands hand them on: by name, as a file asks for them, and as a campaign has them. */
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
