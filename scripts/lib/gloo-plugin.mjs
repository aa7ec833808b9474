// Compiles the plugin that calls Gloo, native/collective/gloo/plugin to build/plugins/gloo.so, where Gloo's headers are:
// a C++ library of templates cannot be called without them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compileKept } from './compile-kept.mjs';
import { packageRoot } from './tree.mjs';

const CACHE = join(packageRoot, 'node_modules', '.cache', 'gloo-plugin');
const SOURCE = join('native', 'collective', 'gloo', 'plugin', 'gloo_plugin.cc');
export const GLOO_PLUGIN = join(packageRoot, 'build', 'plugins', 'gloo.so');

export const GLOO_NEEDED = 'Debian’s package libgloo-dev, and a C++20 compiler';

/** Gloo's reductions are templates, compiled here: as a program is that uses it, for any CPU of this architecture. */
const FLAGS = [
  '-std=c++20',
  '-O3',
  '-Wall',
  '-Wextra',
  '-fPIC',
  '-shared',
  '-pthread',
  '-fvisibility=hidden',
];

/** @typedef {Readonly<Record<string, string | undefined>>} Environment */

/** @param {Environment} environment */
const compilerOf = ({ CXX }) => CXX ?? 'g++';

/**
 * With what the environment adds, as it does to the addon's.
 * @param {Environment} environment
 */
const flagsOf = ({ CXXFLAGS = '' }) => [...FLAGS, ...CXXFLAGS.split(' ').filter((flag) => flag !== '')];

/** How Gloo's headers were configured, as the compiler sees them. Undefined: there are none, or no compiler. */
function glooHeaders(compiler) {
  const done = spawnSync(compiler, ['-E', '-dD', '-x', 'c++', '-'], {
    input: '#include <gloo/config.h>\n',
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (done.status !== 0) return undefined;
  return done.stdout
    .split('\n')
    .filter((line) => line.startsWith('#define GLOO_'))
    .join('\n');
}

/**
 * True where its headers and a compiler are.
 * @param {Environment} [environment]
 */
export const glooThere = (environment = process.env) => glooHeaders(compilerOf(environment)) !== undefined;

export const glooPluginThere = () => existsSync(GLOO_PLUGIN);

/**
 * Builds and installs it. Returns null, or one line that says why it could not, with the compiler's words behind it.
 * @param {Environment} [environment]
 * @param {string} [to] where it is installed
 */
export function buildGlooPlugin(environment = process.env, to = GLOO_PLUGIN) {
  const compiler = compilerOf(environment);
  const headers = glooHeaders(compiler);
  if (headers === undefined) return `the plugin for Gloo needs ${GLOO_NEEDED}`;
  const version = spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout;
  const flags = flagsOf(environment);
  return compileKept({
    compiler,
    source: SOURCE,
    how: [compiler, version, headers, flags],
    argumentsFor: (output) => [...flags, SOURCE, '-o', output, '-lgloo'],
    cache: CACHE,
    to,
  }).failure;
}
