// npm run lint:native [-- --fix | --long]: is the native code formatted (clang-format), and does clang-tidy find nothing in it,
// compiled with the flags of binding.gyp? `--fix` formats it. Files that were tidy and have not changed are not looked into again.
//
// Most of clang-tidy's time goes into headers, the standard library's above all, which it reads and searches for each file anew. So
// files that are compiled as one (together.cc) are looked into as one; and clang-tidy is kept for what is shipped: the programs that
// check and measure it are compiled with warnings as errors and run, most of them under sanitizers. `--long` looks at each file by
// itself, so that each is seen to include what it uses, at those of the programs, too, and follows more paths.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { ARCHITECTURES } from './lib/architectures.mjs';
import { readFlags } from './lib/flags.mjs';
import { glooThere } from './lib/gloo-plugin.mjs';
import { packageRoot } from './lib/tree.mjs';
import { included, rememberGood, verdictPlace, wasGood } from './lib/verdict-cache.mjs';
import { addonSources, bringsTogether, commonFlags, filesBelow, nodeHeaderFlags } from './native-sources.mjs';

const FOLDERS = [
  'native',
  'kernels',
  'test/native',
  'scripts/bench-gemm/candidate',
  'scripts/bench-memory',
  'scripts/cuda-check',
];
/** Includes headers that not every machine has. */
const TAKES_GLOO = join('native', 'collective', 'gloo', 'plugin');
const PARALLEL = Math.max(2, availableParallelism());
const SHIPPED = /^(?:native|kernels)\//;

const USAGE = `npm run lint:native [-- --fix | --long]
  --fix   format the files
  --long  each file by itself, those of programs too, with more paths followed
`;
const { fix: FIX, long: EACH_BY_ITSELF } = readFlags(USAGE, {
  fix: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
});

function missingTool() {
  const missing = ['clang-format', 'clang-tidy'].filter(
    (tool) => spawnSync(tool, ['--version']).status !== 0,
  );
  if (missing.length === 0) return null;
  return `${missing.join(' and ')} not found: install the Debian packages of the same names (apt-get install ${missing.join(' ')})`;
}

function isFormatted(files) {
  const how = FIX ? ['-i'] : ['--dry-run', '-Werror'];
  return spawnSync('clang-format', [...how, ...files], { cwd: packageRoot, stdio: 'inherit' }).status === 0;
}

const FOREIGN = Object.keys(ARCHITECTURES).filter((arch) => arch !== process.arch);
const builtHere = new Set(addonSources().map(({ path }) => path));

/** The other architecture that a file is built for, or undefined where it is built for this one or for none. */
const foreignArch = (path) =>
  builtHere.has(path) ? undefined : FOREIGN.find((arch) => sourceFor(path, arch) !== undefined);

const sourceFor = (path, arch) => addonSources(arch).find((candidate) => candidate.path === path);

const crossHeaders = (arch) => join('/usr', ARCHITECTURES[arch].triplet, 'include');

/** clang knows other warnings than g++, for which the build's -Werror is meant; .clang-tidy says which count. */
function tidyFlags(path) {
  const arch = foreignArch(path);
  const flags = sourceFor(path, arch ?? process.arch)?.flags ?? commonFlags();
  const cross =
    arch === undefined ? [] : [`--target=${ARCHITECTURES[arch].triplet}`, '-isystem', crossHeaders(arch)];
  return [...flags.filter((flag) => flag !== '-Werror'), ...cross, ...nodeHeaderFlags()];
}

