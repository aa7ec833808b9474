/** What a command says beside its result: one line each, on stderr. Names and reasons in it are those of records, too. */
import { printableText } from '../readers/printable.js';

export function say(line: string): void {
  process.stderr.write(`pi-bench: ${printableText(line)}\n`);
}
