/** Reading the kernel's text files: the reader that is passed in, and the few shapes that their values have. */

/** The text of a file, or null when it is absent or may not be read. It never throws. */
export type FileReader = (path: string) => string | null;

/** Names of what is in a folder, in any order; none when it is absent or may not be read. It never throws. */
export type FolderLister = (path: string) => readonly string[];

/** A non-negative whole number that fills the text; null for anything else. */
export function wholeNumber(text: string | null | undefined): number | null {
  const trimmed = text?.trim();
  if (trimmed === undefined || !/^\d{1,20}$/.test(trimmed)) return null;
  return Number(trimmed);
}

/** A number, possibly negative or with decimals, that fills the text; null for anything else. */
export function decimalNumber(text: string | null | undefined): number | null {
  const trimmed = text?.trim();
  if (trimmed === undefined || !/^-?\d{1,20}(\.\d{1,20})?$/.test(trimmed)) return null;
  // -0 becomes 0, which JSON can write.
  return Number(trimmed) + 0;
}

/** The file's text without the white space around it; null when it is absent or empty. */
export function readTrimmed(reader: FileReader, path: string): string | null {
  const text = reader(path)?.replaceAll('\0', ' ').trim();
  return text === undefined || text === '' ? null : text;
}

export function readWholeNumber(reader: FileReader, path: string): number | null {
  return wholeNumber(reader(path));
}

/** Lines `key value` or `key: value` whose value is a whole number, as in cpu.stat, memory.stat and meminfo (its unit is dropped). */
export function keyedNumbers(text: string): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([^\s:]+):?\s+(\d{1,20})(?:\s+\w+)?\s*$/.exec(line);
    if (match?.[1] !== undefined) numbers.set(match[1], Number(match[2]));
  }
  return numbers;
}

/** The distinct values, in the order in which they first came. */
export function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
