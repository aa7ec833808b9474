/**
 * A fleet in memory: columns of numbers, one series for each KPI on each kind of device. Objects for two million KPIs would be
 * more than a gigabyte, and every rule asks for one column at a time.
 */
import { UserError } from '../errors.js';
import type { BaselineDevice } from '../qualify/baseline-schema.js';
import { hasControl, type NodeHead, type NodeKpi, type NodeLine, SHAPE_UNIT } from './node-line.js';
import { KNOTS } from './sketch.js';

/** What a rule looks at; NaN where it is not known. Of a KPI whose lower is better: 1 / the value, so that higher is better. */
const COLUMNS = ['median', 'p05', 'sustained', 'cv', 'drift', 'hertz', 'seconds', 'n', 'peak'] as const;
export type ColumnName = (typeof COLUMNS)[number];

export interface Series {
  readonly key: string;
  readonly device: BaselineDevice;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** Of the first row that has one: what kind of peak the column has. */
  readonly peak: NodeKpi['peak'];
  /** Of each row, in `Fleet.places`. */
  readonly places: Int32Array;
  readonly columns: Readonly<Record<ColumnName, Float64Array>>;
  /** Quantiles of each row, row by row; NaN where its shape is not known. */
  readonly sketches: Float32Array;
  /** Flags of the rows that have any. */
  readonly flags: ReadonlyMap<number, readonly string[]>;
}

/** A device of a node: what is judged. */
export interface Place {
  /** In `Fleet.nodes`. */
  readonly node: number;
  readonly on: string;
}

export interface Fleet {
  readonly nodes: readonly NodeHead[];
  readonly places: readonly Place[];
  readonly series: readonly Series[];
}

/** A fleet whose series may be taken away. */
export interface FleetPart extends Fleet {
  readonly series: Series[];
}

interface Growing {
  readonly key: string;
  readonly device: BaselineDevice;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  peak: NodeKpi['peak'];
  readonly flags: Map<number, readonly string[]>;
  rows: number;
  room: number;
  places: Int32Array;
  readonly columns: Record<ColumnName, Float64Array>;
  sketches: Float32Array;
}

/** Devices that are judged together. A power limit is a setting: who has another one is slow for a reason that is named. */
export const deviceKey = ({ kind, name, cpus, pciDevice, pciSubsystem }: BaselineDevice): string =>
  [kind, name, cpus, pciDevice, pciSubsystem].join('|');

/** Of a node, those on which something was measured. */
export const gpusOf = ({ devices }: Pick<NodeHead, 'devices'>): number =>
  Object.values(devices).filter(({ kind }) => kind === 'gpu').length;

/**
 * On which node each row of a KPI is, of which one with eight GPUs has eight.
 * @param rows left out: all
 */
export function nodesOfRows(
  { places }: Pick<Fleet, 'places'>,
  series: Series,
  rows?: Int32Array,
): Int32Array {
  const own = rows?.map((row) => series.places[row] as number) ?? series.places;
  return own.map((place) => places[place]?.node ?? -1);
}

/** The same where some node has several rows, which follow each other; null: each is of another node. */
export function sharedNodes(fleet: Pick<Fleet, 'places'>, series: Series): Int32Array | null {
  const { places: own } = series;
  const nodeOf = (row: number): number => fleet.places[own[row] as number]?.node ?? -1;
  // A loop, and no array where none is needed: of two million rows.
  for (let row = 1; row < own.length; row++) {
    if (nodeOf(row) === nodeOf(row - 1)) return nodesOfRows(fleet, series);
  }
  return null;
}

/** KPIs of a node on all of its devices together, on average over the nodes that have any: eight GPUs are eight times as many. */
export function kpisOfNode({ nodes, places, series }: Fleet): number {
  const having = new Uint8Array(nodes.length);
  let rows = 0;
  for (const { places: own } of series) {
    rows += own.length;
    // A loop: of two million rows.
    for (let row = 0; row < own.length; row++) having[places[own[row] as number]?.node ?? -1] = 1;
  }
  return (
    rows /
    Math.max(
      1,
      having.reduce((sum, one) => sum + one, 0),
    )
  );
}

const FIRST_ROOM = 16;
const rate = (value: number | null, lower: boolean): number =>
  value === null ? Number.NaN : lower ? 1 / value : value;

