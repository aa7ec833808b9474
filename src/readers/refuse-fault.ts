/** Records with an error injected on purpose, for formats of others that have no place in which to say so. Pure. */
import { UserError } from '../errors.js';
import type { PiBenchRecord } from '../record/schema.js';

/**
 * @param format as the message names it: `performance.json`
 * @throws UserError for what was spoiled on purpose
 */
export function refuseFault({ campaign: { fault } }: PiBenchRecord, format: string): void {
  if (fault !== null)
    throw new UserError(
      `a fault was injected (${fault.kind}), so this is no measurement of the machine, and ${format} could not say so`,
    );
}
