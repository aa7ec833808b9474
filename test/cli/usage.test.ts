/** What a command line lacks is named, and how it would be whole is shown. */

import { describe, expect, it } from 'vitest';
import createYargs from 'yargs';
import { type CommandHelp, missingArguments } from '../../src/cli/usage.js';

/** What is said of a command that is called like this; null: it lacks nothing. */
function said(...args: readonly string[]): string | null {
  const command = 'import <format> <path>';
  let text: string | null = null;
  const cli = createYargs([...args])
    .scriptName('pi-bench')
    .detectLocale(false)
    .exitProcess(false)
    .wrap(40)
    .fail((message: string, _: Error | undefined, help: unknown) => {
      text ??= missingArguments(message, command, help as CommandHelp);
    })
    .command({
      command,
      describe: 'Import',
      builder: (yargs) =>
        yargs
          .positional('format', { type: 'string', describe: 'The format' })
          .positional('path', { type: 'string', describe: 'A file of it' })
          .example([
            ['$0 import thoth some/long/folder/of/inspections', 'every inspection below a folder'],
            ['$0 import dcgm diag/', 'another'],
          ]),
      handler: () => {},
    });
  cli.parseSync();
  return text;
}

describe('arguments that a command cannot do without', () => {
  const example = 'as in pi-bench import thoth some/long/folder/of/inspections';

  it('are named with what they are and an example, whole however narrow the terminal is', () => {
    expect(said('import')).toBe(`import needs <format> (The format) and <path> (A file of it), ${example}`);
    expect(said('import', 'thoth')).toBe(`import needs <path> (A file of it), ${example}`);
  });

  it('are no matter where they are there, or where something else is wrong', () => {
    expect(said('import', 'thoth', 'x')).toBeNull();
    const help: CommandHelp = { wrap: () => {}, help: () => '', getDescriptions: () => ({}) };
    expect(missingArguments('Unknown argument: x', 'import <format> <path>', help)).toBeNull();
    expect(
      missingArguments('Not enough non-option arguments: got 0, need at least 1', 'fleet', help),
    ).toBeNull();
  });
});
