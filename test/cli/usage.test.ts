/** What a command line lacks is named, and how it would be whole is shown. */

import { describe, expect, it } from 'vitest';
import createYargs from 'yargs';
import { asUsual, type CommandHelp, missingArguments, plainMessage, shellOf } from '../../src/cli/usage.js';

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

describe('arguments that there are not', () => {
  it('are below another command looked up where its flags are', () => {
    const sweep = (...args: readonly string[]) => plainMessage('Unknown argument: sise', args, 'sweep');
    expect(sweep('sweep', 'matmul', '--sise', '8')).toMatch(/; pi-bench sweep matmul --help lists what/);
    expect(sweep('sweep', '--sise', '8', 'matmul')).toMatch(/; pi-bench sweep --help lists what/);
    expect(plainMessage('Unknown argument: x', ['matmul', 'x'], 'matmul')).toMatch(
      /; pi-bench matmul --help/,
    );
  });

  const said = (message: string, ...args: readonly string[]): string | null =>
    plainMessage(message, args, 'import <format> <path>');

  it('are named once, as they were typed', () => {
    const twice = 'Unknown arguments: foo-bar, fooBar';
    const help = 'pi-bench import --help lists what there is';
    expect(said(twice, '--foo-bar', '3')).toBe(`unknown argument --foo-bar; ${help}`);
    expect(said(twice, '--foo-bar=3')).toBe(`unknown argument --foo-bar; ${help}`);
    expect(said('Unknown arguments: x, more', '-x', 'more')).toBe(`unknown argument -x, more; ${help}`);
    expect(plainMessage('Unknown argument: x', ['x'], '')).toBe(
      'unknown argument x; pi-bench --help lists what there is',
    );
  });

  it('are told with the flag that is meant', () => {
    const said = (flag: string) =>
      plainMessage(`Unknown argument: ${flag}`, [`--${flag}`], 'matmul', ['size', 'wait']);
    expect(said('sise')).toMatch(/^unknown argument --sise; .*; did you mean --size\?$/);
    expect(said('no-wiat')).toMatch(/; did you mean --no-wait\?$/);
    expect(said('frob')).toMatch(/lists what there is$/);
    // Who types a word meant no flag.
    expect(plainMessage('Unknown argument: siz', ['siz'], 'matmul', ['size'])).toMatch(
      /lists what there is$/,
    );
  });

  it('as values are told with those that there are', () => {
    const tier = '  Argument: tier, Given: "t9", Choices: "t0", "t1"';
    const format = '  Argument: format, Given: "foo", Choices: "thoth", "dcgm"';
    expect(said(`Invalid values:\n${tier}`)).toBe('--tier takes t0, t1; got "t9"');
    expect(said(`Invalid values:\n${tier}\n${format}`)).toBe(
      '--tier takes t0, t1; got "t9"; <format> takes thoth, dcgm; got "foo"',
    );
  });

  it('are nothing that another message is about', () => {
    expect(said('Missing dependent arguments')).toBeNull();
  });
});

describe('what others are asked with', () => {
  it.each([
    [['help'], ['--help']],
    [
      ['help', 'matmul'],
      ['matmul', '--help'],
    ],
    [['version'], ['--version']],
    [['-v'], ['--version']],
    [
      ['show', '-', '--json'],
      ['show', '/dev/stdin', '--json'],
    ],
    [
      ['matmul', '--out', '-'],
      ['matmul', '--out', '-'],
    ],
    [[], []],
  ])('%j is %j', (given, meant) => {
    expect(asUsual(given)).toEqual(meant);
  });

  it('is the shell of a script for completion', () => {
    expect(shellOf([])).toBeNull();
    expect(shellOf(['--debug'])).toBeNull();
    expect(shellOf(['zsh'])).toBe('zsh');
    expect(() => shellOf(['csh'])).toThrow(
      'completion takes one shell, bash, zsh, fish, or none for your own; got csh',
    );
    expect(() => shellOf(['zsh', 'bash'])).toThrow(/got zsh bash$/);
  });
});
