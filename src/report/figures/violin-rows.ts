/** Violins in rows, each around the middle of its band: their values, their marks, and the plot around them. Pure. */
import type { ColorValueRef, Data, Mark, NumericValueRef, ProductionRule, Spec } from 'vega';
import type { Violin } from '../../statistics/violin.js';
import { type AxisChoice, brief, frame, nameAxis, nameScale, numberAxis, numberScale } from './parts.js';
import type { Theme } from './theme.js';

/** One point of the edge of a violin. */
export interface EdgeValue {
  /** Of its row. */
  readonly name: string;
  /** On the axis. */
  readonly v: number;
  /** How far the edge is from the middle, as a share of the most. */
  readonly d: number;
}

/** @param density at each point of the grid; the largest reaches the edges of the band */
export function edgeOf(
  name: string,
  grid: readonly number[],
  density: readonly number[],
  drawn: (value: number) => number,
): readonly EdgeValue[] {
  const most = Math.max(...density);
  return grid.map((value, i) => ({
    name,
    v: brief(drawn(value)),
    d: Number(((density[i] ?? 0) / most).toFixed(3)),
  }));
}

/** A density counts for each unit of its own scale; on an axis of the other scale it is higher or lower. */
export function densityOn(axis: 'linear' | 'log', { scale, grid, density }: Violin): readonly number[] {
  const factor = (value: number): number => (scale === axis ? 1 : axis === 'log' ? value : 1 / value);
  return density.map((value, i) => value * factor(grid[i] ?? 1));
}

export interface ViolinColours {
  readonly fill: ProductionRule<ColorValueRef>;
  readonly stroke: ProductionRule<ColorValueRef>;
  readonly fillOpacity?: ProductionRule<NumericValueRef>;
}

/**
 * For a spec with the data `shape` (of `edgeOf`) and the scales of `rowsFrame`.
 * @param groupby what tells one violin from another, `name` among it
 */
export const violinRows = (groupby: string[], colours: ViolinColours): Mark => ({
  type: 'group',
  name: 'row',
  from: { facet: { name: 'one', data: 'shape', groupby } },
  encode: {
    update: {
      y: { scale: 'y', field: 'name' },
      height: { scale: 'y', band: 1 },
      width: { signal: 'width' },
      clip: { value: true },
    },
  },
  marks: [
    {
      type: 'area',
      name: 'violin',
      from: { data: 'one' },
      encode: {
        update: {
          x: { scale: 'x', field: 'v' },
          y: { signal: `bandwidth('y') / 2 * (1 - datum.d)` },
          y2: { signal: `bandwidth('y') / 2 * (1 + datum.d)` },
          strokeWidth: { value: 1 },
          ...colours,
        },
      },
    },
  ],
});

interface RowsPlot {
  /** Of the rows, from above. */
  readonly names: readonly string[];
  /** Height of one, in pixels. */
  readonly row: number;
  readonly axis: AxisChoice;
  readonly title: string;
  readonly data: Data[];
  readonly marks: Mark[];
}

/** A plot of rows: the scale `x` has numbers, `y` a band for each name. */
export const rowsFrame = (theme: Theme, { names, row, axis, title, data, marks }: RowsPlot): Spec =>
  frame(theme, names.length * row, {
    data,
    scales: [
      numberScale('x', axis, 'width'),
      { name: 'y', type: 'band', domain: [...names], range: 'height', padding: 0.12 },
      nameScale(names, names),
    ],
    axes: [numberAxis('x', 'bottom', title, axis), nameAxis('y')],
    marks,
  });

/** The middle of a row, for values with its `name`. */
export const MIDDLE = { scale: 'y', field: 'name', band: 0.5 } as const;
