/** Which command made a record. Pure. */
import { indicators } from '../indicators/index.js';
import type { PiBenchRecord } from './schema.js';

/** Beside those of the indicators, which have their names. */
const COMMANDS: readonly string[] = ['sweep', 'run', 'explore', 'qualify', 'import'];

const isCommand = (word: string): boolean =>
  COMMANDS.includes(word) || indicators.some(({ name }) => name === word);

/** Flags may stand before its name, and of some of them the value does (`--out results qualify`): it is the first that is a name. */
export const commandName = ({ command }: Pick<PiBenchRecord['campaign'], 'command'>): string | undefined =>
  command.find(isCommand);
