/** Which kernels for GPUs are taken where there may be several. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gpuKernelsOf } from '../../src/package.js';
import { withFolder } from '../support/pi-bench.js';

const compiled = join('build', 'plugins', 'cuda');
const packed = join('dist', 'cuda');

it.each([
  ['those that a package came with', [packed], packed],
  ['of a package those that were compiled on this machine, where somebody did', [packed, compiled], compiled],
  ['the place where they would be, where there are none', [], compiled],
])('are %s', (_, folders, expected) =>
  withFolder(async (root) => {
    for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
    expect(gpuKernelsOf(root)).toBe(join(root, expected));
  }));

it('are never what packing left in a clone, which may be of other sources', () =>
  withFolder(async (root) => {
    mkdirSync(join(root, packed), { recursive: true });
    writeFileSync(join(root, 'tsconfig.json'), '{}');
    expect(gpuKernelsOf(root)).toBe(join(root, compiled));
  }));
