/** Which libraries of some folders this process has loaded. The edge to files. */
import { readFileSync, realpathSync } from 'node:fs';

/** With all links followed, as the kernel names what it has mapped. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Shared libraries of this process that lie below one of the folders, as the kernel has them. */
export function loadedFrom(folders: readonly string[]): readonly string[] {
  if (folders.length === 0) return [];
  try {
    const real = folders.map(realOf);
    const mapped = readFileSync('/proc/self/maps', 'utf8').matchAll(/ (\/.*)$/gm);
    const files = new Set([...mapped].map(([, path = '']) => path));
    return [...files].filter((path) => real.some((folder) => path.startsWith(`${folder}/`))).sort();
  } catch {
    return [];
  }
}
