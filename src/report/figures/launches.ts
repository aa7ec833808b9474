/** The launches of one batch in their order: the median and the quartiles of each, and the headline across them. */
import type { Spec } from 'vega';
import { formatSeconds, plural } from '../../quantities/format.js';
import type { BatchModel, LaunchModel } from '../model.js';
import type { BatchFigure } from './figure.js';
import { acrossAt, brief, domainOf, frame, numberAxis, numberScale, unitFor } from './parts.js';
import type { Theme } from './theme.js';

const HEIGHT = 220;
const MOST_TICKS = 10;

interface Shown {
  readonly launch: LaunchModel;
  readonly statistics: NonNullable<LaunchModel['statistics']>;
}

function specOf(shown: readonly Shown[], elapsed: BatchModel['elapsed'], theme: Theme): Spec {
  const unit = unitFor(
    shown.map(({ statistics }) => statistics.median),
    's',
  );
  const values = shown.map(({ launch, statistics: { median, q1 = median, q3 = median } }, i) => ({
    order: i + 1,
    q1: brief(q1 / unit.factor),
    median: brief(median / unit.factor),
    q3: brief(q3 / unit.factor),
    status: launch.status,
    tip: `median ${formatSeconds(median)}${q1 === q3 ? '' : `, middle half ${formatSeconds(q1)} to ${formatSeconds(q3)}`}`,
    flags: launch.flags.join(', ') || 'none',
    name: `launch ${launch.number}`,
  }));
  const interval = elapsed?.interval ?? null;
  const ends = interval === null ? [] : [interval.low, interval.high].map((value) => value / unit.factor);
  const axis = domainOf([...values.flatMap(({ q1, q3, median }) => [q1, q3, median]), ...ends]);
  const x = { type: 'linear', domain: [0.5, shown.length + 0.5] } as const;
  const step = Math.ceil(shown.length / MOST_TICKS);
  const ticks = values.map(({ order }) => order).filter((order) => (order - 1) % step === 0);
  const labels = `${JSON.stringify(shown.map(({ launch }) => launch.number))}[datum.value - 1]`;
  return frame(theme, HEIGHT, {
    data: [
      { name: 'launches', values },
      { name: 'band', values: ends.length === 0 ? [] : [{ low: ends[0], high: ends[1] }] },
    ],
    scales: [numberScale('x', x, 'width'), numberScale('y', axis, 'height')],
    axes: [
      numberAxis('y', 'left', `elapsed, ${unit.name}`, axis),
      {
        scale: 'x',
        orient: 'bottom',
        title: 'number of the launch in the campaign',
        values: [...ticks],
        encode: { labels: { update: { text: { signal: labels } } } },
      },
    ],
    marks: [
      {
        type: 'rect',
        name: 'interval',
        from: { data: 'band' },
        encode: {
          update: {
            x: { value: 0 },
            x2: { signal: 'width' },
            y: { scale: 'y', field: 'low' },
            y2: { scale: 'y', field: 'high' },
            fill: { value: theme.other },
            fillOpacity: { value: 0.2 },
          },
        },
      },
      ...(elapsed === null ? [] : [acrossAt('estimate', elapsed.median / unit.factor, theme.other)]),
      {
        type: 'rule',
        name: 'quartiles',
        from: { data: 'launches' },
        encode: {
          update: {
            x: { scale: 'x', field: 'order' },
            y: { scale: 'y', field: 'q1' },
            y2: { scale: 'y', field: 'q3' },
            stroke: { value: theme.soft },
            strokeWidth: { signal: `clamp(width / ${shown.length} * 0.5, 1, 14)` },
          },
        },
      },
      {
        type: 'symbol',
        name: 'launch',
        from: { data: 'launches' },
        encode: {
          update: {
            x: { scale: 'x', field: 'order' },
            y: { scale: 'y', field: 'median' },
            size: { signal: `clamp(width / ${shown.length} * 5, 9, 56)` },
            fill: [{ test: 'datum.status !== "measured"', value: theme.alarm }, { value: theme.main }],
            tooltip: { signal: '{"": datum.name, "elapsed": datum.tip, "flags": datum.flags}' },
          },
        },
      },
    ],
  });
}

export const launches: BatchFigure = {
  scope: 'batch',
  name: 'launches',
  draw({ launches: all, elapsed, shapeOf }) {
    const title = 'Launches';
    const imported = shapeOf === 'launches';
    const shown = all.flatMap((launch): Shown[] =>
      launch.statistics === null ? [] : [{ launch, statistics: launch.statistics }],
    );
    if (shown.length === 0 && imported) {
      return { title, why: 'the values of the launches were not published, only a table of them' };
    }
    if (shown.length < 2) return { title, why: 'it compares launches, and fewer than two were measured' };
    const bars = imported
      ? 'A point is the one value of a launch that was published.'
      : 'A point is the median of one launch, the bar behind it the middle half of its repetitions.';
    const apart = imported
      ? ''
      : ' Points that scatter by more than the bars are long: what differs is the launch (memory layout, placement, clock, neighbours), and more repetitions would not average it.';
    const band = elapsed?.interval == null ? '' : ' The shaded band is its 95 % interval.';
    return {
      title,
      caption: `${bars} The dashed line is the batch’s estimate, the median of the points.${band}${apart} Neighbouring points that move together share the machine’s mood.`,
      alternative: `Medians of ${plural(shown.length, 'launch', 'launches')} from ${formatSeconds(Math.min(...shown.map(({ statistics }) => statistics.median)))} to ${formatSeconds(Math.max(...shown.map(({ statistics }) => statistics.median)))}.`,
      spec: (theme) => specOf(shown, elapsed, theme),
      data: {
        columns: ['launch', 'status', 'repetitions', 'q1_seconds', 'median_seconds', 'q3_seconds', 'flags'],
        rows: shown.map(({ launch, statistics: { n = null, q1 = null, median, q3 = null } }) => [
          launch.number,
          launch.status,
          n,
          q1,
          median,
          q3,
          launch.flags.join(' '),
        ]),
      },
    };
  },
};
