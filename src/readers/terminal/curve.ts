/** A curve as columns of blocks: x is logarithmic and evenly sampled, y is logarithmic. */
import { formatBytes, significant } from '../../quantities/format.js';
import type { Point } from '../../statistics/plateaus.js';
import type { Style } from './style.js';

const BLOCKS = ' ▁▂▃▄▅▆▇█';
const LEVELS = 8;
const GIGA = 1e9;
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

/** @param points by x, at least two; bytes over bytes per second */
export function drawCurve(
  points: readonly Point[],
  room: number,
  rows: number,
  style: Style,
): readonly string[] {
  const width = Math.max(20, Math.min(72, room - LABEL - 4));
  const [low, high] = [points[0]?.[0] ?? 1, points.at(-1)?.[0] ?? 1];
  const rates = points.map(([, y]) => y);
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const span = Math.log(most / least) || 1;
  const heights = Array.from({ length: width }, (_, column) => {
    const y = valueAt(points, low * (high / low) ** (column / (width - 1)));
    const share = FLOOR / rows + (1 - FLOOR / rows) * (Math.log(y / least) / span);
    return Math.round(share * rows * LEVELS);
  });
  const lines = Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * LEVELS;
    const cells = heights.map((height) => BLOCKS[Math.min(LEVELS, Math.max(0, height - below))]).join('');
    const label =
      row === 0 ? significant(most / GIGA, 3) : row === rows - 1 ? significant(least / GIGA, 3) : '';
    return `  ${style.dim(label.padStart(LABEL))} ${cells.trimEnd()}`;
  });
  const [first, last] = [formatBytes(low), formatBytes(high)];
  const title = 'read, GB/s';
  const gap = Math.max(1, width - first.length - last.length - title.length) / 2;
  const axis = `${first}${' '.repeat(Math.floor(gap))}${title}${' '.repeat(Math.ceil(gap))}${last}`;
  return [...lines, `  ${' '.repeat(LABEL)} ${style.dim(axis)}`];
}
