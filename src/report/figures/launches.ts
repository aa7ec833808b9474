/** The launches of one batch in their order: the median and the quartiles of each, and the headline across them. */
import type { Spec } from 'vega';
import { formatSeconds, plural } from '../../quantities/format.js';
import { countedOf, isCounted, launchText } from '../counted.js';
import type { BatchModel, LaunchModel } from '../model.js';
import type { BatchFigure } from './figure.js';
import { acrossAt, brief, domainOf, frame, numberAxis, numberScale, unitFor } from './parts.js';
import type { Theme } from './theme.js';

const HEIGHT = 220;
const MOST_TICKS = 10;
/** Of those that do not count. */
const MOST_NAMED = 8;

interface Shown extends LaunchModel {
  readonly statistics: NonNullable<LaunchModel['statistics']>;
}

function specOf(shown: readonly Shown[], elapsed: BatchModel['elapsed'], theme: Theme): Spec {
  const unit = unitFor(
    shown.map(({ statistics }) => statistics.median),
    's',
  );
  const values = shown.map((launch, i) => {
    const { median, q1 = median, q3 = median } = launch.statistics;
    return {
      order: i + 1,
      q1: brief(q1 / unit.factor),
      median: brief(median / unit.factor),
      q3: brief(q3 / unit.factor),
      counted: isCounted(launch),
      tip: `median ${formatSeconds(median)}${q1 === q3 ? '' : `, middle half ${formatSeconds(q1)} to ${formatSeconds(q3)}`}`,
      flags: launch.flags.join(', ') || 'none',
      name: launchText(launch),
    };
  });
  const interval = elapsed?.interval ?? null;
  const ends = interval === null ? [] : [interval.low, interval.high].map((value) => value / unit.factor);
  const axis = domainOf([...values.flatMap(({ q1, q3, median }) => [q1, q3, median]), ...ends]);
  const x = { type: 'linear', domain: [0.5, shown.length + 0.5] } as const;
  const step = Math.ceil(shown.length / MOST_TICKS);
  const ticks = values.map(({ order }) => order).filter((order) => (order - 1) % step === 0);
  const labels = `${JSON.stringify(shown.map(({ number }) => number))}[datum.value - 1]`;
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
            fill: [{ test: '!datum.counted', value: theme.alarm }, { value: theme.main }],
            tooltip: { signal: '{"": datum.name, "elapsed": datum.tip, "flags": datum.flags}' },
          },
        },
      },
    ],
  });
}

/** Nothing where all count. */
function uncountedText(shown: readonly Shown[]): string {
  const names = shown.flatMap((launch) =>
    isCounted(launch) ? [] : [`launch ${launch.number} (${launch.status})`],
  );
  const named = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return names.length === 0 ? '' : ` Not counted, and of another colour: ${named}${more}.`;
}

export const launches: BatchFigure = {
  scope: 'batch',
  name: 'launches',
  draw({ launches: all, elapsed, shapeOf }) {
    const title = 'Launches';
    const imported = shapeOf === 'launches';
    const shown = all.filter((launch): launch is Shown => launch.statistics !== null);
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
    const uncounted = uncountedText(shown);
    const estimate =
      elapsed === null
        ? ''
        : ` The dashed line is the batch’s estimate, the median of the points${uncounted === '' ? '' : ' that count'}.`;
    const medians = countedOf(shown).map(({ statistics }) => statistics.median);
    const band = elapsed?.interval == null ? '' : ' The shaded band is its 95 % interval.';
    return {
      title,
      caption: `${bars}${estimate}${band}${uncounted}${apart} Neighbouring points that move together share the machine’s mood.`,
      alternative: `Medians of ${plural(medians.length, 'launch', 'launches')} from ${formatSeconds(Math.min(...medians))} to ${formatSeconds(Math.max(...medians))}.${uncounted}`,
      spec: (theme) => specOf(shown, elapsed, theme),
      data: {
        columns: ['launch', 'status', 'repetitions', 'q1_seconds', 'median_seconds', 'q3_seconds', 'flags'],
        rows: shown.map(
          ({ number, status, flags, statistics: { n = null, q1 = null, median, q3 = null } }) => [
            number,
            status,
            n,
            q1,
            median,
            q3,
            flags.join(' '),
          ],
        ),
      },
    };
  },
};
