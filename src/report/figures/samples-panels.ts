/** The picture of samples over time: a panel for each launch, all on one axis of time that the page can zoom. */
import type { Data, Mark, Spec } from 'vega';
import { launchText } from '../counted.js';
import type { Role, ShownLaunch } from '../details.js';
import type { Bucket } from '../envelope.js';
import {
  type AxisChoice,
  brief,
  domainOf,
  frame,
  numberAxis,
  numberScale,
  type Unit,
  unitFor,
} from './parts.js';
import type { Theme } from './theme.js';

const PANEL = 150;
const GAP = 62;
/** A stall of so many times the rest would leave it no room on a linear axis. */
const LOG_FROM = 5;
const ROLES: Readonly<Record<Role, string>> = {
  first: 'first',
  typical: 'typical',
  furthest: 'furthest from typical',
};

export const headOf = (launch: ShownLaunch): string =>
  launchText(
    launch,
    launch.roles.map((role) => ROLES[role]),
  );

export function flagsOf({ flags, disturbedKnown }: ShownLaunch): string {
  const named = flags.length === 0 ? 'no flag' : `flags: ${flags.join(', ')}`;
  return disturbedKnown ? named : `${named}; which repetitions were disturbed is not known`;
}

/** Low and high only where they differ from the middle: most of the page is these. */
function drawn(buckets: readonly Bucket[], warm: boolean, time: Unit, unit: Unit) {
  return buckets.map(({ time: at, low, middle, high, n, disturbed, worst }) => ({
    t: brief(at / time.factor),
    mid: brief(middle / unit.factor),
    ...(n > 1 ? { n, low: brief(low / unit.factor), high: brief(high / unit.factor) } : {}),
    ...(warm ? { warm } : {}),
    ...(worst === null ? {} : { hit: disturbed, worst: brief(worst / unit.factor) }),
  }));
}

/** What is said of a place that is pointed at, as an expression: of warm-up calls it is never known. */
const disturbedSignal = ({ disturbedKnown }: ShownLaunch): string =>
  disturbedKnown ? `datum.warm ? "not known" : datum.hit ? toString(datum.hit) : "none"` : `"not known"`;

/** The names of one panel: marks and their data share one space of names in a specification. */
interface Names {
  readonly data: string;
  readonly y: string;
  readonly suffix: string;
}

const filtered = (name: string, source: string, expr: string): Data => ({
  name,
  source,
  transform: [{ type: 'filter', expr }],
});

/** Warm-up and repetitions apart: what is alike in all of a mark is written once. */
function phaseMarks(
  phase: 'warm' | 'measured',
  { data, y, suffix }: Names,
  colours: { bar: string; dot: string },
  tooltip: { signal: string },
): Mark[] {
  const x = { scale: 'x', field: 't' };
  return [
    {
      type: 'rule',
      name: `${phase}-range-${suffix}`,
      from: { data: `${data}-${phase}-several` },
      encode: {
        update: {
          x,
          y: { scale: y, field: 'low' },
          y2: { scale: y, field: 'high' },
          stroke: { value: colours.bar },
          strokeWidth: { value: 2 },
          ...(phase === 'warm' ? { strokeOpacity: { value: 0.45 } } : {}),
        },
      },
    },
    {
      type: 'symbol',
      name: `${phase}-middle-${suffix}`,
      from: { data: `${data}-${phase}` },
      encode: {
        update: {
          x,
          y: { scale: y, field: 'mid' },
          size: { value: 9 },
          shape: { value: 'square' },
          fill: { value: colours.dot },
          tooltip,
        },
      },
    },
  ];
}

function plotMarks(names: Names, tooltip: { signal: string }, theme: Theme): Mark[] {
  const { data, y, suffix } = names;
  return [
    {
      type: 'rect',
      name: `warm-span-${suffix}`,
      encode: {
        update: {
          x: { value: 0 },
          x2: { signal: `clamp(scale('x', 0), 0, width)` },
          y: { value: 0 },
          y2: { value: PANEL },
          fill: { value: theme.grid },
          fillOpacity: { value: 0.6 },
        },
      },
    },
    ...phaseMarks('warm', names, { bar: theme.muted, dot: theme.muted }, tooltip),
    ...phaseMarks('measured', names, { bar: theme.soft, dot: theme.main }, tooltip),
    {
      type: 'symbol',
      name: `disturbed-${suffix}`,
      from: { data: `${data}-disturbed` },
      encode: {
        update: {
          x: { scale: 'x', field: 't' },
          y: { scale: y, field: 'worst' },
          size: { value: 30 },
          shape: { value: 'triangle-down' },
          fill: { value: theme.alarm },
          tooltip,
        },
      },
    },
  ];
}

