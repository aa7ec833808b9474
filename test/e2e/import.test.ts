/** `pi-bench import`, and reading back what it made. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { describeText, inspectionFiles, resultText } from '../import/support.js';
import { campaignFolder, piBench, withFolder } from '../support/pi-bench.js';

function write(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('pi-bench import', () => {
  it('makes a campaign’s folder whose record show prints as import did', async () => {
    await withFolder(async (folder) => {
      const results = ['a', 'b', 'c'].map((_, i) => resultText({ elapsed: 2 + i / 10 }));
      const source = write(join(folder, 'there'), {
        ...inspectionFiles('i', results),
        'a.csv': describeText(),
      });
      const out = join(folder, 'results');
      const imported = await piBench('import', 'thoth', source, '--out', out);
      expect([imported.code, imported.stderr]).toEqual([0, '']);
      expect(imported.stdout).toMatch(/imported +5 files of thoth; measured 2020-01-01/);
      expect(imported.stdout).toMatch(/not verified: nobody published/);
      const shown = await piBench('show', campaignFolder(out));
      expect([shown.code, shown.stdout]).toEqual([0, imported.stdout]);
      const resumed = await piBench('resume', campaignFolder(out));
      expect(resumed.code).toBe(64);
    });
  });

  it('prints the record and nothing else with --json', async () => {
    await withFolder(async (folder) => {
      const source = write(join(folder, 'there'), { 'a.csv': describeText() });
      const { code, stdout } = await piBench('import', 'thoth', source, '--out', join(folder, 'r'), '--json');
      const record = JSON.parse(stdout) as PiBenchRecord;
      expect([code, record.imported?.format, record.batches.length]).toEqual([0, 'thoth', 2]);
    });
  });

  it('writes nodes to their file also with --json, and names every file of which none came', async () => {
    await withFolder(async (folder) => {
      const others = Array.from({ length: 12 }, (_, i) => [`notes-${i}.txt`, 'mine'] as const);
      const node = JSON.stringify({ 'DCGM Diagnostic': { test_categories: [] } });
      const source = write(join(folder, 'there'), { 'n1.json': node, ...Object.fromEntries(others) });
      const out = join(folder, 'r');
      const { stdout, stderr } = await piBench('import', 'dcgm', source, '--out', out, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ node: 'n1' });
      const [file = '', ...more] = readdirSync(out);
      expect(more).toEqual([]);
      expect(readFileSync(join(out, file), 'utf8')).toBe(stdout);
      for (const [path] of others) expect(stderr).toContain(path);
      expect(stderr.trim().split('\n')).toHaveLength(12);
    });
  });

  it('imports what can be read, names what cannot, and ends as incomplete', async () => {
    await withFolder(async (folder) => {
      const files = inspectionFiles('i', [resultText(), resultText().slice(0, 200)]);
      const source = write(join(folder, 'there'), { ...files, 'notes.txt': 'mine' });
      const { code, stdout, stderr } = await piBench('import', 'thoth', source, '--out', join(folder, 'r'));
      expect(code).toBe(2);
      expect(stderr.trim().split('\n')).toEqual([
        expect.stringMatching(/^pi-bench: could not import i\/results\/1\/result: not JSON, or cut off/),
        'pi-bench: left out notes.txt: not one of the published layouts',
      ]);
      expect(stdout).toMatch(/incomplete: 1 of 4 launches are among what was imported/);
    });
  });

  it.each([
    [
      'a folder that holds nothing of it',
      ['thoth', '.'],
      /holds nothing that thoth published \(.*\); import takes/,
    ],
    [
      'a path that is not there',
      ['thoth', 'nowhere'],
      /there is no \S+nowhere: give a file of what was published/,
    ],
    [
      'a format that it does not know',
      ['other', '.'],
      /there is no format "other" to import; there is thoth/,
    ],
  ])('refuses %s in one line', async (_, [format = '', path = ''], message) => {
    await withFolder(async (folder) => {
      writeFileSync(join(folder, 'a.json'), '[1]');
      const { code, stdout, stderr } = await piBench(
        'import',
        format,
        join(folder, path),
        '--out',
        join(folder, 'r'),
      );
      expect([code, stdout]).toEqual([64, '']);
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    });
  });
});
