// What was built where pack.mjs ran, so that a machine that is lent for minutes has not to build it: used only where it is of
// the very sources that are here.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { install } from '../lib/compile-kept.mjs';
import { filesBelow } from '../lib/source-record.mjs';
import { packageRoot } from '../lib/tree.mjs';
import { hashOfContents } from './contents.mjs';

/** Where gpu-check.sh unpacks it. */
export const CARRIED = join(packageRoot, 'build', 'gpu-check', 'carried');
const SOURCES = [
  'native',
  'kernels',
  'binding.gyp',
  join('scripts', 'cuda-check'),
  join('scripts', 'gpu-check', 'events.cu'),
];

/** Of all that is compiled. */
export const hashOfNative = (root = packageRoot) => hashOfContents(root, filesBelow(root, SOURCES));

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
