// npm run build:ts, after tsc: bundles each program of src/programs.ts with all that it imports, which is loaded in a fraction of
// the time of its modules. The only argument is the folder of what was compiled; dist/ without one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { COMPILED, packageRoot } from './lib/tree.mjs';

const compiled = resolve(process.argv[2] ?? COMPILED);
const out = join(compiled, 'bundle');
const { PROGRAMS } = await import(pathToFileURL(join(compiled, 'programs.js')).href);

/**
 * Bundled, too: of nearly a hundred modules a fraction is used. All else is found where npm has put it: loaded only where it is
 * needed, asked for files of its own, or one file already.
 */
const PACKAGES = ['zod'];

const isExternal = (id) => /^[^./]/.test(id) && !PACKAGES.includes(id);

/**
 * What a command that measures loads: to understand its flags, then to measure. Split by who else needs it, as is all that only
 * other commands need, it would be some sixty files.
 */
const MEASURING = {
  begin: ['cli/main', 'cli/commands/measure', 'indicators/index'],
  measure: ['cli/measure', 'cli/record-text'],
};

/** The modules that those named import, however indirectly, but for what is loaded later. */
function importedBy(names, modules) {
  const found = new Set(names.map((name) => join(compiled, `${name}.js`)));
  for (const id of found)
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** The group of a module, the first that has it. */
function groupOf() {
  let groups;
  return (id, modules) => {
    groups ??= Object.entries(MEASURING).map(([name, roots]) => [name, importedBy(roots, modules)]);
    return groups.find(([, ids]) => ids.has(id))?.[0] ?? null;
  };
}

/** Programs share no file: what a process loads is its own. */
const bundle = (program) => ({
  input: { [program]: join(compiled, `${program}.js`) },
  cwd: packageRoot,
  platform: 'node',
  external: isExternal,
  output: {
    dir: out,
    entryFileNames: '[name].js',
    chunkFileNames: `${program}-[name].js`,
    codeSplitting: program === 'cli/main' ? { groups: [{ debugName: 'measuring', name: groupOf() }] } : true,
  },
});

/** The licences of the packages that are bundled ask to be there wherever their code is. */
function licences() {
  return PACKAGES.map((name) => {
    const folder = join(packageRoot, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`;
  }).join('\n\n');
}

await build(PROGRAMS.map(bundle));
writeFileSync(join(out, 'LICENSES'), licences());