function grown<T extends Float64Array | Float32Array | Int32Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}

/** At once: what is expected after a few nodes that are shorter than the others may be far too much. */
const MOST_GROWTH = 64;

/** @param expected rows in the end, as far as it is known */
function enlarge(series: Growing, rows: number, expected: number): void {
  const { room } = series;
  series.room = Math.max(rows, 2 * room, Math.min(expected, MOST_GROWTH * room));
  series.places = grown(series.places, series.room);
  series.sketches = grown(series.sketches, series.room * KNOTS);
  for (const name of COLUMNS) series.columns[name] = grown(series.columns[name], series.room);
}

function begin(kpi: Pick<NodeKpi, 'key' | 'unit' | 'better' | 'peak'>, device: BaselineDevice): Growing {
  return {
    key: kpi.key,
    device,
    unit: kpi.unit,
    better: kpi.better,
    peak: kpi.peak,
    flags: new Map(),
    rows: 0,
    room: FIRST_ROOM,
    places: new Int32Array(FIRST_ROOM),
    columns: Object.fromEntries(COLUMNS.map((name) => [name, new Float64Array(FIRST_ROOM)])) as Record<
      ColumnName,
      Float64Array
    >,
    sketches: new Float32Array(FIRST_ROOM * KNOTS),
  };
}

/** One name with two units would be two KPIs that are a thousand apart. */
function requireAlike(
  { key, unit, better }: Growing,
  other: Pick<NodeKpi, 'unit' | 'better'>,
  node: string,
): void {
  if (unit === other.unit && better === other.better) return;
  const said = (one: Pick<NodeKpi, 'unit' | 'better'>): string => `"${one.unit}" (${one.better} is better)`;
  throw new UserError(
    `KPI ${key} of node ${node} is in ${said(other)}, and in ${said({ unit, better })} before: nodes have to agree on it`,
  );
}

/**
 * The row of a place: a new one, or, where a campaign measured a case twice, the one that it has. It is as slow as the slower of
 * them: in the same time the faster makes more repetitions, so to take what rests on most would be to take the faster.
 * @param firstPlace of its node
 * @param expected rows in the end, as far as it is known
 * @returns null: the one that it has is not faster
 */
function rowOf(
  series: Growing,
  kpi: NodeKpi,
  place: number,
  firstPlace: number,
  expected: number,
): number | null {
  for (let row = series.rows - 1; row >= 0 && (series.places[row] as number) >= firstPlace; row--) {
    if (series.places[row] === place) {
      const own = rate(kpi.median, kpi.better === 'lower');
      return own < (series.columns.median[row] as number) ? row : null;
    }
  }
  if (series.rows === series.room) enlarge(series, 0, expected);
  series.places[series.rows] = place;
  return series.rows++;
}

function addRow(series: Growing, kpi: NodeKpi, place: number, firstPlace: number, expected: number): void {
  const row = rowOf(series, kpi, place, firstPlace, expected);
  if (row === null) return;
  const { columns, sketches } = series;
  const lower = kpi.better === 'lower';
  // One by one: a name that is looked up costs more than the store, and there are millions of these.
  columns.median[row] = rate(kpi.median, lower);
  columns.p05[row] = rate(kpi.p05, lower);
  columns.sustained[row] = rate(kpi.sustained, lower);
  columns.cv[row] = kpi.cv ?? Number.NaN;
  columns.drift[row] = kpi.drift ?? Number.NaN;
  columns.hertz[row] = kpi.hertz ?? Number.NaN;
  columns.seconds[row] = kpi.seconds ?? Number.NaN;
  columns.n[row] = kpi.n;
  columns.peak[row] = kpi.peak?.value ?? Number.NaN;
  series.peak ??= kpi.peak;
  const middle = columns.median[row] as number;
  const { shape } = kpi;
  const at = row * KNOTS;
  if (shape === null) sketches.fill(Number.NaN, at, at + KNOTS);
  else {
    for (let knot = 0; knot < KNOTS; knot++) {
      sketches[at + knot] = middle * (1 + (shape[knot] as number) / SHAPE_UNIT);
    }
  }
  if (kpi.flags.length > 0) series.flags.set(row, kpi.flags);
  else series.flags.delete(row);
}

