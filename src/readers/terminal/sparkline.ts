/** A series as a row of blocks, one a value or one for the median of a few where there is no room for all. */
import { median } from '../../statistics/quantile.js';

const BLOCKS = '▁▂▃▄▅▆▇█';

/** @param width in characters, at least 1; from the smallest value (▁) to the largest (█) */
export function sparkline(values: readonly number[], width: number): string {
  const columns = Math.min(width, values.length);
  const shown = Array.from({ length: columns }, (_, i) =>
    median(
      values.slice(
        Math.floor((i * values.length) / columns),
        Math.floor(((i + 1) * values.length) / columns),
      ),
    ),
  );
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  return shown
    .map((value) => BLOCKS[most > least ? Math.round(((value - least) / (most - least)) * 7) : 3])
    .join('');
}
