/** The distribution of one batch: its density with modes, quartiles, and the median of each launch. */
import type { Spec } from 'vega';
import { formatSeconds, plural } from '../../quantities/format.js';
import type { BatchModel } from '../model.js';
import { noScoreOf } from '../no-score.js';
import type { BatchFigure } from './figure.js';
import { brief, domainOf, frame, numberAxis, numberScale, unitFor } from './parts.js';
import type { Theme } from './theme.js';
import { densityOn } from './violin-rows.js';

const HEIGHT = 190;
/** Below the density stand the box and the launches. */
const FOOT = 44;

interface Shown {
  readonly violin: NonNullable<BatchModel['violin']>;
  readonly box: NonNullable<BatchModel['box']>;
  readonly medians: readonly number[];
}

function specOf({ violin, box, medians }: Shown, theme: Theme): Spec {
  const { grid, modes } = violin;
  const unit = unitFor([box.median], 's');
  const to = (value: number): number => brief(value / unit.factor);
  const axis = domainOf([...grid, ...medians, box.whiskerLow, box.whiskerHigh].map(to));
  const density = densityOn(axis.type, violin);
  const most = Math.max(...density);
  const at = { scale: 'x', field: 'v' };
  return frame(theme, HEIGHT, {
    data: [
      {
        name: 'grid',
        values: grid.map((value, i) => ({ v: to(value), d: brief((density[i] ?? 0) / most) })),
      },
      { name: 'modes', values: modes.map((value) => ({ v: to(value), tip: formatSeconds(value) })) },
      { name: 'medians', values: medians.map((value) => ({ v: to(value) })) },
      {
        name: 'quartiles',
        values: [
          {
            q1: to(box.lowerHinge),
            v: to(box.median),
            q3: to(box.upperHinge),
            low: to(box.whiskerLow),
            high: to(box.whiskerHigh),
          },
        ],
      },
    ],
    scales: [
      numberScale('x', axis, 'width'),
      numberScale('y', { type: 'linear', domain: [0, 1.05] }, [HEIGHT - FOOT, 0]),
    ],
    axes: [numberAxis('x', 'bottom', `elapsed, ${unit.name}`, axis)],
    marks: [
      {
        type: 'area',
        name: 'density',
        from: { data: 'grid' },
        encode: {
          update: {
            x: at,
            y: { scale: 'y', field: 'd' },
            y2: { scale: 'y', value: 0 },
            fill: { value: theme.soft },
            stroke: { value: theme.main },
          },
        },
      },
      {
        type: 'rule',
        name: 'mode',
        from: { data: 'modes' },
        encode: {
          update: {
            x: at,
            y: { value: 0 },
            y2: { value: HEIGHT - FOOT },
            stroke: { value: theme.main },
            strokeDash: { value: [2, 3] },
            tooltip: { signal: '{"mode": datum.tip}' },
          },
        },
      },
      {
        type: 'rule',
        name: 'whisker',
        from: { data: 'quartiles' },
        clip: true,
        encode: {
          update: {
            x: { scale: 'x', field: 'low' },
            x2: { scale: 'x', field: 'high' },
            y: { value: HEIGHT - FOOT + 14 },
            stroke: { value: theme.ink },
          },
        },
      },
      {
        type: 'rect',
        name: 'box',
        from: { data: 'quartiles' },
        clip: true,
        encode: {
          update: {
            x: { scale: 'x', field: 'q1' },
            x2: { scale: 'x', field: 'q3' },
            yc: { value: HEIGHT - FOOT + 14 },
            height: { value: 12 },
            fill: { value: theme.surface },
            stroke: { value: theme.ink },
          },
        },
      },
      {
        type: 'rect',
        name: 'median',
        from: { data: 'quartiles' },
        encode: {
          update: {
            xc: at,
            width: { value: 3 },
            yc: { value: HEIGHT - FOOT + 14 },
            height: { value: 18 },
            fill: { value: theme.other },
          },
        },
      },
      {
        type: 'symbol',
        name: 'launch',
        from: { data: 'medians' },
        encode: {
          update: {
            x: at,
            y: { value: HEIGHT - 9 },
            shape: { value: 'triangle-up' },
            size: { value: 36 },
            fill: { value: theme.ink },
            fillOpacity: { value: 0.5 },
          },
        },
      },
    ],
  });
}

export const distribution: BatchFigure = {
  scope: 'batch',
  name: 'distribution',
  draw(batch) {
    const { violin, box, between, shapeOf } = batch;
    const title = 'Distribution';
    if (box !== null && violin === null)
      return { title, why: 'the values were not published, only a table of them' };
    if (violin === null || box === null || between === null)
      return {
        title,
        why: noScoreOf(batch) === 'no score' ? 'the batch has no score' : 'the batch was not measured',
      };
    if (violin.grid.length < 2) return { title, why: `all ${shapeOf} took the same time` };
    const { modes, n, beyond, bandwidth, bandwidthRule, scale } = violin;
    const width = scale === 'log' ? `${bandwidth.toPrecision(2)} in logarithms` : formatSeconds(bandwidth, 2);
    const where = modes.map((value) => formatSeconds(value)).join(', ');
    const many = shapeOf === 'launches' ? plural(n, 'launch', 'launches') : plural(n, 'repetition');
    const what = shapeOf === 'launches' ? 'published values of the launches' : 'repetitions of all launches';
    return {
      title,
      caption: `Where the ${what} lie; dotted lines are modes. Below: the box (median, hinges, whiskers to 1.5 box lengths) and, as triangles, the median of each launch. ${many}, kernel density with a bandwidth of ${width} (${bandwidthRule}); ${beyond.below} faster and ${beyond.above} slower ones lie beyond the picture.`,
      alternative: `${many} with ${plural(modes.length, 'mode')} at ${where}; median ${formatSeconds(box.median)}, hinges ${formatSeconds(box.lowerHinge)} and ${formatSeconds(box.upperHinge)}.`,
      spec: (theme) => specOf({ violin, box, medians: between.medians ?? [] }, theme),
      data: {
        columns: ['seconds', 'density', 'scale'],
        rows: violin.grid.map((value, i) => [brief(value), brief(violin.density[i] ?? 0), scale]),
      },
    };
  },
};
