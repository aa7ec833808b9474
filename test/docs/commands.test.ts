/** What README.md and docs tell people to type is there: commands, their flags, scripts; and so is what they link to. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { piBenchEach, root } from '../support/pi-bench.js';

const docs = readdirSync(join(root, 'docs'), { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));
const pages = ['README.md', 'ARCHITECTURE.md', ...docs].map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

interface Typed {
  readonly page: string;
  readonly words: readonly string[];
}

/** Command lines of ours in blocks and in running text, without comments and what a shell does with them. */
const typed: readonly Typed[] = pages.flatMap(({ path, text }) => {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const running = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const spans = [...running.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...blocks.flatMap((block) => block.split('\n')), ...spans].flatMap((line) => {
    const [, command] = /^(?:(?:\$|npx|(?:mpirun|srun) .*) )?pi-bench ([a-z][^#>;]*)/.exec(line) ?? [];
    return command === undefined ? [] : [{ page: path, words: command.split(/\\?\||\s+/).filter(Boolean) }];
  });
});

/** Commands that have commands of their own, or an operand that decides which flags there are. */
const WITH_OPERAND: Readonly<Record<string, readonly string[]>> = {
  fleet: ['check', 'baseline', 'nodes', 'pairs', 'plan'],
  submit: ['slurm', 'mpi', 'kubernetes'],
  sweep: ['matmul', 'memory', 'collective', 'overlap'],
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
    expect(typed.length).toBeGreaterThan(80);
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
});

it('each script that is named is in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/npm run ([a-z][a-z:0-9-]*)/g)].map(([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

it('each link leads to a file, and to a heading of it', () => {
  const anchorsOf = (text: string): readonly string[] =>
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-'),
    );
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([link, to = '', anchor]) => {
      const file = to === '' ? join(root, path) : join(root, dirname(path), to);
      if (!existsSync(file)) return [`${path}: ${link}`];
      const leads = anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
      return leads ? [] : [`${path}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});
