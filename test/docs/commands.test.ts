/** What README.md and docs tell people to type is there: commands, their flags, scripts; and all that is there is told. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, pageOf, pages, runningText } from '../support/documents.js';
import { piBenchEach, root } from '../support/pi-bench.js';

interface Typed {
  readonly page: string;
  readonly words: readonly string[];
}

/** Command lines of ours in blocks and in running text, without comments and what a shell does with them. */
const typed: readonly Typed[] = pages.flatMap(({ path, text }) => {
  const spans = [...runningText(text).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...blocksOf(text).flatMap((block) => block.split('\n')), ...spans].flatMap((line) => {
    const [, command] =
      /^ *(?:(?:\$|npx|(?:mpirun|srun) .*) )?pi-bench ([a-z](?:[^#>;<]|<[^>]*>)*)/.exec(line) ?? [];
    return command === undefined ? [] : [{ page: path, words: command.split(/\\?\||\s+/).filter(Boolean) }];
  });
});

/** Commands that have commands of their own, or an operand that decides which flags there are. */
const WITH_OPERAND: Readonly<Record<string, readonly string[]>> = {
  fleet: ['check', 'baseline', 'nodes', 'pairs', 'plan'],
  submit: ['slurm', 'mpi', 'kubernetes'],
  sweep: ['matmul', 'memory', 'peak', 'collective', 'overlap', 'kernel-launch'],
};

/** The flags that a help lists; those that are yes or no can also be denied. */
const flagsIn = (help: string): readonly string[] =>
  [...help.matchAll(/^ +(?:-\w, )?--?([a-z][a-z-]*) /gm)].flatMap(([, flag = '']) => [flag, `no-${flag}`]);

describe('a command line of the documents', () => {
  const flags = new Map<string, ReadonlySet<string>>();
  const nameOf = ([command = '', operand = '']: readonly string[]): string =>
    WITH_OPERAND[command]?.includes(operand) === true ? `${command} ${operand}` : command;

  beforeAll(async () => {
    const [all] = await piBenchEach([['--help']]);
    const listed = (all?.stdout ?? '').matchAll(/^ {2}pi-bench ([a-z-]+)/gm);
    const commands = [...listed].map(([, name = '']) => name);
    const names = commands.flatMap((name) => [
      name,
      ...(WITH_OPERAND[name] ?? []).map((operand) => `${name} ${operand}`),
    ]);
    const helps = await piBenchEach(names.map((name) => [...name.split(' '), '--help']));
    for (const [i, name] of names.entries()) flags.set(name, new Set(flagsIn(helps[i]?.stdout ?? '')));
  });

  it('names a command that there is', () => {
    expect(typed.length).toBeGreaterThan(150);
    expect(typed.filter(({ words }) => !flags.has(nameOf(words)))).toEqual([]);
  });

  it('gives it flags that it has', () => {
    const unknown = typed.flatMap(({ page, words }) => {
      // A submission's own flags may stand among those of the nodes' command; behind `--` stand flags of a sweep.
      const others = words[0] === 'submit' ? words.filter((word) => flags.has(word)) : [];
      const sweep = words.includes('--') ? ['sweep matmul'] : [];
      const known = [nameOf(words), ...others, ...sweep].flatMap((name) => [...(flags.get(name) ?? [])]);
      return words.flatMap((word) => {
        const [, flag] = /^--([a-z][a-z-]*)/.exec(word) ?? [];
        return flag === undefined || known.includes(flag) ? [] : [`${page}: ${words.join(' ')}: --${flag}`];
      });
    });
    expect(unknown).toEqual([]);
  });

  it('is there for each command, in the table of README.md', () => {
    const rows = [...pageOf('README.md').matchAll(/^\| `pi-bench ([a-z-]+)/gm)].map(([, name]) => name);
    const commands = [...flags.keys()].filter((name) => !name.includes(' '));
    expect(rows.toSorted()).toEqual(commands.toSorted());
  });

  describe('with options in tables of', () => {
    /** The options that head the rows of a page's tables of options. */
    const optionsOf = (page: string): readonly string[] =>
      [...pageOf(page).matchAll(/^\| option \|.*\n((?:\|.*\n)+)/gm)]
        .flatMap(([, rows = '']) => rows.split('\n'))
        .flatMap((row) => [...(row.split(/(?<!\\)\|/)[1] ?? '').matchAll(/--([a-z][a-z-]*)/g)])
        .map(([, flag = '']) => flag);

    it.each([
      ['docs/measuring.md', 'matmul'],
      ['docs/memory.md', 'memory'],
      ['docs/latency.md', 'latency'],
    ])('%s names options of %s alone', (page, command) => {
      const options = optionsOf(page);
      expect(options.length).toBeGreaterThanOrEqual(4);
      expect(options.filter((option) => flags.get(command)?.has(option) !== true)).toEqual([]);
    });

    it('docs/measuring.md names each option of matmul', () => {
      const named = optionsOf('docs/measuring.md');
      const options = [...(flags.get('matmul') ?? [])].filter((flag) => !flag.startsWith('no-'));
      const isNamed = (flag: string): boolean => named.includes(flag) || named.includes(`no-${flag}`);
      expect(options.filter((flag) => !['help', 'version'].includes(flag) && !isNamed(flag))).toEqual([]);
    });
  });
});

it('each script that is named is in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/npm run ([a-z][a-z:0-9-]*)/g)].map(([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
