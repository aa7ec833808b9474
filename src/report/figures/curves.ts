/** Curve KPIs, such as the rate of memory over the working set or the time of a collective over its size: a line for each curve. */
import { loadText } from '../../indicators/latency-load.js';
import { formatShare, withPrefix } from '../../quantities/format.js';
import type { CurveKpi } from '../../record/schema.js';
import type { CampaignFigure } from './figure.js';
import { isBanded, type LinePoint, linesSpec, type SeriesStyle } from './lines.js';
import { axisLabel, type Unit, unitFor } from './parts.js';

const LOG_FROM = 8;

/** Whether a curve is of the rate itself. */
export const isRateCurve = ({ name }: CurveKpi): boolean => /_rate_curve_/.test(name);

/** Whether it tells what a figure of the rates over the size would: a time of loads is their rate turned over. */
export const tellsTheRate = (curve: CurveKpi): boolean =>
  isRateCurve(curve) || curve.labels.indicator === 'latency';

/** Curves of another name have another unit: the first name's are drawn. */
export const drawnCurves = (curves: readonly CurveKpi[]): readonly CurveKpi[] =>
  curves.filter(({ name }) => name === curves[0]?.name);

/** Which curves have no line here. */
function leftOut(curves: readonly CurveKpi[]): string {
  const drawnNames = new Set(drawnCurves(curves).map(({ name }) => name));
  const others = [...new Set(curves.map(({ name }) => name))].filter((name) => !drawnNames.has(name));
  return others.length === 0
    ? ''
    : ` In the record only, because they are of something else: ${others.join(', ')}.`;
}

interface Words {
  readonly title: string;
  /** What stands at the horizontal axis. */
  readonly x: string;
  /** What stands at the vertical axis, before its unit. */
  readonly y: string;
  /** How to read a line. */
  readonly reading: string;
}

function wordsOf(curve: CurveKpi, dashed: boolean): Words {
  if (curve.labels.indicator === 'memory') {
    return {
      title: 'Rates over the working set',
      x: 'working set',
      y: 'rate',
      reading: `Each line is one operation${dashed ? ', dashed where the same operation stores in another way' : ''}; a step down is where a cache is full.`,
    };
  }
  if (curve.labels.indicator === 'latency') {
    return {
      title: 'Latency over the working set',
      x: 'working set',
      y: 'time of a load',
      reading: `Each line is one order of the loads${curve.labels.load == null ? '' : ' beside one number of threads that read memory'}; a step up is where a cache is full, or where the TLB’s reach ends.`,
    };
  }
  const y = isRateCurve(curve) ? 'rate' : curve.yUnit === 's' ? 'time' : 'share';
  return {
    title: `${y === 'rate' ? 'Rates' : y === 'time' ? 'Times' : 'Shares'} over the size`,
    x: 'size',
    y,
    reading: `${curve.help}.`,
  };
}

interface Named {
  readonly curve: CurveKpi;
  readonly name: string;
  readonly style: SeriesStyle;
}

/**
 * What the stack executed follows from what was asked of it, or was chosen by trial, and what each loading thread reads from their
 * being any: no curve is another one by them.
 */
const FOLLOW: readonly string[] = ['stack_implementation', 'loadBytes'];

/** Named by the labels in which they differ: the first gives the colour, the others, in their order, the way it is drawn. */
function named(curves: readonly CurveKpi[]): readonly Named[] {
  const keys = Object.keys(curves[0]?.labels ?? {}).filter(
    (key) => !FOLLOW.includes(key) && new Set(curves.map(({ labels }) => labels[key] ?? null)).size > 1,
  );
  const colours = [...new Set(curves.map(({ labels }) => labels[keys[0] ?? ''] ?? null))];
  const drawn = colours.map(() => 0);
  return curves.map((curve) => {
    const text = keys
      .map((key) => [key, curve.labels[key]] as const)
      .filter(([, value]) => value !== null && value !== undefined && value !== 'none')
      .map(([key, value]) => (key === 'load' ? loadText(Number(value)) : value))
      .join(' ');
    const colour = colours.indexOf(curve.labels[keys[0] ?? ''] ?? null);
    const dash = drawn[colour] ?? 0;
    drawn[colour] = dash + 1;
    return { curve, name: text === '' ? curve.name : text, style: { colour, dash } };
  });
}

function pointsOf(curves: readonly Named[]): readonly LinePoint[] {
  return curves.flatMap(({ curve: { points, ci }, name }) =>
    points.map(([x, y], j) => {
      const interval = ci?.intervals[j] ?? null;
      return {
        series: name,
        x,
        y,
        low: interval?.[0] ?? null,
        high: interval?.[1] ?? null,
        from: null,
        to: null,
        peak: null,
        attainable: null,
      };
    }),
  );
}

/** A ratio has no unit that a prefix could stand before. */
const unitOf = (curve: CurveKpi, values: readonly number[]): Unit =>
  curve.yUnit === '1'
    ? { factor: curve.display.divisor, name: curve.display.unit }
    : unitFor(values, curve.yUnit);

/** `from 345 GB/s at 32 KiB to 19.2 GB/s at 128 MiB`. */
function endsText({ points, xUnit, yUnit }: CurveKpi): string {
  const value = (y: number): string => (yUnit === '1' ? formatShare(y, 3) : withPrefix(y, yUnit, 3));
  const text = (point: CurveKpi['points'][number] | undefined): string =>
    point === undefined
      ? ''
      : `${value(point[1])} at ${axisLabel(point[0], xUnit === 'B' ? 'bytes' : 'count')}`;
  return `from ${text(points[0])} to ${text(points.at(-1))}`;
}

export const curves: CampaignFigure = {
  scope: 'campaign',
  name: 'curves',
  draw({ curves: all }) {
    const [first] = all;
    if (first === undefined) {
      const why =
        'the record has no curves: several sizes of memory, latency, collective or overlap make them';
      return { title: 'Curves over the size', why };
    }
    const shown = named(drawnCurves(all));
    const words = wordsOf(
      first,
      shown.some(({ style }) => style.dash > 0),
    );
    const styles = new Map(shown.map(({ name, style }) => [name, style]));
    const points = pointsOf(shown);
    const unit = unitOf(
      first,
      points.map(({ y }) => y),
    );
    const xs = points.map(({ x }) => x);
    const bytes = first.xUnit === 'B';
    const x = {
      label: bytes ? words.x : first.xUnit,
      unit: bytes ? ('bytes' as const) : ('count' as const),
      scale: Math.max(...xs) / Math.min(...xs) >= LOG_FROM ? ('log' as const) : ('linear' as const),
    };
    const bands = isBanded(points)
      ? 'The band around a line is the 95 % interval where there are launches enough for one: where it is wide, launches differ much.'
      : 'The 95 % intervals are in the data: so many bands would hide each other.';
    return {
      title: words.title,
      caption: `${words.reading} ${bands} Both axes are logarithmic where values are far apart.${leftOut(all)}`,
      alternative: `${first.help}. ${shown.map(({ name, curve }) => `${name}: ${endsText(curve)}`).join('. ')}.`,
      spec: (theme) => linesSpec({ points, styles, x, yTitle: `${words.y}, ${unit.name}`, unit }, theme),
      data: {
        columns: ['series', `x_${first.xUnit}`, `y_${first.yUnit}`, 'interval_low', 'interval_high'],
        rows: points.map(({ series, x: at, y, low, high }) => [series, at, y, low, high]),
      },
    };
  },
};
