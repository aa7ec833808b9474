/** Libraries for tests: tiny ones that are compiled for the purpose, and those that this machine has. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findStack } from '../../src/stacks/index.js';

const SOURCE = fileURLToPath(new URL('libraries/cblas.c', import.meta.url));
const XSMM_ARCHIVES = ['/usr/lib/libxsmm.a', '/usr/lib/libxsmmnoblas.a'];

function compile(args: readonly string[]): void {
  const { status, stderr } = spawnSync('g++', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`g++ ${args.join(' ')}: ${stderr}`);
}

/** The sound library, or with macros one of those that go wrong. Returns its path. */
export function tinyLibrary(folder: string, name: string, ...macros: readonly string[]): string {
  const path = join(folder, `lib${name}.so`);
  const flags = ['-x', 'c', '-O2', '-shared', '-fPIC', `-Wl,-soname,lib${name}.so.1`];
  const args = [...flags, ...macros.map((macro) => `-D${macro}`), SOURCE, '-o', path];
  const { status, stderr } = spawnSync('gcc', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`gcc ${args.join(' ')}: ${stderr}`);
  return path;
}

/** A copy that says that it was built for another machine: a compiler for one need not be here. */
export function foreignCopy(library: string, path: string): string {
  const file = readFileSync(library);
  const [x64, arm64] = [62, 183];
  file.writeUInt16LE(process.arch === 'arm64' ? x64 : arm64, 18);
  writeFileSync(path, file);
  return path;
}

/** Debian has libxsmm as archives only. null where it has not even these. */
export function sharedLibxsmm(folder: string): string | null {
  if (!XSMM_ARCHIVES.every((archive) => existsSync(archive))) return null;
  const path = join(folder, 'libxsmm.so');
  const whole = ['-Wl,--whole-archive', ...XSMM_ARCHIVES, '-Wl,--no-whole-archive'];
  compile(['-shared', ...whole, '-ldl', '-lpthread', '-lm', '-o', path]);
  return path;
}

/**
 * A sound library whose products wait for a file: whoever calls it is at work until then, however fast or slow the machine is.
 * @param after this many products, which do not wait
 */
export const waitingLibrary = (folder: string, file: string, after = 0): string =>
  tinyLibrary(folder, 'waits', `WAITS_FOR="${file}"`, `WAITS_AFTER=${after}`);

/** Whether a product waits for this file. */
export const isAwaited = (file: string): boolean => existsSync(`${file}.awaited`);

/** Builds of a library that this machine has, the one that programs get first. */
export const buildsHere = (provider: string): readonly string[] => findStack(provider).variants().here;
