import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { filesOf } from '../../src/cli/begin-submission.js';
import { namedFiles } from '../../src/submit/named-files.js';
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