function panel(
  launch: ShownLaunch,
  index: number,
  { axis, last, time, unit }: { axis: AxisChoice; last: boolean; time: Unit; unit: Unit },
  theme: Theme,
) {
  const names: Names = { data: `launch-${index}`, y: `y-${index}`, suffix: String(index) };
  const { data, y } = names;
  const tooltip = {
    signal: `{"": ${JSON.stringify(launchText(launch))}, "at": format(datum.t, "~r") + " ${time.name}", "elapsed": format(datum.mid, "~r") + " ${unit.name}", "of repetitions": datum.n ? toString(datum.n) + ", " + format(datum.low, "~r") + " to " + format(datum.high, "~r") : "1", "disturbed": ${disturbedSignal(launch)}}`,
  };
  const group: Mark = {
    type: 'group',
    name: `panel-${index}`,
    encode: {
      update: {
        y: { value: index * (PANEL + GAP) },
        width: { signal: 'width' },
        height: { value: PANEL },
      },
    },
    axes: [
      { ...numberAxis(y, 'left', '', axis), tickCount: 4 },
      {
        scale: 'x',
        orient: 'bottom',
        tickCount: 6,
        ...(last ? { title: `time, ${time.name}` } : {}),
      },
    ],
    marks: [
      {
        type: 'group',
        name: `plot-${index}`,
        clip: true,
        encode: { update: { width: { signal: 'width' }, height: { value: PANEL } } },
        marks: plotMarks(names, tooltip, theme),
      },
      headText(`elapsed, ${unit.name} · ${headOf(launch)}`, -24, 600, theme.ink),
      headText(flagsOf(launch), -9, 400, launch.flags.length > 0 ? theme.alarm : theme.muted),
    ],
  };
  const values = [...drawn(launch.warmup, true, time, unit), ...drawn(launch.buckets, false, time, unit)];
  return {
    data: [
      { name: data, values },
      filtered(`${data}-warm`, data, 'datum.warm'),
      filtered(`${data}-warm-several`, data, 'datum.warm && datum.n'),
      filtered(`${data}-measured`, data, '!datum.warm'),
      filtered(`${data}-measured-several`, data, '!datum.warm && datum.n'),
      filtered(`${data}-disturbed`, data, 'datum.hit'),
    ],
    scale: numberScale(y, axis, [PANEL, 0]),
    group,
  };
}

const headText = (text: string, y: number, weight: 400 | 600, colour: string): Mark => ({
  type: 'text',
  encode: {
    update: {
      x: { value: 0 },
      y: { value: y },
      text: { value: text },
      fontWeight: { value: weight },
      fill: { value: colour },
      limit: { signal: 'width' },
    },
  },
});

/** @param shown at least one launch with samples */
export function samplesSpec(shown: readonly ShownLaunch[], theme: Theme): Spec {
  const buckets = shown.flatMap((launch) => [...launch.warmup, ...launch.buckets]);
  const times = buckets.map(({ time }) => time);
  const [begin, end] = [Math.min(...times), Math.max(...times)];
  const time = unitFor([end - begin], 's');
  const unit = unitFor(
    buckets.map(({ middle }) => middle),
    's',
  );
  // Launches are there to be held against each other: the same height is the same time in all of them.
  const axis = domainOf(
    buckets.flatMap(({ low, high }) => [low / unit.factor, high / unit.factor]),
    false,
    LOG_FROM,
  );
  const panels = shown.map((launch, i) =>
    panel(launch, i, { axis, last: i === shown.length - 1, time, unit }, theme),
  );
  const air = ((end - begin) * 0.01) / time.factor;
  const [t0, t1] = [begin / time.factor - air, end / time.factor + air];
  return frame(theme, shown.length * PANEL + (shown.length - 1) * GAP, {
    // The page moves these two; the still picture shows all.
    signals: [
      { name: 'from', value: 0 },
      { name: 'to', value: 1 },
    ],
    data: panels.flatMap(({ data }) => data),
    scales: [
      {
        name: 'x',
        type: 'linear',
        zero: false,
        nice: false,
        domain: [{ signal: `${t0} + from * ${t1 - t0}` }, { signal: `${t0} + to * ${t1 - t0}` }],
        range: 'width',
      },
      ...panels.map(({ scale }) => scale),
    ],
    marks: panels.map(({ group }) => group),
  });
}
