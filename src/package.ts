/** What this installation of pi-bench is: where it stands, its version and the commit it was built from. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest folder upwards with a package.json: bundled, what is written here lies deeper than its source. */
const packageOf = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : packageOf(dirname(folder));

export const packageRoot = packageOf(dirname(fileURLToPath(import.meta.url)));

/**
 * The folder of the kernels for GPUs: those that were compiled here, where there is nvcc, or those that a package came with. In a
 * clone, which has the sources, what packing left may be of other ones.
 */
export function gpuKernelsOf(root: string): string {
  const [here, packed] = [join(root, 'build', 'plugins', 'cuda'), join(root, 'dist', 'cuda')];
  const isClone = existsSync(join(root, 'tsconfig.json'));
  return existsSync(here) || isClone || !existsSync(packed) ? here : packed;
}

/** What a person types to build what needs nvcc or Gloo’s headers, in a clone as in an installed package. */
export const BUILD_PLUGINS = `node ${join(packageRoot, 'scripts', 'build-plugins.mjs')}`;

export type PiBenchIdentity = {
  readonly version: string;
  /** null where neither git nor the package says. */
  readonly commit: string | null;
};

/** For people: a commit's first letters, and what says that the sources were changed since, whole. */
export function shortCommit(commit: string): string {
  const [hash = '', ...changes] = commit.split('+');
  return [hash.slice(0, 12), ...changes].join('+');
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** The commit that a clone stands at, which is older or newer than what was built in it, read from git's own files so that no process has to start. */
function commitOfClone(): string | null {
  const head = readOrNull(join(packageRoot, '.git', 'HEAD'));
  if (head === null || !head.startsWith('ref: ')) return head;
  const ref = head.slice('ref: '.length);
  const loose = readOrNull(join(packageRoot, '.git', ref));
  if (loose !== null) return loose;
  const packed = readOrNull(join(packageRoot, '.git', 'packed-refs')) ?? '';
  return (
    packed
      .split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.slice(0, 40) ?? null
  );
}

export function identity(): PiBenchIdentity {
  const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  // A clone that stands at another commit since it was built has not become another program.
  const commit = readOrNull(join(packageRoot, 'dist', 'commit')) ?? commitOfClone();
  return { version: manifest.version, commit };
}
