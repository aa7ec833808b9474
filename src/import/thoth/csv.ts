/** Comma-separated tables without quotes, which is all that the published ones have. Pure. */

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** @returns null where a row has another number of cells than the header: cut off, or no such table */
export function parseTable(text: string): Table | null {
  const [header = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(',').map((cell) => cell.trim()));
  return header.length > 1 && rows.length > 0 && rows.every((row) => row.length === header.length)
    ? { header, rows }
    : null;
}
