/** Where what executes a stack of one's own is found, without packages. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { makeOwnStack } from '../../../src/stacks/own/provision.js';
import { onlyRequest } from '../../../src/stacks/own/request.js';
import { parseStackFile } from '../../../src/stacks/own/stack-file.js';
import { localSystem } from '../../../src/stacks/system.js';
import { withFolder } from '../../support/pi-bench.js';

const INSTALLED = '/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0';

/** The stack that a file's only entry makes. */
function made(entry: string, folder = '/nowhere') {
  const [one] = parseStackFile(`stacks:\n  - {name: mine, ${entry}}`, 's.yaml');
  if (one === undefined) throw new Error('there is no stack');
  return makeOwnStack({ request: onlyRequest(one, 's.yaml'), folder }, null, { onStep: () => {} });
}

describe('a stack that names a library and has neither packages nor folders', () => {
  beforeEach(() => {
    vi.restoreAllMocks();
    vi.spyOn(localSystem, 'linkerCache').mockReturnValue(
      `\tlibopenblas.so.0 (libc6,x86-64) => ${INSTALLED}\n\tlibopenblas.so.0 (libc6,AArch64) => ${INSTALLED}\n`,
    );
    vi.spyOn(localSystem, 'realPath').mockImplementation((path) => (path === INSTALLED ? path : null));
  });

  it('is this system’s library with the stack’s variables', async () => {
    expect(await made('stack: openblas, environment: {OPENBLAS_CORETYPE: Haswell}')).toMatchObject({
      provider: 'openblas',
      variant: INSTALLED,
      environment: { OPENBLAS_CORETYPE: 'Haswell' },
      folders: [],
      problem: null,
    });
  });

  it('is nothing where this system has none, and what to do is said', async () => {
    await expect(made('stack: blis')).rejects.toThrow(
      /^this system has no libblis\.so\.4, and the stack has no packages, folders or library of its own\. Debian: apt install/,
    );
  });

  it('takes none of this system where it has folders', () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'lib'));
      await expect(made('stack: openblas, folders: [lib]', folder)).rejects.toThrow(
        /lib have no libopenblas\.so\.0, .*: name the file as its library$/,
      );
    }));
});

describe('the file of a stack’s library', () => {
  beforeEach(() => void vi.restoreAllMocks());

  it('lies beside the stack file, and what lies there instead is named', () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'lib'));
      writeFileSync(join(folder, 'lib', 'x.so'), '');
      expect(await made('stack: cblas, library: lib/x.so', folder)).toMatchObject({
        variant: join(folder, 'lib', 'x.so'),
      });
      await expect(made('stack: cblas, library: lib', folder)).rejects.toThrow(
        /^library lib: that is a folder/,
      );
      await expect(made('stack: cblas, library: y.so', folder)).rejects.toThrow(/^there is no file y\.so in/);
    }));
});
