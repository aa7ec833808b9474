/** A KPI of which another tool published one value and nothing of how it came about. Pure. */
import type { NodeKpi } from '../fleet/node-line.js';

type Said = Pick<NodeKpi, 'key' | 'on' | 'unit' | 'better' | 'median'>;

export const kpiOfOneValue = (said: Said): NodeKpi => ({
  ...said,
  n: 1,
  launches: 1,
  p05: null,
  sustained: null,
  cv: null,
  drift: null,
  shape: null,
  peak: null,
  hertz: null,
  seconds: null,
  flags: [],
});
