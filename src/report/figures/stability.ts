/** Standard deviation, standard error, interquartile range and coefficient of variation of the launch medians, over the batches. */
import type { Mark, Spec } from 'vega';
import { formatSeconds, formatShare } from '../../quantities/format.js';
import type { Summary } from '../../statistics/summary.js';
import type { BatchModel } from '../model.js';
import type { CampaignFigure } from './figure.js';
import { brief, domainOf, frame, numberAxis, numberScale, type Unit, unitFor } from './parts.js';
import type { Theme } from './theme.js';

type Statistic = 'std' | 'stdError' | 'iqr' | 'cv';

const PANELS: readonly { readonly key: Statistic; readonly name: string }[] = [
  { key: 'std', name: 'standard deviation' },
  { key: 'stdError', name: 'standard error' },
  { key: 'iqr', name: 'interquartile range' },
  { key: 'cv', name: 'CV' },
];
const PANEL = 84;
const GAP = 38;
const LEVEL_LABELS = 6;
const SHORT_NAME = 10;

interface Row {
  readonly batch: BatchModel;
  readonly between: Summary;
}

/** Seconds in one unit for the three panels of seconds; CV in percent. */
const unitOf = (key: Statistic, seconds: Unit): Unit =>
  key === 'cv' ? { factor: 0.01, name: '%' } : seconds;

const valuesOf = (key: Statistic, rows: readonly Row[], unit: Unit): readonly number[] =>
  rows.map(({ between }) => brief((between[key] ?? 0) / unit.factor));

/** All panels are read alike: logarithmic where any of them needs it and none has a 0. */
function isLog(rows: readonly Row[], seconds: Unit): boolean {
  const panels = PANELS.map(({ key }) => valuesOf(key, rows, unitOf(key, seconds)));
  return panels.flat().every((v) => v > 0) && panels.some((values) => domainOf(values, true).type === 'log');
}

function panel(index: number, rows: readonly Row[], seconds: Unit, log: boolean, theme: Theme) {
  const { key, name } = PANELS[index] as (typeof PANELS)[number];
  const unit = unitOf(key, seconds);
  const drawn = valuesOf(key, rows, unit);
  const values = rows.map(({ batch, between }, i) => ({
    name: batch.label,
    v: drawn[i] ?? 0,
    tip: key === 'cv' ? formatShare(between.cv ?? 0) : formatSeconds(between[key] ?? 0),
  }));
  const axis = domainOf(drawn, true, log ? 1 : Number.POSITIVE_INFINITY);
  const y = { scale: `y-${key}`, field: 'v' };
  const top = index * (PANEL + GAP);
  const marks: Mark[] = [
    {
      type: 'group',
      name: `panel-${key}`,
      encode: { update: { y: { value: top }, width: { signal: 'width' }, height: { value: PANEL } } },
      axes: [numberAxis(`y-${key}`, 'left', `${name}, ${unit.name}${log ? ' (log)' : ''}`, axis)],
      marks: [
        {
          type: 'symbol',
          name: `point-${key}`,
          from: { data: key },
          encode: {
            update: {
              x: { scale: 'x', field: 'name' },
              y,
              size: { value: 46 },
              fill: { value: theme.main },
              tooltip: { signal: `{"": datum.name, "${name}": datum.tip}` },
            },
          },
        },
      ],
    },
  ];
  return {
    data: { name: key, values },
    scale: numberScale(`y-${key}`, axis, [PANEL, 0]),
    marks,
  };
}

const secondsOf = (rows: readonly Row[]): Unit =>
  unitFor(
    rows.flatMap(({ between }) => [between.std ?? 0]),
    's',
  );

function specOf(rows: readonly Row[], theme: Theme): Spec {
  const seconds = secondsOf(rows);
  const log = isLog(rows, seconds);
  const panels = PANELS.map((_, i) => panel(i, rows, seconds, log, theme));
  const slanted = rows.length > LEVEL_LABELS || rows.some(({ batch }) => batch.label.length > SHORT_NAME);
  return frame(theme, PANELS.length * PANEL + (PANELS.length - 1) * GAP, {
    data: panels.map(({ data }) => data),
    scales: [
      {
        name: 'x',
        type: 'point',
        domain: rows.map(({ batch }) => batch.label),
        range: 'width',
        padding: 0.5,
      },
      ...panels.map(({ scale }) => scale),
    ],
    axes: [
      {
        scale: 'x',
        orient: 'bottom',
        ...(slanted
          ? {
              labelAngle: -40,
              labelAlign: 'right',
              labelBaseline: 'middle',
              labelLimit: 140,
              labelOverlap: 'greedy',
            }
          : {}),
      },
    ],
    marks: panels.flatMap(({ marks }) => marks),
  });
}

export const stability: CampaignFigure = {
  scope: 'campaign',
  name: 'stability',
  draw({ batches }) {
    const title = 'Stability over the batches';
    const rows = batches.flatMap((batch): Row[] =>
      batch.between === null || batch.between.std === null ? [] : [{ batch, between: batch.between }],
    );
    if (rows.length < 2) {
      const why =
        batches.length < 2
          ? 'it compares batches and there is one; the table has its figures'
          : 'it needs two batches with two launches or more each';
      return { title, why };
    }
    const [steadiest] = [...rows].sort((a, b) => (a.between.cv ?? 0) - (b.between.cv ?? 0));
    return {
      title,
      caption: `Each point is one batch: how far the medians of its launches are apart. Lower is steadier. The standard error also falls with the number of launches, so compare it only between batches of equally many.${isLog(rows, secondsOf(rows)) ? ' All four axes are logarithmic.' : ''}`,
      alternative: `Spread of the launch medians for ${rows.length} batches. ${rows
        .map(({ batch, between }) => `${batch.label}: CV ${formatShare(between.cv ?? 0)}`)
        .join(', ')}. The steadiest is ${steadiest?.batch.label}.`,
      spec: (theme) => specOf(rows, theme),
      data: {
        columns: ['batch', 'launches', 'std_seconds', 'std_error_seconds', 'iqr_seconds', 'cv'],
        rows: rows.map(({ batch, between: { n, std, stdError, iqr, cv } }) => [
          batch.name,
          n,
          std,
          stdError,
          iqr,
          cv,
        ]),
      },
    };
  },
};
