// What was built where pack.mjs ran, so that a machine that is lent for minutes has not to build it: used only where it is of
// the very sources that are here.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { install } from '../lib/compile-kept.mjs';
import { packageRoot } from '../lib/tree.mjs';

/** Where gpu-check.sh unpacks it. */
export const CARRIED = join(packageRoot, 'build', 'gpu-check', 'carried');
const SOURCES = [
  'native',
  'kernels',
  'binding.gyp',
  join('scripts', 'cuda-check'),
  join('scripts', 'gpu-check', 'events.cu'),
];

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

/** Of all that is compiled, by content: what a copy makes of the times of files does not count. */
export function hashOfNative(root = packageRoot) {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of filesOf(join(root, source))) {
      hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

/**
 * Brings the files of the folder carried to their places, where they are of these sources. `places`: by name. False: they
 * are not, or not all there.
 * @param {Readonly<Record<string, string>>} places
 */
export function takeCarried(places, folder = CARRIED, hash = hashOfNative()) {
  const stamp = join(folder, 'hash');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8').trim() !== hash) return false;
  if (Object.keys(places).some((name) => !existsSync(join(folder, name)))) return false;
  for (const [name, place] of Object.entries(places)) install(join(folder, name), place);
  return true;
}
