// What a compiler makes of one source, and what is left where it makes nothing of it.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileKept } from '../../scripts/lib/compile-kept.mjs';
import { withFolder } from '../support/pi-bench.js';

const compile = (folder: string, compiler: string, how: unknown) =>
  compileKept({
    compiler,
    source: join('kernels', 'cuda', 'support.cu'),
    how,
    argumentsFor: (output) => [output],
    cache: join(folder, 'cache'),
    to: join(folder, 'made.fatbin'),
  });

test('of a source that does not compile any more nothing is left that was made of it before', () =>
  withFolder(async (folder) => {
    const [good, bad, made] = ['good', 'bad', 'made.fatbin'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(good, '#!/bin/sh\necho machine code >"$1"\n');
    writeFileSync(bad, '#!/bin/sh\necho half >"$1"\necho "support.cu(1): error: because" >&2\nexit 1\n');
    for (const program of [good, bad]) chmodSync(program, 0o755);
    expect(compile(folder, good, 'before')).toEqual({ failure: null, warning: null });
    expect(readFileSync(made, 'utf8')).toBe('machine code\n');
    expect(compile(folder, bad, 'after').failure).toMatch(/could not be compiled: .*error: because/);
    expect(existsSync(made)).toBe(false);
    // What was made before is remembered for its own sources.
    expect(compile(folder, bad, 'before').failure).toBe(null);
    expect(readFileSync(made, 'utf8')).toBe('machine code\n');
  }));
