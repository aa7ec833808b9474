/** Where somebody says that something is to be written: to files, through links, into what is no file. */
import { spawn, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeDestination } from '../../src/store/atomic.js';
import { makeFolder } from '../../src/store/make-folder.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-bench-destination-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a destination', () => {
  it('that is a file, or not there, is written whole', () => {
    const path = join(folder, 'file');
    writeDestination(path, 'first');
    writeDestination(path, 'second');
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('that is a link leads to its file', () => {
    const [target, link] = [join(folder, 'target'), join(folder, 'link')];
    writeFileSync(target, 'old');
    symlinkSync(target, link);
    writeDestination(link, 'new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('new');
  });

  it('that is a pipe stays one', async () => {
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const reader = spawn('cat', [pipe]);
    const read = text(reader.stdout);
    writeDestination(pipe, 'through');
    expect(await read).toBe('through');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  it('that is a link to a device is written into', () => {
    const link = join(folder, 'nowhere');
    symlinkSync('/dev/null', link);
    writeDestination(link, 'gone');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});

describe('a folder', () => {
  it('is made with those above it, once or again', () => {
    const deep = join(folder, 'a', 'b', 'c');
    makeFolder(deep);
    makeFolder(deep);
    expect(lstatSync(deep).isDirectory()).toBe(true);
  });

  it('below a file, or where the kernel makes none, is refused', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file', 'below'))).toThrow(/EEXIST|ENOTDIR/);
    expect(() => makeFolder('/proc/pi-bench/below')).toThrow(/ENOENT|EACCES|EPERM/);
  });

  it('that is there is left alone', () => {
    mkdirSync(join(folder, 'there'));
    expect(() => makeFolder(join(folder, 'there'))).not.toThrow();
  });
});
