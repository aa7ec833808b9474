/** The files of a verdict: what of them cannot be made keeps none of the others back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseFormats, writeFormats } from '../../src/cli/qualification/outputs.js';
import type { Judged, VerdictFormat } from '../../src/qualify/formats/index.js';
import { withFolder } from '../support/pi-bench.js';

const formatOf = (name: string, text: VerdictFormat['text']): VerdictFormat => ({
  name,
  file: `${name}.txt`,
  text,
});

it('writes the other formats where one cannot be made, and says which', () =>
  withFolder(async (folder) => {
    const broken = formatOf('broken', () => {
      throw new Error('no samples');
    });
    const late = formatOf('late', () => Promise.reject(new Error('no page')));
    const good = formatOf('good', () => 'the verdict');
    const path = join(folder, 'record.json');
    const wanted = [
      { format: broken, place: null },
      { format: late, place: '-' },
      { format: good, place: null },
    ];
    const { said, whole } = await writeFormats({} as Judged, path, wanted);
    expect(whole).toBe(false);
    expect(readFileSync(join(folder, 'good.txt'), 'utf8')).toBe('the verdict');
    expect(said).toEqual([
      `written: ${join(folder, 'good.txt')}`,
      `the verdict stands, but ${join(folder, 'broken.txt')} cannot be written: no samples; the record is ${path}`,
      `the verdict stands, but --format late=- cannot be written: no page; the record is ${path}`,
    ]);
  }));

it.each([
  'json=a.out,junit=a.out',
  'json=a.out,junit=./b/../a.out',
  'md,md',
])('refuses %s, of which one would overwrite the other', (text) => {
  expect(() => parseFormats(text)).toThrow('twice, and the one would overwrite the other');
});

it('takes one format in two places', () => {
  expect(parseFormats('json,json=a.out')).toHaveLength(2);
});
