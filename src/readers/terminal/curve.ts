/** A curve as columns of blocks: x is logarithmic and evenly sampled, y is logarithmic. */
import { formatBytes, significant } from '../../quantities/format.js';
import type { Point } from '../../statistics/plateaus.js';
import type { Style } from './style.js';

const BLOCKS = ' ▁▂▃▄▅▆▇█';
const LEVELS = 8;
/** Of lines of text. */
const ROWS = 6;
/** A curve of fewer points shows nothing that a table does not. */
export const LEAST_CURVE = 6;
const LABEL = 5;
/** Room for the lowest point, in rows: a column of height nought would look like no measurement. */
const FLOOR = 0.25;

/** y at x, between the points linear in the logarithms. */
function valueAt(points: readonly Point[], x: number): number {
  const right = points.findIndex(([at]) => at >= x);
  const [x1, y1] = points[right] ?? points.at(-1) ?? [1, 1];
  const [x0, y0] = points[right - 1] ?? [x1, y1];
  if (x1 === x0) return y1;
  const share = Math.log(x / x0) / Math.log(x1 / x0);
  return y0 * (y1 / y0) ** share;
}

/** How y is written, and what stands below the curve. */
interface Drawn {
  readonly divisor: number;
  readonly title: string;
}

/** @param points by x, in bytes, at least two */
export function drawCurve(
  points: readonly Point[],
  { divisor, title }: Drawn,
  style: Style,
): readonly string[] {
  const width = Math.max(20, Math.min(72, style.width - LABEL - 4));
  const [low, high] = [points[0]?.[0] ?? 1, points.at(-1)?.[0] ?? 1];
  const values = points.map(([, y]) => y);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = Math.log(most / least) || 1;
  const heights = Array.from({ length: width }, (_, column) => {
    const y = valueAt(points, low * (high / low) ** (column / (width - 1)));
    const share = FLOOR / ROWS + (1 - FLOOR / ROWS) * (Math.log(y / least) / span);
    return Math.round(share * ROWS * LEVELS);
  });
  const lines = Array.from({ length: ROWS }, (_, row) => {
    const below = (ROWS - 1 - row) * LEVELS;
    const cells = heights.map((height) => BLOCKS[Math.min(LEVELS, Math.max(0, height - below))]).join('');
    const label =
      row === 0 ? significant(most / divisor, 3) : row === ROWS - 1 ? significant(least / divisor, 3) : '';
    return `  ${style.dim(label.padStart(LABEL))} ${cells.trimEnd()}`;
  });
  const [first, last] = [formatBytes(low), formatBytes(high)];
  const gap = Math.max(1, width - first.length - last.length - title.length) / 2;
  const axis = `${first}${' '.repeat(Math.floor(gap))}${title}${' '.repeat(Math.ceil(gap))}${last}`;
  return [...lines, `  ${' '.repeat(LABEL)} ${style.dim(axis)}`];
}
