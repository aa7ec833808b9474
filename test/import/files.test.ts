/** The files of what is to be imported, links among them. */
import { closeSync, mkdirSync, openSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findFiles } from '../../src/import/files.js';
import { readDcgm, readSuperbench } from '../../src/import/nodes.js';
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
    expect(pathsIn(volume)).toEqual(['n1.json', 'n2.json']);
  }));

it('are called as they are to be seen, also in folders of a volume', () =>
  withFolder(async (volume) => {
    const current = join(volume, '..2026_01_02');
    for (const node of ['n1', 'n2']) {
      folderIn(current, node, ['diag.json']);
      symlinkSync(join('..data', node), join(volume, node));
    }
    symlinkSync('..2026_01_02', join(volume, '..data'));
    expect(readDcgm(findFiles(volume)).nodes.map(({ node }) => node)).toEqual(['n1', 'n2']);
  }));

it('are of a folder that a link leads to out of the given one only those in it, and of its folders it is said', () =>
  withFolder(async (parent) => {
    const diag = folderIn(parent, 'diag', ['n1.json']);
    const elsewhere = folderIn(parent, 'elsewhere', ['n2.json']);
    folderIn(elsewhere, 'lib', ['n3.json']);
    symlinkSync(folderIn(parent, 'more', ['n4.json']), join(elsewhere, 'more'));
    symlinkSync(elsewhere, join(diag, 'env'));
    const { files, leftOut } = findFiles(diag);
    expect(files.map(({ path }) => path)).toEqual(['env/n2.json', 'n1.json']);
    expect(leftOut).toEqual([
      {
        path: 'env',
        why: expect.stringMatching(/its files are read, and 2 folders in it not$/),
        damaged: false,
      },
    ]);
  }));

it('are those of the others where a link leads to a folder that cannot be looked into', () =>
  withFolder(async (parent) => {
    const diag = folderIn(parent, 'diag', ['n1.json']);
    // One that is gone while it is open cannot be read by anybody, whoever runs this.
    const gone = folderIn(parent, 'gone', []);
    const open = openSync(gone, 'r');
    try {
      rmdirSync(gone);
      symlinkSync(`/proc/self/fd/${open}`, join(diag, 'log'));
      const { nodes, unread } = readDcgm(findFiles(diag));
      expect(nodes.map(({ node }) => node)).toEqual(['n1']);
      expect(unread).toEqual([{ path: 'log', why: expect.stringMatching(/ENOENT/), damaged: true }]);
    } finally {
      closeSync(open);
    }
  }));

it('are not what an editor leaves, nor is damage what a format does not read', () =>
  withFolder(async (parent) => {
    const folder = folderIn(parent, 'results', []);
    writeFileSync(join(folder, 'a.jsonl'), '{"node":"n1","mem-bw/h2d_bw":25}\n');
    symlinkSync('somebody@host.123', join(folder, '.#notes.txt'));
    symlinkSync(join(parent, 'gone'), join(folder, 'latest'));
    expect(readSuperbench(findFiles(folder)).unread).toEqual([
      { path: 'latest', why: 'not a .jsonl file', damaged: false },
    ]);
  }));
