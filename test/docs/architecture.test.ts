/** ARCHITECTURE.md is a map of this tree: it leaves out no folder of the sources, names nothing that is gone, and what it calls pure is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/pi-bench.js';

const SOURCES = ['src', 'native', 'kernels'];
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const below = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true }).map((entry) => ({
    path: relative(root, join(entry.parentPath, entry.name)),
    isFolder: entry.isDirectory(),
  }));

/** By its path, which a table of the document may write without `src/`; or as `NAME/` in the line of the folder around it. */
function isNamed(folder: string): boolean {
  const [around, name] = [
    folder.slice(0, folder.lastIndexOf('/')),
    folder.slice(folder.lastIndexOf('/') + 1),
  ];
  const words = text.split(/[\s`(),:;]+/).map((word) => word.replace(/\/$/, ''));
  return (
    words.includes(folder) ||
    words.includes(folder.replace(/^src\//, '')) ||
    text.split('\n').some((line) => line.includes(`${around}/ `) && line.includes(` ${name}/`))
  );
}

it('each folder of the sources has its place', () => {
  const folders = SOURCES.flatMap(below).flatMap(({ path, isFolder }) => (isFolder ? [path] : []));
  expect(folders.length).toBeGreaterThan(40);
  expect(folders.filter((folder) => !isNamed(folder))).toEqual([]);
});

it('what is said to be pure opens no file and starts no process', () => {
  const edge = /from 'node:(?:fs|child_process|worker_threads|net|http|https|dgram)/;
  const pure = ['campaign', 'telemetry', 'statistics', 'record', 'quantities', 'score'];
  const files = pure.flatMap((folder) => below(`src/${folder}`)).filter(({ isFolder }) => !isFolder);
  const open = files.filter(({ path }) => edge.test(readFileSync(join(root, path), 'utf8')));
  expect(open.map(({ path }) => path)).toEqual([]);
});

it('each file that is named is there', () => {
  const all = [...SOURCES, 'scripts', 'test', 'bin', 'docs', '.ci', 'assets']
    .flatMap(below)
    .map(({ path }) => path);
  const named = [...text.matchAll(/`([\w./-]*\.(?:cc|cu|h|mjs|ts|md|sh|yaml))`/g)].flatMap(([, name]) =>
    name === undefined || name.startsWith('.') ? [] : [name],
  );
  const isThere = (name: string) =>
    all.some((path) => path === name || path.endsWith(`/${name}`)) || readdirSync(root).includes(name);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});
