/** What an inspection of a framework observed: what the addon's own would, and what only a framework has. */
import type { NativeOutcome } from '../native.js';
import type { StackIdentity } from '../record/schema.js';

export interface FrameworkOutcome extends NativeOutcome {
  readonly clockName: string;
  /** As the framework says in the launch, over what its files say. */
  readonly identity: Partial<StackIdentity>;
}
