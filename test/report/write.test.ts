/** Where a report goes, and that what cannot be written whole is not written. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import type { Format, Request } from '../../src/report/formats/format.js';
import { formats } from '../../src/report/formats/index.js';
import { placeOf, writeReport } from '../../src/report/write.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-bench-write-'));
  writeFileSync(join(folder, 'there.txt'), 'old');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function named(name: string): Format {
  const format = formats.find((one) => one.name === name);
  if (format === undefined) throw new Error(`no format ${name}`);
  return format;
}

describe('placeOf', () => {
  it.each([
    ['html', null, { kind: 'file', path: '/campaign/report.html' }],
    ['svg', null, { kind: 'folder', path: '/campaign/figures' }],
    ['csv', null, { kind: 'stdout' }],
    ['html', '/tmp/page.html', { kind: 'file', path: '/tmp/page.html' }],
    ['md', '/tmp/report.md', { kind: 'file', path: '/tmp/report.md' }],
    ['md', '/tmp/new.d/', { kind: 'folder', path: '/tmp/new.d' }],
    ['csv', '/tmp/new', { kind: 'folder', path: '/tmp/new' }],
  ])('puts %s with --out %s where one expects it', (name, out, place) => {
    expect(placeOf(named(name), out, '/campaign')).toEqual(place);
  });

  it.each([
    '/dev/stdout',
    '/dev/null',
  ])('writes into %s, which is no folder although it has no ending', (out) => {
    expect(placeOf(named('csv'), out, '/campaign')).toEqual({ kind: 'file', path: out });
  });

  it('writes over a file that has no ending, and takes it for no folder', () => {
    const path = join(folder, 'report');
    writeFileSync(path, 'old');
    const places = [path, `${path}/`].map((out) => placeOf(named('html'), out, '/campaign'));
    rmSync(path);
    expect(places).toEqual([
      { kind: 'file', path },
      { kind: 'folder', path },
    ]);
  });

  it('refuses a file for pictures', () => {
    expect(() => placeOf(named('svg'), join(folder, 'there.txt'), '/campaign')).toThrow(UserError);
  });
});

describe('writeReport', () => {
  const broken: Format = {
    name: 'broken',
    kind: 'file',
    place: '',
    async *text() {
      yield 'new';
      throw new Error('in the middle');
    },
    async *files() {},
  };
  const request = {} as Request;

  it('leaves what was there when it fails in the middle, and nothing beside it', async () => {
    const path = join(folder, 'there.txt');
    await expect(writeReport(broken, request, { kind: 'file', path })).rejects.toThrow('in the middle');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['there.txt']);
  });

  it('writes beside what a killed process with our number left', async () => {
    const path = join(folder, 'page.html');
    const left = `${path}.${process.pid}.tmp`;
    writeFileSync(left, 'half');
    const whole: Format = {
      ...broken,
      async *text() {
        yield 'new';
      },
    };
    await writeReport(whole, request, { kind: 'file', path });
    expect(readFileSync(path, 'utf8')).toBe('new');
    rmSync(left);
    rmSync(path);
  });

  it('says which place could not be written, and what helps', async () => {
    const place = { kind: 'file', path: join(folder, 'there.txt', 'page.html') } as const;
    await expect(writeReport(broken, request, place)).rejects.toThrow(/cannot write .*page\.html.*--out/);
  });
});
