/** Why an inspection failed, in one line for a person. */
import { messageOf } from '../errors.js';
import { faultsInWords } from '../telemetry/gpu-faults.js';

/** What was thrown, with what the addon saw of the GPU on which it happened. */
export function reasonOf(error: unknown): string {
  const device = error instanceof Error && 'device' in error ? error.device : null;
  return messageOf(error) + (typeof device === 'string' ? faultsInWords(device) : '');
}
