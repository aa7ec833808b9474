/** How much a repetition of one launch depends on those before it: the autocorrelation over the lag. */
import type { Spec } from 'vega';
import { grouped, plural, significant } from '../../quantities/format.js';
import { launchText } from '../counted.js';
import type { Correlation } from '../details.js';
import type { BatchFigure } from './figure.js';
import { brief, frame, NOT_PUBLISHED, numberAxis, numberScale } from './parts.js';
import type { Theme } from './theme.js';

const HEIGHT = 170;
const Z_95 = 1.959963984540054;

/** What an independent series of this length stays within at 95 of 100 lags. */
const chanceOf = ({ lookedAt }: Correlation): number => Z_95 / Math.sqrt(lookedAt);

/** `the first 100,000 of 400,000 repetitions`. */
function seriesText({ repetitions, lookedAt }: Correlation): string {
  const all = plural(repetitions, 'repetition');
  return lookedAt === repetitions ? all : `the first ${grouped(lookedAt)} of ${all}`;
}

function specOf(correlation: Correlation, theme: Theme): Spec {
  const { values } = correlation;
  const chance = chanceOf(correlation);
  const most = Math.max(chance, ...values);
  const least = Math.min(-chance, ...values);
  const y = { type: 'linear', domain: [Math.max(-1, least * 1.15), Math.min(1, most * 1.15)] } as const;
  return frame(theme, HEIGHT, {
    data: [{ name: 'lags', values: values.map((r, i) => ({ lag: i + 1, r: brief(r) })) }],
    scales: [
      numberScale('x', { type: 'linear', domain: [0.4, values.length + 0.6] }, 'width'),
      numberScale('y', y, 'height'),
    ],
    axes: [
      numberAxis('y', 'left', 'autocorrelation', y),
      { scale: 'x', orient: 'bottom', title: 'lag, repetitions', format: 'd', tickMinStep: 1 },
    ],
    marks: [
      {
        type: 'rect',
        name: 'chance',
        encode: {
          update: {
            x: { value: 0 },
            x2: { signal: 'width' },
            y: { scale: 'y', value: chance },
            y2: { scale: 'y', value: -chance },
            fill: { value: theme.other },
            fillOpacity: { value: 0.2 },
          },
        },
      },
      {
        type: 'rule',
        name: 'lag',
        from: { data: 'lags' },
        encode: {
          update: {
            x: { scale: 'x', field: 'lag' },
            y: { scale: 'y', field: 'r' },
            y2: { scale: 'y', value: 0 },
            stroke: { value: theme.main },
            strokeWidth: { signal: `clamp(width / ${values.length} * 0.5, 2, 9)` },
            tooltip: { signal: '{"lag": toString(datum.lag), "autocorrelation": format(datum.r, "~r")}' },
          },
        },
      },
    ],
  });
}

export const autocorrelation: BatchFigure = {
  scope: 'batch',
  name: 'autocorrelation',
  draw({ details, launches, shapeOf }) {
    const title = 'Autocorrelation';
    if (shapeOf === 'launches') return { title, why: NOT_PUBLISHED };
    if (details === null)
      return { title, why: 'its samples were not read: the report reads those of a few batches' };
    const { correlation, missing } = details;
    if (correlation === null) {
      const [unread] = missing;
      const why =
        unread === undefined
          ? 'its typical launch has fewer than three repetitions, or all took the same time'
          : `launch ${unread.launch} ${unread.why}`;
      return { title, why };
    }
    const { launch, repetitions, lookedAt, values } = correlation;
    const series = seriesText(correlation);
    const outside = values.filter((value) => Math.abs(value) > chanceOf(correlation)).length;
    const own = launches.find(({ number }) => number === launch);
    const size = own?.statistics?.effectiveSampleSize ?? null;
    const worth =
      size === null
        ? ''
        : ` For the mean its ${plural(repetitions, 'repetition')} are worth ${significant(size, 3)} independent ones.`;
    return {
      title,
      caption: `Of ${lookedAt === repetitions ? 'the repetitions' : series} of ${own === undefined ? `launch ${launch}` : launchText(own)}, the typical one. Bars inside the shaded band are what independent repetitions would show by chance; above it, slow ones follow slow ones, below it, they alternate.${worth} The interval of the batch does not rest on repetitions being independent.`,
      alternative: `Autocorrelation of ${series} at lags 1 to ${values.length}: ${significant(values[0] ?? 0, 2)} at lag 1; ${outside} of ${values.length} are outside what chance allows.`,
      spec: (theme) => specOf(correlation, theme),
      data: { columns: ['lag', 'autocorrelation'], rows: values.map((value, i) => [i + 1, value]) },
    };
  },
};
