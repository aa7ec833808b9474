/** What README.md and docs tell people to type is there: commands, their flags, scripts; and all that is there is told. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { indicators } from '../../src/indicators/index.js';
import { expandValues } from '../../src/quantities/expand.js';
import { parseCount, requireDuration } from '../../src/quantities/parse.js';
import { blocksOf, linksOf, pageOf, pages, runningText } from '../support/documents.js';
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
  sweep: indicators.map(({ name }) => name),
};
/** Pages of all commands that measure. */
const OF_ALL = ['README.md', 'docs/measuring.md'];

/** The value of a flag; null: it is not given. */
function given({ words }: Typed, flag: string): string | null {
  const place = words.indexOf(`--${flag}`);
  return place < 0 ? null : ((words[place + 1] ?? null)?.replaceAll(/['"]/g, '') ?? null);
}

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

  it('quotes what a shell would take for names of files', () => {
    const bare = typed.flatMap(({ page, words }) =>
      words
        .filter((word) => /^[^'"/]*[*?[]/.test(word) && !/^\[[a-z]+\]$/.test(word))
        .map((word) => `${page}: ${word}`),
    );
    expect(bare).toEqual([]);
  });

  // One that its timeout cuts short counts for nothing.
  it('asks for no more repetitions than a launch has time for, at 100 GFLOP/s', () => {
    const GFLOPS_100 = 1e11;
    const counted = typed.filter((one) => one.words.includes('matmul') && given(one, 'reps') !== null);
    expect(counted.length).toBeGreaterThan(2);
    const tooLong = counted.filter((one) => {
      const most = (flag: string, usual: string): number =>
        Math.max(...expandValues(given(one, flag) ?? usual, flag).map((value) => parseCount(value, flag)));
      const seconds = (2 * most('size', '512') ** 3 * most('reps', '1')) / GFLOPS_100;
      return seconds > requireDuration(given(one, 'timeout') ?? '10min', 'timeout');
    });
    expect(tooLong).toEqual([]);
  });

  it('could have each option, as every one is told on the pages to which the command’s row in README.md leads', () => {
    const rows = pageOf('README.md').split('\n');
    const untold = [...flags].flatMap(([name, known]) => {
      // A sweep has the flags of its indicator.
      const of = name
        .split(' ')
        .flatMap((word) => rows.find((row) => row.startsWith(`| \`pi-bench ${word}`)) ?? []);
      const led = linksOf({ path: 'README.md', text: of.join('\n') }).map(({ file }) => file);
      const text = [...OF_ALL, ...led].map(pageOf).join('\n');
      return [...known]
        .filter((flag) => !flag.startsWith('no-') && !['help', 'version'].includes(flag))
        .filter((flag) => !new RegExp(`--(?:no-)?${flag}(?![a-z-])`).test(text))
        .map((flag) => `${name} --${flag}`);
    });
    expect(untold).toEqual([]);
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