/** The files that a file brings together. */
const broughtTogether = (path) =>
  [...readFileSync(join(packageRoot, path), 'utf8').matchAll(/^#include "(.+\.cc)"$/gm)].map(([, name]) =>
    join(dirname(path), name),
  );

/** What is looked into, each by itself, of all sources. */
function units(sources) {
  if (EACH_BY_ITSELF) return sources.filter((path) => !bringsTogether(path));
  const parts = new Set(sources.filter(bringsTogether).flatMap(broughtTogether));
  return sources.filter((path) => SHIPPED.test(path) && !parts.has(path));
}

/**
 * What clang-tidy is given for a unit. The analyser follows paths through functions of the main file only, and through those of
 * the files that it includes where `UnifiedSource` is part of its name (AnalysisManager::isInCodeFile): so files that are compiled
 * as one are included by one of such a name.
 */
function given(path) {
  if (!bringsTogether(path)) return path;
  const folder = join('node_modules', '.cache', 'lint-native');
  mkdirSync(join(packageRoot, folder), { recursive: true });
  const unified = join(folder, `UnifiedSource-${path.replaceAll('/', '-')}`);
  const lines = broughtTogether(path).map((part) => `#include "${join(packageRoot, part)}"\n`);
  writeFileSync(join(packageRoot, unified), lines.join(''));
  return unified;
}

/**
 * Of a function the analyser looks at so many states, instead of the 225,000 that are its own limit and --long's. With 50,000 it took
 * two thirds of all that clang-tidy took for what is shipped, most of it for the few functions that have more.
 */
const STATES = 8000;

/** The check of .clang-tidy that is against bringing files together is not asked of a unit that does. */
const withoutChecks = (path) => (bringsTogether(path) ? ['--checks=-bugprone-suspicious-include'] : []);

const analyserOptions = EACH_BY_ITSELF
  ? []
  : ['-Xclang', '-analyzer-config', '-Xclang', `max-nodes=${STATES}`];

/** What a verdict depends on besides the sources. */
const linter = [
  spawnSync('clang-tidy', ['--version'], { encoding: 'utf8' }).stdout,
  readFileSync(join(packageRoot, '.clang-tidy'), 'utf8'),
];

function tidy(path) {
  return new Promise((resolve) => {
    const args = [
      '--quiet',
      ...withoutChecks(path),
      given(path),
      '--',
      ...tidyFlags(path),
      ...analyserOptions,
    ];
    const place = verdictPlace(path, [linter, args]);
    if (wasGood(place)) {
      resolve(true);
      return;
    }
    const child = spawn('clang-tidy', args, { cwd: packageRoot, stdio: ['ignore', 'pipe', 'ignore'] });
    let report = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      report += text;
    });
    child.on('close', (code) => {
      process.stdout.write(report);
      if (code !== 0 && report === '') process.stdout.write(`${path}: clang-tidy ended with ${code}\n`);
      if (code === 0) rememberGood(place);
      resolve(code === 0);
    });
  });
}

async function areTidy(paths) {
  // The largest first, so that none of those is left for one CPU at the end.
  const bytes = (path) => statSync(join(packageRoot, path)).size;
  const size = new Map(
    paths.map((path) => [path, [...included(path)].reduce((sum, one) => sum + bytes(one), 0)]),
  );
  const waiting = [...paths].sort((a, b) => size.get(b) - size.get(a));
  let right = true;
  const worker = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      right = (await tidy(path)) && right;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return right;
}

const missing = missingTool();
if (missing !== null) {
  process.stderr.write(`lint-native: ${missing}\n`);
  process.exitCode = 1;
} else {
  const all = FOLDERS.flatMap((folder) => filesBelow(folder, ['.cc', '.cu', '.h']));
  const sources = all.filter((path) => path.endsWith('.cc'));
  const own = sources.filter((path) => !bringsTogether(path));
  const programs = EACH_BY_ITSELF ? [] : own.filter((path) => !SHIPPED.test(path));
  const lacking = FOREIGN.filter((arch) => !existsSync(crossHeaders(arch)));
  const formatted = isFormatted(all);
  const withoutHeaders = glooThere() ? [] : sources.filter((path) => path.startsWith(TAKES_GLOO));
  const tidied = await areTidy(
    units(sources).filter((path) => !lacking.includes(foreignArch(path)) && !withoutHeaders.includes(path)),
  );
  process.stdout.write(
    `lint-native: ${all.length} files ${formatted ? 'formatted' : 'NOT FORMATTED'}, ${own.length - programs.length} ${tidied ? 'tidy' : 'NOT TIDY'}\n`,
  );
  if (!EACH_BY_ITSELF) {
    process.stdout.write(
      `  left to --long: ${programs.length} files of programs, functions of more than ${STATES} states, and whether files compiled as one include what they use\n`,
    );
  }
  for (const arch of lacking) {
    const count = sources.filter((path) => foreignArch(path) === arch).length;
    process.stdout.write(
      `  not looked into, without the Debian package ${ARCHITECTURES[arch].compilerPackage}: ${count} files for ${arch}\n`,
    );
  }
  for (const path of withoutHeaders)
    process.stdout.write(`  not looked into, without the Debian package libgloo-dev: ${path}\n`);
  if (!formatted || !tidied) process.exitCode = 1;
}
