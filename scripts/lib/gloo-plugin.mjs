// Compiles the plugin that calls Gloo, native/collective/gloo/plugin to build/plugins/gloo.so, where Gloo's headers are:
// a C++ library of templates cannot be called without them. One call of the compiler, as for the CUDA kernels.
//
// What was compiled is kept by the hash of its sources beside other caches, because building the addon empties build/.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from './tree.mjs';
import { hashOfSources } from './verdict-cache.mjs';

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

const compilerOf = ({ CXX }) => CXX ?? 'g++';

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

/** True where its headers and a compiler are. */
export const glooThere = (environment = process.env) => glooHeaders(compilerOf(environment)) !== undefined;

export const glooPluginThere = () => existsSync(GLOO_PLUGIN);

/** Copies in one step: who loads the file sees the old one or the new one. */
function install(from) {
  mkdirSync(dirname(GLOO_PLUGIN), { recursive: true });
  const partial = `${GLOO_PLUGIN}.${process.pid}.tmp`;
  copyFileSync(from, partial);
  renameSync(partial, GLOO_PLUGIN);
}

/** Builds and installs it. Returns null, or one line that says why it could not, with the compiler's words behind it. */
export function buildGlooPlugin(environment = process.env) {
  const compiler = compilerOf(environment);
  const headers = glooHeaders(compiler);
  if (headers === undefined) return `the plugin for Gloo needs ${GLOO_NEEDED}`;
  const version = spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout;
  const kept = join(CACHE, `${hashOfSources(SOURCE, [compiler, version, headers, FLAGS])}.so`);
  if (!existsSync(kept)) {
    mkdirSync(CACHE, { recursive: true });
    const partial = `${kept}.${process.pid}.so`;
    const done = spawnSync(compiler, [...FLAGS, SOURCE, '-o', partial, '-lgloo'], {
      cwd: packageRoot,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    const log = `${done.stdout ?? ''}${done.stderr ?? ''}${done.error?.message ?? ''}`.trim();
    if (done.status !== 0) {
      rmSync(partial, { force: true });
      const cause =
        log.match(/^.*\berror\b.*$/m)?.[0] ?? `${compiler} ended with ${done.status ?? done.signal}`;
      return `${SOURCE} could not be compiled: ${cause}\n${log}`;
    }
    renameSync(partial, kept);
  }
  install(kept);
  return null;
}
