/** Which command made a record. Pure. */
import type { PiBenchRecord } from './schema.js';

/** Flags of all commands (`--debug`) may stand before its name. */
export const commandName = ({ command }: Pick<PiBenchRecord['campaign'], 'command'>): string | undefined =>
  command.find((word) => !word.startsWith('-'));
