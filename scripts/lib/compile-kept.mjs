// One source compiled by one call of a compiler, for what is no part of the addon. What was made is kept by the hash of its
// sources and of how it was made, because building the addon empties build/.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { packageRoot } from './tree.mjs';
import { hashOfSources } from './verdict-cache.mjs';

/** Copies in one step: who loads the file sees the old one or the new one. */
export function install(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const partial = `${to}.${process.pid}.tmp`;
  copyFileSync(from, partial);
  renameSync(partial, to);
}

/** Why a compiler that ended with that could not compile a source, in one line, with its words behind it. */
function failureOf(compiler, source, { status, signal }, log) {
  const cause = log.match(/^.*\berror\b.*$/m)?.[0] ?? `${basename(compiler)} ended with ${status ?? signal}`;
  return `${source} could not be compiled: ${cause}\n${log}`;
}

/**
 * Compiles a source of this package, where that was not done before, and installs what comes of it.
 * @param {{ compiler: string, source: string, how: unknown, argumentsFor: (output: string) => string[], cache: string, to: string }}
 *   what `how`: all that the result depends on besides the sources; `cache`: the folder in which it is kept
 * @returns {{ failure: string | null, warning: string | null }} what the compiler warned of is kept, too
 */
export function compileKept({ compiler, source, how, argumentsFor, cache, to }) {
  const extension = extname(to);
  const kept = join(cache, `${hashOfSources(source, how)}${extension}`);
  const warnings = `${kept}.warnings`;
  if (!existsSync(kept)) {
    mkdirSync(cache, { recursive: true });
    const partial = `${kept}.${process.pid}${extension}`;
    const done = spawnSync(compiler, argumentsFor(partial), {
      cwd: packageRoot,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    const log = `${done.stdout ?? ''}${done.stderr ?? ''}${done.error?.message ?? ''}`.trim();
    if (done.status !== 0) {
      // What was made of other sources must not be taken for what these would be.
      for (const path of [partial, to]) rmSync(path, { force: true });
      return { failure: failureOf(compiler, source, done, log), warning: null };
    }
    if (log !== '') writeFileSync(warnings, log);
    renameSync(partial, kept);
  }
  install(kept, to);
  return { failure: null, warning: existsSync(warnings) ? readFileSync(warnings, 'utf8') : null };
}
