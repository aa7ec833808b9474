/** A violin drawn in braille dots: the density mirrored about a horizontal axis, so that modes and tails can be seen. */

/** Braille cells are 2 dots wide and 4 high; bits of the dot in column x, row y. */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;
const BLANK = 0x2800;

/** The density at `x`, interpolated on its grid; 0 outside. */
function densityAt(grid: readonly number[], density: readonly number[], x: number): number {
  const above = grid.findIndex((point) => point >= x);
  if (above === -1) return 0;
  if (above === 0) return grid[0] === x ? (density[0] ?? 0) : 0;
  const [x0, x1] = [grid[above - 1] ?? 0, grid[above] ?? 0];
  const [y0, y1] = [density[above - 1] ?? 0, density[above] ?? 0];
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
}

/**
 * @param grid increasing, on a linear scale
 * @param width in characters; `rows` in lines
 * @returns `rows` lines of `width` characters; the thickest place fills them
 */
export function drawViolin(
  grid: readonly number[],
  density: readonly number[],
  width: number,
  rows: number,
): readonly string[] {
  const columns = width * 2;
  const half = rows * 2;
  const [low, high] = [grid[0] ?? 0, grid.at(-1) ?? 1];
  const thickness = Array.from({ length: columns }, (_, i) =>
    densityAt(grid, density, low + ((high - low) * (i + 0.5)) / columns),
  );
  const most = Math.max(...thickness, Number.MIN_VALUE);
  const cells = Array.from({ length: rows }, () => new Uint8Array(width));
  thickness.forEach((value, x) => {
    // A place with any density keeps a dot, so that a thin tail does not vanish.
    const reach = value > 0 ? Math.max(1, Math.round((value / most) * half)) : 0;
    for (let y = half - reach; y < half + reach; y++) {
      const row = cells[y >> 2];
      if (row !== undefined)
        row[x >> 1] = (row[x >> 1] ?? 0) | (DOTS[(x & 1) as 0 | 1][(y & 3) as 0 | 1 | 2 | 3] ?? 0);
    }
  });
  return cells.map((row) => Array.from(row, (bits) => String.fromCodePoint(BLANK + bits)).join(''));
}

/**
 * The box under a violin: quartiles and median on the same axis, `├───┃──┤`.
 * Values outside the axis are drawn at its ends.
 */
export function drawBox(
  low: number,
  high: number,
  box: { q1: number; median: number; q3: number },
  width: number,
): string {
  const column = (x: number): number =>
    high > low ? Math.min(width - 1, Math.max(0, Math.round(((x - low) / (high - low)) * (width - 1)))) : 0;
  const cells: string[] = Array.from({ length: width }, () => ' ');
  const [q1, median, q3] = [column(box.q1), column(box.median), column(box.q3)];
  for (let i = q1; i <= q3; i++) cells[i] = '─';
  cells[q1] = '├';
  cells[q3] = '┤';
  cells[median] = '┃';
  return cells.join('').trimEnd();
}
