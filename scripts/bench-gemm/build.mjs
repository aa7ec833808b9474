// Compiles what the candidates run in: library/*.cc, and libxsmm where it is there as an archive only.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../lib/tree.mjs';

const SOURCES = join(packageRoot, 'scripts', 'bench-gemm', 'library');
// Not below build/, which every build of the addon empties.
const OUTPUT = join(packageRoot, 'node_modules', '.cache', 'bench-gemm');

const modified = (path) => statSync(path).mtimeMs;

function make(target, sources, args) {
  if (existsSync(target) && sources.every((source) => modified(source) < modified(target))) return target;
  mkdirSync(dirname(target), { recursive: true });
  const { status, stderr, error } = spawnSync('g++', [...args, '-o', target], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`g++ does not compile ${target}: ${error?.message ?? stderr}`);
  return target;
}

/** Returns the program that measures a library. */
export function buildProgram() {
  const files = readdirSync(SOURCES).map((name) => join(SOURCES, name));
  const units = files.filter((file) => file.endsWith('.cc'));
  return make(join(OUTPUT, 'library'), files, ['-std=c++20', '-O2', ...units, '-ldl', '-pthread']);
}

/** Debian has libxsmm as an archive of position-independent code: a shared library is made of it. */
export function sharedFromArchives(archives) {
  const target = join(OUTPUT, 'libxsmm.so');
  const whole = ['-Wl,--whole-archive', ...archives, '-Wl,--no-whole-archive'];
  return make(target, archives, ['-shared', ...whole, '-ldl', '-lpthread', '-lm']);
}
