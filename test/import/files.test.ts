/** The files of what is to be imported, links among them. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findFiles } from '../../src/import/files.js';
import { readDcgm } from '../../src/import/nodes.js';
import { withFolder } from '../support/pi-bench.js';

const PASSED = JSON.stringify({ 'DCGM Diagnostic': { test_categories: [] } });

function folderIn(parent: string, name: string, files: readonly string[]): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), PASSED);
  return folder;
}

const pathsIn = (folder: string): readonly string[] => findFiles(folder).files.map(({ path }) => path);

it('are also those that links lead to, files and folders, and of a link that leads nowhere it is said', () =>
  withFolder(async (parent) => {
    const diag = folderIn(parent, 'diag', ['n1.json']);
    const elsewhere = folderIn(parent, 'elsewhere', ['n2.json', 'n4.json']);
    symlinkSync(join(elsewhere, 'n2.json'), join(diag, 'n2.json'));
    symlinkSync(join(parent, 'gone'), join(diag, 'n3.json'));
    symlinkSync(folderIn(parent, 'more', ['n5.json']), join(diag, 'more'));
    const found = findFiles(diag);
    expect(found.files.map(({ path }) => path)).toEqual(['more/n5.json', 'n1.json', 'n2.json', 'n3.json']);
    const { nodes, unread } = readDcgm(found);
    expect(nodes.map(({ node }) => node)).toEqual(['n5', 'n1', 'n2']);
    expect(unread).toEqual([{ path: 'n3.json', why: expect.stringMatching(/ENOENT/), damaged: true }]);
  }));

it('count once however many links lead to them, and links to what is above them lead nowhere new', () =>
  withFolder(async (parent) => {
    // As a volume of Kubernetes has them.
    const volume = folderIn(parent, 'volume', []);
    const current = folderIn(volume, '..2026_01_02', ['n1.json', 'n2.json']);
    symlinkSync(current, join(volume, '..data'));
    for (const name of ['n1.json', 'n2.json']) symlinkSync(join('..data', name), join(volume, name));
    symlinkSync(volume, join(current, 'again'));
    expect(pathsIn(volume)).toEqual(['..2026_01_02/n1.json', '..2026_01_02/n2.json']);
  }));
