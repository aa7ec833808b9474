/** What scripts/bundle.mjs makes of what was compiled: starting a program reads few files, and what few need comes later. */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAMS, type Program, programFile } from '../../src/programs.js';

const textOf = (file: string): string => readFileSync(file, 'utf8');
const named = (text: string, how: RegExp): string[] =>
  [...text.matchAll(how)].flatMap(([, name = '']) => name);

/** The files that are loaded with one, itself among them; packages that npm installs by their names. */
function loadedWith(file: string): string[] {
  const found = new Set([file]);
  for (const one of found) {
    if (!one.startsWith('/')) continue;
    for (const name of named(textOf(one), /^(?:import|export) (?:[^"']*? from )?["']([^"']+)["'];$/gm))
      if (!isBuiltin(name)) found.add(name.startsWith('.') ? join(dirname(one), name) : name);
  }
  return [...found];
}

describe('a program that is bundled', () => {
  it.each(
    PROGRAMS.filter((program) => program !== 'cli/main'),
  )('is one file, or two where it shares something with what it loads later: %s', (program: Program) => {
    const loaded = loadedWith(programFile(program));
    expect(loaded.length).toBeLessThanOrEqual(2);
    for (const file of loaded) expect(file.startsWith('/')).toBe(true);
  });

  it('that is the command is few files before it measures, none of them of a package', () => {
    const main = loadedWith(programFile('cli/main'));
    expect(main.map((file) => basename(file)).sort()).toEqual([
      'main-begin.js',
      'main-rolldown-runtime.js',
      'main.js',
    ]);
    const measure = loadedWith(join(dirname(programFile('cli/main')), 'main-measure.js'));
    expect(measure.filter((file) => !main.includes(file)).map((file) => basename(file))).toEqual([
      'main-measure.js',
    ]);
  });

  it('loads what few commands need when they do', () => {
    const begin = textOf(join(dirname(programFile('cli/main')), 'main-begin.js'));
    const later = named(begin, /import\("\.\/([^"]+)"\)/g);
    expect(later).toEqual(expect.arrayContaining(['main-measure.js', 'main-fleet.js', 'main-report.js']));
  });
});
