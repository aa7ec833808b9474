/** What is loaded before anything is measured, by the imports of the sources: loading is most of what starting takes. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/pi-bench.js';

/** Whole statements that import or re-export a value; those of types only are gone when they are compiled. */
const STATIC = /^(?:import|export)\s+(?!type\b)(?:[^;]*?\sfrom\s+)?'([^']+)';/gm;

/** The packages that a file brings along, itself and by the files of ours that it imports. */
function packagesOf(file: string): readonly string[] {
  const packages = new Set<string>();
  const files = new Set([join(root, file)]);
  for (const path of files) {
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(STATIC)) {
      if (name.startsWith('.')) files.add(join(dirname(path), name.replace(/\.js$/, '.ts')));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  }
  expect(files.size).toBeGreaterThan(1);
  return [...packages].sort();
}

describe('the start of', () => {
  it.each(['worker', 'mpi-worker', 'mpi-rank'])('%s loads nothing but our own files', (name) => {
    expect(packagesOf(`src/inspection/${name}.ts`)).toEqual([]);
  });

  it('a command that measures loads nothing to read YAML', () => {
    const packages = packagesOf('src/cli/commands/measure.ts');
    expect(packages).toContain('zod');
    expect(packages).not.toContain('yaml');
    // Of this one there is a file for each function.
    expect(packages).not.toContain('semver');
  });
});
