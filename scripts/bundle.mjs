// npm run build:ts, after tsc: bundles each program of src/programs.ts with all that it imports, which is loaded in a fraction of
// the time of its modules. The only argument is the folder of what was compiled; dist/ without one.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { commitOfSources, noteCommit } from './lib/commit.mjs';
import { COMPILED, compiledOf, contentsOf, packageRoot } from './lib/tree.mjs';

const compiled = resolve(process.argv[2] ?? COMPILED);
const out = join(compiled, 'bundle');
const commit = commitOfSources();
const { PROGRAMS } = await import(pathToFileURL(join(compiled, 'programs.js')).href);

/** Needed seldom, and found where npm has put them. */
const EXTERNAL = ['cli-progress', 'vega', 'xmlbuilder2'];

/** yargs lays out its help with it: its tables of emoji take longer to make than all of yargs to load, and help has none. */
const INSTEAD = { 'string-width': join(compiled, 'cli', 'text-width.js') };

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

/**
 * Programs share no file: what a process loads is its own.
 * @param {string} program
 * @returns {import('rolldown').BuildOptions}
 */
const bundle = (program) => ({
  input: { [program]: join(compiled, `${program}.js`) },
  cwd: packageRoot,
  platform: 'node',
  external: EXTERNAL,
  resolve: { alias: INSTEAD },
  checks: { ineffectiveDynamicImport: false },
  output: {
    dir: out,
    entryFileNames: '[name].js',
    chunkFileNames: `${program}-[name].js`,
    // By their names: files of two builds, where one is replaced under a running command, must not take one thing for another.
    minifyInternalExports: false,
    codeSplitting: program === 'cli/main' ? { groups: [{ debugName: 'measuring', name: groupOf() }] } : true,
  },
});

/** The folder of the package that a module belongs to; undefined: it is ours. */
const packageOf = (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];

/** The packages whose code is bundled ask for their licences to be there as well. */
function licencesOf(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${folder} has no licence to bundle`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return [...new Set(texts)].sort().join('\n\n');
}

// Whoever compiles notes of what; what was noted before is not what this is made of.
for (const noted of [compiledOf(compiled), contentsOf(compiled)]) rmSync(noted, { force: true });
const bundles = await Promise.all(PROGRAMS.map((program) => build(bundle(program))));
const modules = bundles.flatMap(({ output }) => output.flatMap(({ moduleIds = [] }) => moduleIds));
const packages = new Set(modules.map(packageOf).filter((folder) => folder !== undefined));
writeFileSync(join(out, 'LICENSES'), licencesOf([...packages]));
noteCommit(compiled, commit);
