// Compiles what the candidates run in: candidate/*.cc with the addon's code, and libxsmm where it is there as an archive
// only. Our kernels come from the sources as they are now, so no stale build of the addon can be measured.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildProgram, HOST } from '../lib/native-programs.mjs';
import { packageRoot } from '../lib/tree.mjs';
import { filesBelow } from '../native-sources.mjs';

const SOURCES = join('scripts', 'bench-gemm', 'candidate');
// Not below build/, which every build of the addon empties.
const XSMM = join(packageRoot, 'node_modules', '.cache', 'bench-gemm', 'libxsmm.so');

/** Returns the program that measures a candidate. */
export async function buildCandidate() {
  return join(packageRoot, await buildProgram(HOST, 'bench-gemm', filesBelow(SOURCES, ['.cc'])));
}

/** Debian has libxsmm as archives of position-independent code: a shared library is made of them. */
export function sharedFromArchives(archives) {
  const modified = (path) => statSync(path).mtimeMs;
  if (existsSync(XSMM) && archives.every((archive) => modified(archive) < modified(XSMM))) return XSMM;
  mkdirSync(dirname(XSMM), { recursive: true });
  const whole = ['-Wl,--whole-archive', ...archives, '-Wl,--no-whole-archive'];
  const { status, stderr } = spawnSync('g++', ['-shared', ...whole, '-ldl', '-lpthread', '-lm', '-o', XSMM], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`g++ makes no shared library of libxsmm: ${stderr}`);
  return XSMM;
}
