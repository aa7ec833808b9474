/** What was read of a large file, kept for as long as the file is the same. */
import { statSync } from 'node:fs';

interface Known {
  readonly stamp: string;
  readonly value: unknown;
}
const known = new Map<string, Known>();

/** @param read of the path alone, always the same for one file; its errors are the caller's */
export function fileOnce<T>(path: string, read: (path: string) => T): T {
  const { size, mtimeMs, ino } = statSync(path);
  const stamp = [size, mtimeMs, ino, read.name].join('/');
  const before = known.get(path);
  if (before?.stamp === stamp) return before.value as T;
  const value = read(path);
  known.set(path, { stamp, value });
  return value;
}