/** @param places where those of the other begin in this fleet */
function appendRows(series: Growing, other: Series, places: number): void {
  const [first, count] = [series.rows, other.places.length];
  if (first + count > series.room) enlarge(series, first + count, 0);
  for (let row = 0; row < count; row++) series.places[first + row] = places + (other.places[row] as number);
  for (const name of COLUMNS) series.columns[name].set(other.columns[name], first);
  series.sketches.set(other.sketches, first * KNOTS);
  for (const [row, flags] of other.flags) series.flags.set(first + row, flags);
  series.rows += count;
  series.peak ??= other.peak;
}

function finished({ rows, room: _, columns, places, sketches, ...rest }: Growing): Series {
  return {
    ...rest,
    places: places.subarray(0, rows),
    sketches: sketches.subarray(0, rows * KNOTS),
    columns: Object.fromEntries(
      COLUMNS.map((name) => [name, columns[name].subarray(0, rows)]),
    ) as Series['columns'],
  };
}

export interface FleetBuilder {
  /**
   * @param expected nodes in the end, as far as it is known, so that columns need not grow step by step
   * @throws UserError where the node has a KPI in another unit than those before it
   */
  readonly add: (node: NodeLine, expected?: number) => void;
  /**
   * Puts the nodes of a part after those that are here. @throws UserError as `add` does
   * @param part its series leave it one by one, so that memory holds each of them once
   */
  readonly append: (part: FleetPart) => void;
  readonly fleet: () => FleetPart;
}

/** Takes nodes one after the other, so that none has to stay in memory as it was read. */
export function buildFleet(): FleetBuilder {
  const nodes: NodeHead[] = [];
  const places: Place[] = [];
  /** By device, then by key: of two million KPIs no text is put together. */
  const series = new Map<string, Map<string, Growing>>();
  const seriesOf = (device: BaselineDevice): Map<string, Growing> => {
    const key = deviceKey(device);
    const of = series.get(key) ?? new Map<string, Growing>();
    series.set(key, of);
    return of;
  };
  const growing = (
    of: Map<string, Growing>,
    kpi: Pick<NodeKpi, 'key' | 'unit' | 'better' | 'peak'>,
    device: BaselineDevice,
    node: string,
  ): Growing => {
    const known = of.get(kpi.key);
    if (known !== undefined) {
      requireAlike(known, kpi, node);
      return known;
    }
    // Here and not where lines are checked: two million KPIs have a few hundred keys.
    if (hasControl(kpi.key)) throw new UserError(`a KPI of node ${node} has control characters in its key`);
    const one = begin(kpi, device);
    of.set(kpi.key, one);
    return one;
  };
  return {
    add(line, expected = 0) {
      const { kpis, ...head } = line;
      const node = nodes.push(head) - 1;
      const firstPlace = places.length;
      const here = new Map<string, { place: number; of: Map<string, Growing> }>();
      for (const [on, device] of Object.entries(head.devices)) {
        here.set(on, { place: places.push({ node, on }) - 1, of: seriesOf(device) });
      }
      for (const kpi of kpis) {
        const on = here.get(kpi.on);
        const device = head.devices[kpi.on];
        if (on === undefined || device === undefined) continue;
        addRow(growing(on.of, kpi, device, head.node), kpi, on.place, firstPlace, expected);
      }
    },
    append(part) {
      const [firstNode, firstPlace] = [nodes.length, places.length];
      for (const node of part.nodes) nodes.push(node);
      for (const { node, on } of part.places) places.push({ node: firstNode + node, on });
      for (let one = part.series.shift(); one !== undefined; one = part.series.shift()) {
        const place = part.places[one.places[0] ?? -1];
        const name = part.nodes[place?.node ?? -1]?.node ?? '';
        appendRows(growing(seriesOf(one.device), one, one.device, name), one, firstPlace);
      }
    },
    fleet: () => ({
      nodes,
      places,
      series: [...series.values()].flatMap((of) => [...of.values()].map(finished)),
    }),
  };
}

export function fleetOf(nodes: Iterable<NodeLine>): Fleet {
  const builder = buildFleet();
  for (const node of nodes) builder.add(node);
  return builder.fleet();
}
