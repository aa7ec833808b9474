import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cudaFolders } from '../../src/stacks/cuda-folders.js';
import { withFolder } from '../support/pi-bench.js';

/** A prefix with a Python and NVIDIA's wheel of cuBLAS; returns where the wheel's libraries are. */
function pythonIn(prefix: string): string {
  const libraries = join(prefix, 'lib', 'python3.12', 'site-packages', 'nvidia', 'cu13', 'lib');
  for (const folder of [join(prefix, 'bin'), libraries]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(prefix, 'bin', 'python3'), '');
  return libraries;
}

it('has the wheels of the python3 on the path, where no environment is activated', () =>
  withFolder(async (folder) => {
    const [first, second] = ['venv', 'other'].map((name) => pythonIn(join(folder, name)));
    const PATH = ['nowhere', 'venv', 'other'].map((name) => join(folder, name, 'bin')).join(':');
    const folders = cudaFolders({ PATH });
    expect(folders).toContain(first);
    expect(folders).not.toContain(second);
    expect(cudaFolders({})).not.toContain(first);
  }));

it('has those of the Python that a link on the path leads to', () =>
  withFolder(async (folder) => {
    const libraries = pythonIn(join(folder, 'managed'));
    mkdirSync(join(folder, 'bin'));
    symlinkSync(join(folder, 'managed', 'bin', 'python3'), join(folder, 'bin', 'python3'));
    expect(cudaFolders({ PATH: join(folder, 'bin') })).toContain(libraries);
  }));
