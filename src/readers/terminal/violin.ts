/** A violin drawn in braille dots: the density mirrored about a horizontal axis, so that modes and tails can be seen. */

/** Braille cells are 2 dots wide and 4 high; bits of the dot in column x, row y. */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;
const BLANK = 0x2800;
/** Of the thickest place; below it a tail is not drawn. */
const LEAST = 1e-4;

/**
 * @param density at places that are equally far apart on the axis, whatever its scale
 * @param width in characters; `rows` in lines
 * @returns `rows` lines of `width` characters; the thickest place fills them
 */
export function drawViolin(density: readonly number[], width: number, rows: number): readonly string[] {
  const columns = width * 2;
  const half = rows * 2;
  // The thickest place that falls into a column stands for it, so that a narrow mode is not missed between two columns.
  const thickness = Array.from({ length: columns }, (_, column) => {
    const first = Math.floor((column * density.length) / columns);
    const last = Math.max(first + 1, Math.ceil(((column + 1) * density.length) / columns));
    return Math.max(...density.slice(first, last));
  });
  const most = Math.max(...thickness, Number.MIN_VALUE);
  const cells = Array.from({ length: rows }, () => new Uint8Array(width));
  thickness.forEach((value, x) => {
    // A place with any density to speak of keeps a dot, so that a thin tail does not vanish.
    const reach = value > most * LEAST ? Math.max(1, Math.round((value / most) * half)) : 0;
    for (let y = half - reach; y < half + reach; y++) {
      const row = cells[y >> 2];
      const dot = DOTS[(x & 1) as 0 | 1][(y & 3) as 0 | 1 | 2 | 3];
      if (row !== undefined) row[x >> 1] = (row[x >> 1] ?? 0) | dot;
    }
  });
  return cells.map((row) => Array.from(row, (bits) => String.fromCodePoint(BLANK + bits)).join(''));
}

export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly scale: 'linear' | 'log';
}

/** Where a value stands on the axis, 0 to 1; values beyond stand at its ends. */
function placeOn({ low, high, scale }: Axis, x: number): number {
  const transform = scale === 'log' ? Math.log : (value: number): number => value;
  const place = (transform(x) - transform(low)) / (transform(high) - transform(low));
  return Number.isFinite(place) ? Math.min(1, Math.max(0, place)) : 0;
}

/** The box under a violin: quartiles and median on the same axis, `├───┃──┤`. */
export function drawBox(axis: Axis, box: { q1: number; median: number; q3: number }, width: number): string {
  const column = (x: number): number => Math.round(placeOn(axis, x) * (width - 1));
  const cells: string[] = Array.from({ length: width }, () => ' ');
  const [q1, median, q3] = [column(box.q1), column(box.median), column(box.q3)];
  for (let i = q1; i <= q3; i++) cells[i] = '─';
  cells[q1] = '├';
  cells[q3] = '┤';
  cells[median] = '┃';
  return cells.join('').trimEnd();
}
