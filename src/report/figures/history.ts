/** One case over campaigns: each campaign's speed, the levels that they lie on, and where one level follows another. */
import type { Mark, Spec } from 'vega';
import { plural, significant } from '../../quantities/format.js';
import type { HistoryPoint, HistorySeries, Speed } from '../../readers/history/document.js';
import { changeText, historyOutcomeWords, levelText, momentText } from '../../readers/history/words.js';
import { LOADS } from '../../record/latency-kpis.js';
import type { Absent, Figure } from './figure.js';
import { brief, domainOf, frame, numberAxis, numberScale, type Unit, unitFor } from './parts.js';
import type { Theme } from './theme.js';

const HEIGHT = 220;

/** What is drawn of a speed: a rate, or of loads and of what has no rate the seconds. */
interface Quantity {
  readonly unit: Unit;
  readonly title: string;
  readonly of: (speed: Speed) => number;
}

function quantityOf(speeds: readonly Speed[]): Quantity {
  const isTime = speeds.some(({ rate, rateUnit }) => rate === null || rateUnit === LOADS);
  const valueFrom = ({ rate, rateUnit, elapsedSeconds }: Speed): number => {
    if (!isTime) return rate ?? 0;
    return rateUnit === LOADS && rate !== null ? 1 / rate : elapsedSeconds;
  };
  const values = speeds.map(valueFrom);
  const unit = unitFor(values, isTime ? 's' : (speeds[0]?.rateUnit ?? ''));
  return {
    unit,
    title: isTime ? `time, ${unit.name}` : unit.name,
    of: (speed) => valueFrom(speed) / unit.factor,
  };
}

interface Drawn extends HistoryPoint {
  readonly speed: Speed;
}

const isDrawable = (point: HistoryPoint): point is Drawn => point.speed !== null;

const STATES = ['counts', 'judged', 'left out'] as const;
const SHAPES = ['circle', 'diamond', 'cross'] as const;

function specOf({ points, levels, changes, newest }: HistorySeries, quantity: Quantity, theme: Theme): Spec {
  const drawn = points.filter(isDrawable);
  const judged = newest === null ? 0 : newest.campaigns;
  const counted = drawn.filter(({ leftOut }) => leftOut === null);
  const isJudged = (point: HistoryPoint): boolean =>
    judged > 0 && counted.slice(-judged).includes(point as Drawn);
  const timeOf = (at: string): number => Date.parse(at);
  const values = drawn.map((point) => ({
    time: timeOf(point.at),
    v: brief(quantity.of(point.speed)),
    state: point.leftOut !== null ? 'left out' : isJudged(point) ? 'judged' : 'counts',
    name: point.record,
    when: momentText(point.at),
    text: levelText(point.speed),
  }));
  const steps = levels.map(({ from, to, speed }) => ({
    time: timeOf(points[from]?.at ?? ''),
    until: timeOf(points[to]?.at ?? ''),
    v: brief(quantity.of(speed)),
  }));
  const breaks = changes.map(({ at, outcome }) => ({ time: timeOf(points[at]?.at ?? ''), outcome }));
  const axis = domainOf(values.map(({ v }) => v));
  const marks: readonly Mark[] = [
    {
      type: 'rule',
      name: 'change',
      from: { data: 'changes' },
      encode: {
        update: {
          x: { scale: 'x', field: 'time' },
          y: { value: 0 },
          y2: { signal: 'height' },
          stroke: { value: theme.alarm },
          strokeDash: { value: [5, 4] },
        },
      },
    },
    {
      type: 'rule',
      name: 'level',
      from: { data: 'levels' },
      encode: {
        update: {
          x: { scale: 'x', field: 'time' },
          x2: { scale: 'x', field: 'until' },
          y: { scale: 'y', field: 'v' },
          stroke: { value: theme.other },
          strokeWidth: { value: 2.5 },
        },
      },
    },
    {
      type: 'symbol',
      name: 'campaign',
      from: { data: 'points' },
      encode: {
        update: {
          x: { scale: 'x', field: 'time' },
          y: { scale: 'y', field: 'v' },
          shape: { scale: 'shape', field: 'state' },
          size: { value: 60 },
          fill: { scale: 'colour', field: 'state' },
          tooltip: { signal: '{"": datum.name, "began": datum.when, "speed": datum.text}' },
        },
      },
    },
  ];
  return frame(theme, HEIGHT, {
    data: [
      { name: 'points', values },
      { name: 'levels', values: steps },
      { name: 'changes', values: breaks },
    ],
    scales: [
      { name: 'x', type: 'utc', domain: { data: 'points', field: 'time' }, range: 'width', nice: false },
      numberScale('y', axis, 'height'),
      { name: 'colour', type: 'ordinal', domain: [...STATES], range: [theme.main, theme.alarm, theme.muted] },
      { name: 'shape', type: 'ordinal', domain: [...STATES], range: [...SHAPES] },
    ],
    axes: [
      {
        scale: 'x',
        orient: 'bottom',
        grid: false,
        labelFlush: true,
        labelOverlap: true,
        title: 'beginning of the campaign (UTC)',
      },
      numberAxis('y', 'left', quantity.title, axis),
    ],
    legends: [
      { fill: 'colour', shape: 'shape', offset: 34, columns: { signal: 'max(1, floor(width / 110))' } },
    ],
    marks: [...marks],
  });
}

/** @param margin of the history */
export function drawHistory(series: HistorySeries, margin: number): Figure | Absent {
  const { name, points, levels, changes, newest } = series;
  const drawn = points.filter(isDrawable);
  if (drawn.length < 2) return { title: name, why: 'one campaign is no course' };
  const quantity = quantityOf(drawn.map(({ speed }) => speed));
  const levelOf = (at: number): number | null => {
    const found = levels.findIndex(({ from, to }) => from <= at && at <= to);
    return found < 0 ? null : found + 1;
  };
  const judged =
    newest === null
      ? ''
      : ` The newest: ${historyOutcomeWords(newest.outcome, margin)}${newest.ratio === null ? '' : `, ${significant(newest.ratio, 4)} of the level before it`}.`;
  const told = changes.map((change) => changeText(series, change));
  return {
    title: name,
    caption: `Each mark is a campaign, by the median of its launches’ medians; the lines are the levels that they lie on, dashed where one follows another.${judged}`,
    alternative: `${plural(drawn.length, 'campaign')} on ${plural(levels.length, 'level')}: ${levels.map(({ speed, campaigns }) => `${levelText(speed)} in ${campaigns}`).join(', ')}. ${told.join('. ')}`,
    spec: (theme) => specOf(series, quantity, theme),
    data: {
      columns: ['campaign', 'began', 'rate', 'rate_unit', 'elapsed_seconds', 'launches', 'level', 'left_out'],
      rows: points.map(({ campaign, at, speed, launches, leftOut }, i) => [
        campaign,
        at,
        speed?.rate ?? null,
        speed?.rateUnit ?? null,
        speed?.elapsedSeconds ?? null,
        launches,
        leftOut === null ? levelOf(i) : null,
        leftOut,
      ]),
    },
  };
}
