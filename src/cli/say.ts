/** What a command says beside its result: one line each, on stderr. */
export function say(line: string): void {
  process.stderr.write(`pi-bench: ${line}\n`);
}
