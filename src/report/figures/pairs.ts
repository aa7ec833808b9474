/** Two values on a row for each batch, joined by a line: shared by the figures that hold one quantity against another. */
import type { Mark, Spec } from 'vega';
import type { Cell } from './figure.js';
import { brief, domainOf, frame, nameAxis, nameScale, numberAxis, numberScale, type Unit } from './parts.js';
import type { Theme } from './theme.js';

export interface Pair {
  /** Of its row. */
  readonly name: string;
  /** The same for a program. */
  readonly batch: string;
  /** In base units; drawn in the two colours. */
  readonly main: number;
  readonly other: number;
  /** What is said of them when they are pointed at, and beside them. */
  readonly text: string;
}

export interface Pairs {
  readonly pairs: readonly Pair[];
  readonly names: readonly [main: string, other: string];
  readonly unit: Unit;
  readonly title: string;
  readonly fromZero: boolean;
}

const ROW = 30;
export const MOST_PAIRS = 40;

const dots = (field: 'main' | 'other', name: string, shape: string): Mark => ({
  type: 'symbol',
  name: field,
  from: { data: 'pairs' },
  encode: {
    update: {
      x: { scale: 'x', field },
      y: { scale: 'y', field: 'name', band: 0.5 },
      shape: { value: shape },
      size: { value: 74 },
      fill: { scale: 'colour', value: name },
      tooltip: { signal: '{"": datum.name, "figures": datum.text}' },
    },
  },
});

export function pairsSpec({ pairs, names, unit, title, fromZero }: Pairs, theme: Theme): Spec {
  const values = pairs.map(({ name, main, other, text }) => ({
    name,
    main: brief(main / unit.factor),
    other: brief(other / unit.factor),
    text,
  }));
  const rows = values.map(({ name }) => name);
  const axis = domainOf(
    values.flatMap(({ main, other }) => [main, other]),
    fromZero,
  );
  return frame(theme, pairs.length * ROW, {
    data: [{ name: 'pairs', values }],
    scales: [
      numberScale('x', axis, 'width'),
      { name: 'y', type: 'band', domain: rows, range: 'height' },
      nameScale(rows, rows),
      { name: 'colour', type: 'ordinal', domain: [...names], range: [theme.main, theme.other] },
      { name: 'shape', type: 'ordinal', domain: [...names], range: ['circle', 'diamond'] },
    ],
    axes: [numberAxis('x', 'bottom', title, axis), nameAxis('y')],
    legends: [{ fill: 'colour', shape: 'shape', columns: { signal: 'max(1, floor(width / 190))' } }],
    marks: [
      {
        type: 'rule',
        name: 'join',
        from: { data: 'pairs' },
        encode: {
          update: {
            x: { scale: 'x', field: 'main' },
            x2: { scale: 'x', field: 'other' },
            y: { scale: 'y', field: 'name', band: 0.5 },
            stroke: { value: theme.soft },
            strokeWidth: { value: 5 },
          },
        },
      },
      dots('other', names[1], 'diamond'),
      dots('main', names[0], 'circle'),
    ],
  });
}

export const pairRows = (pairs: readonly Pair[]): readonly (readonly Cell[])[] =>
  pairs.map(({ batch, main, other }) => [batch, main, other]);

export const cutText = (count: number): string =>
  count > MOST_PAIRS ? ` The first ${MOST_PAIRS} of ${count} batches are drawn; the data has all.` : '';
