import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { filesOf } from '../../src/cli/begin-submission.js';
import { namedFiles } from '../../src/submit/named-files.js';
import { withFiles } from '../../src/submit/on-node.js';
import { withFolder } from '../support/pi-bench.js';

const wordsOf = (line: string): readonly string[] => line.split(' ');

describe('words of a command that are files', () => {
  it.each([
    ['matmul --size 512 --dtype float32 --labels site=a', []],
    ['collective all-reduce --bytes 1MiB', []],
    ['sweep collective all-reduce --ranks 1,2', []],
    ['run campaign.yaml --json', ['campaign.yaml']],
    ['run run', ['run']],
    ['run --quiet --no-wait campaign.yaml', ['campaign.yaml']],
    ['explore --count 5 --seed=7 stacks.yaml -- matmul --size 64', ['stacks.yaml']],
    ['explore --dry-run -- matmul', []],
    ['matmul --stack-file own.yaml --stack a', ['own.yaml']],
    ['sweep matmul --stackFile=own.yaml --size 64', ['own.yaml']],
    ['qualify --suite=a=b.yaml --baseline b.json --tier t1', ['a=b.yaml', 'b.json']],
    ['qualify --suite', []],
  ])('%s: %j', (line, paths) => {
    expect(namedFiles(wordsOf(line)).map(({ path }) => path)).toEqual(paths);
  });

  it('are told with their places, and with what stands before them there', () => {
    expect(namedFiles(wordsOf('qualify --suite=s.yaml --baseline b.json'))).toEqual([
      { index: 1, before: '--suite=', path: 's.yaml' },
      { index: 3, before: '', path: 'b.json' },
    ]);
  });
});

describe('what is handed over of them', () => {
  it('is their text, and nothing of files that are called like a command, an operation or a number', () =>
    withFolder(async (cwd) => {
      const names = ['collective', 'all-reduce', 'qualify', '8', 's.yaml', 'b.json'];
      for (const name of names) writeFileSync(join(cwd, name), `\u{feff}of ${name}: é`);
      expect(filesOf(wordsOf('collective all-reduce --ranks 8'), cwd)).toEqual({});
      expect(filesOf(wordsOf('qualify --suite=s.yaml --baseline b.json --tier t1'), cwd)).toEqual({
        's.yaml': '\u{feff}of s.yaml: é',
        'b.json': '\u{feff}of b.json: é',
      });
      expect(filesOf(wordsOf('qualify --suite absent.yaml'), cwd)).toEqual({});
    }));

  it.each([
    ['beside it', 'c.yaml', 'own.yaml', 'own.yaml'],
    ['below it', 'c.yaml', './stacks/own.yaml', 'stacks/own.yaml'],
    ['above it', 'campaigns/c.yaml', '../own.yaml', 'own.yaml'],
  ])('is the stack file of a campaign, too, %s, and both are put where the one finds the other', (_, campaign, written, path) =>
    withFolder(async (home) => {
      const [cwd, node, work] = [join(home, 'cwd'), join(home, 'node'), join(home, 'work')];
      for (const folder of ['campaigns', 'stacks']) mkdirSync(join(cwd, folder), { recursive: true });
      mkdirSync(node);
      const text = `stackFile: ${written}\nmeasure:\n  - { indicator: matmul, stacks: [mine] }\n`;
      writeFileSync(join(cwd, campaign), text);
      writeFileSync(join(cwd, path), 'stacks: of mine');
      const command = ['run', campaign, '--quiet'];
      const files = filesOf(command, cwd);
      expect(files).toEqual({ [campaign]: text, [path]: 'stacks: of mine' });
      expect(withFiles({ command, files }, cwd, work)).toEqual(command);
      // Another one of its name lies there, or none: the campaign that is the same does not stay with it.
      for (const there of [undefined, 'stacks: of another']) {
        mkdirSync(join(node, dirname(campaign)), { recursive: true });
        writeFileSync(join(node, campaign), text);
        if (there !== undefined) {
          mkdirSync(join(node, dirname(path)), { recursive: true });
          writeFileSync(join(node, path), there);
        }
        const [, given = ''] = withFiles({ command, files }, node, join(work, String(there)));
        expect(readFileSync(given, 'utf8')).toBe(text);
        expect(readFileSync(resolve(dirname(given), written), 'utf8')).toBe('stacks: of mine');
        expect(resolve(dirname(given), written).startsWith(join(work, String(there), 'files', '1'))).toBe(
          true,
        );
      }
    }));

  it('is no stack file that is named by an absolute path, which is said', () =>
    withFolder(async (cwd) => {
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      try {
        const stacks = join(cwd, 'own.yaml');
        writeFileSync(stacks, 'stacks: of mine');
        writeFileSync(join(cwd, 'c.yaml'), `stackFile: ${stacks}\n`);
        expect(Object.keys(filesOf(['run', 'c.yaml'], cwd))).toEqual(['c.yaml']);
        expect(said.mock.calls.join('')).toContain('the nodes have to see it there themselves');
      } finally {
        said.mockRestore();
      }
    }));

  it('is never what would be another file as text: that is refused in one line', () =>
    withFolder(async (cwd) => {
      writeFileSync(join(cwd, 's.yaml'), Buffer.from([0x6e, 0xe9, 0x0a]));
      expect(() => filesOf(wordsOf('qualify --suite s.yaml'), cwd)).toThrow(
        /^s\.yaml is not text in UTF-8, so nodes cannot be given it: save it as UTF-8$/,
      );
    }));

  it('is what fits, whatever else is too large', () =>
    withFolder(async (cwd) => {
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      try {
        writeFileSync(join(cwd, 'large.yaml'), ' '.repeat(100 * 1024));
        writeFileSync(join(cwd, 'b.json'), '{}');
        const command = wordsOf('qualify --suite large.yaml --baseline b.json');
        expect(filesOf(command, cwd)).toEqual({ 'b.json': '{}' });
        expect(said.mock.calls.join('')).toContain('large.yaml (100 KiB) is too large to be handed over');
      } finally {
        said.mockRestore();
      }
    }));
});
