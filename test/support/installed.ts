/** pi-bench as it is installed, with so much of the addon as a test says, and without what more would be built of. */
import { copyFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pi-bench.js';

/**
 * @param addons the files of build/Release, each with what it is a copy of
 * @returns its launcher
 */
export function installed(folder: string, addons: Readonly<Record<string, string>>): string {
  for (const path of ['bin', 'scripts', 'dist', 'package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const built = join(folder, 'build', 'Release');
  mkdirSync(built, { recursive: true });
  for (const [name, file] of Object.entries(addons)) copyFileSync(file, join(built, name));
  return join(folder, 'bin', 'pi-bench.mjs');
}
