/** A node's violins among those that it is held against: told apart by colour, with its median and its slow end marked. Pure. */
import type { Mark } from 'vega';
import { brief } from './parts.js';
import type { Theme } from './theme.js';
import { MIDDLE, type ViolinColours, violinRows } from './violin-rows.js';

const MEDIAN = 'median';
const SLOW = '5 % are slower';

/** A value of the data `marks`. */
interface MarkedValue {
  readonly name: string;
  readonly v: number;
  readonly what: typeof MEDIAN | typeof SLOW;
}

/** @param slow what 5 % of the repetitions are slower than, on the axis; null: not known */
export const markedValues = (name: string, median: number, slow: number | null): readonly MarkedValue[] => [
  { name, v: brief(median), what: MEDIAN },
  ...(slow === null ? [] : ([{ name, v: brief(slow), what: SLOW }] as const)),
];

/** For the data `shape`, whose values say `ofNode`. */
export function nodeViolins({ main, soft, other }: Theme): Mark {
  const colours: ViolinColours = {
    fill: [{ test: 'datum.ofNode', value: other }, { value: soft }],
    fillOpacity: { value: 0.7 },
    stroke: [{ test: 'datum.ofNode', value: other }, { value: main }],
  };
  return violinRows(['name', 'ofNode'], colours);
}

interface MarkSizes {
  /** Square pixels. */
  readonly median: number;
  readonly triangle: number;
}

/** For the data `marks`: bars at medians, and triangles at slow ends that point to where repetitions are faster. */
export const quantileMarks = ({ ink }: Theme, faster: 'left' | 'right', sizes: MarkSizes): Mark => ({
  type: 'symbol',
  name: 'quantile',
  from: { data: 'marks' },
  clip: true,
  encode: {
    update: {
      x: { scale: 'x', field: 'v' },
      y: MIDDLE,
      shape: { signal: `datum.what === '${MEDIAN}' ? 'stroke' : 'triangle-${faster}'` },
      angle: { signal: `datum.what === '${MEDIAN}' ? 90 : 0` },
      size: { signal: `datum.what === '${MEDIAN}' ? ${sizes.median} : ${sizes.triangle}` },
      fill: { value: ink },
      stroke: { value: ink },
      strokeWidth: { value: 2 },
      tooltip: { signal: `{"": datum.name, "is": datum.what, "at": datum.v}` },
    },
  },
});
