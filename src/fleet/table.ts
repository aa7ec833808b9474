/**
 * A fleet in memory: columns of numbers, one series for each KPI on each kind of device. Objects for two million KPIs would be
 * more than a gigabyte, and every rule asks for one column at a time.
 */
import type { BaselineDevice } from '../qualify/baseline-schema.js';
import { type NodeHead, type NodeKpi, type NodeLine, SHAPE_UNIT } from './node-line.js';
import { KNOTS } from './sketch.js';

/** What a rule looks at; NaN where it is not known. Of a KPI whose lower is better: 1 / the value, so that higher is better. */
export const COLUMNS = [
  'median',
  'p05',
  'sustained',
  'cv',
  'drift',
  'hertz',
  'seconds',
  'n',
  'peak',
] as const;
export type ColumnName = (typeof COLUMNS)[number];

export interface Series {
  readonly key: string;
  readonly device: BaselineDevice;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** Of the first row: what kind of peak the column has. */
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

interface Growing {
  readonly key: string;
  readonly device: BaselineDevice;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly peak: NodeKpi['peak'];
  readonly flags: Map<number, readonly string[]>;
  rows: number;
  room: number;
  places: Int32Array;
  readonly columns: Record<ColumnName, Float64Array>;
  sketches: Float32Array;
}

/** Devices that are judged together. A power limit is a setting: who has another one is slow for a reason that is named. */
const deviceKey = ({ kind, name, cpus, pciDevice, pciSubsystem }: BaselineDevice): string =>
  [kind, name, cpus, pciDevice, pciSubsystem].join('|');

const FIRST_ROOM = 16;
const rate = (value: number | null, lower: boolean): number =>
  value === null ? Number.NaN : lower ? 1 / value : value;

function grown<T extends Float64Array | Float32Array | Int32Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}

function enlarge(series: Growing): void {
  series.room *= 2;
  series.places = grown(series.places, series.room);
  series.sketches = grown(series.sketches, series.room * KNOTS);
  for (const name of COLUMNS) series.columns[name] = grown(series.columns[name], series.room);
}

function begin(kpi: NodeKpi, device: BaselineDevice): Growing {
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

function addRow(series: Growing, kpi: NodeKpi, place: number): void {
  if (series.rows === series.room) enlarge(series);
  const row = series.rows++;
  series.places[row] = place;
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
  readonly add: (node: NodeLine) => void;
  readonly fleet: () => Fleet;
}

/** Takes nodes one after the other, so that none has to stay in memory as it was read. */
export function buildFleet(): FleetBuilder {
  const nodes: NodeHead[] = [];
  const places: Place[] = [];
  /** By device, then by key: of two million KPIs no text is put together. */
  const series = new Map<string, Map<string, Growing>>();
  return {
    add(line) {
      const { kpis, ...head } = line;
      const node = nodes.push(head) - 1;
      const here = new Map<string, { place: number; of: Map<string, Growing> }>();
      for (const [on, device] of Object.entries(head.devices)) {
        const key = deviceKey(device);
        const of = series.get(key) ?? new Map<string, Growing>();
        series.set(key, of);
        here.set(on, { place: places.push({ node, on }) - 1, of });
      }
      for (const kpi of kpis) {
        const on = here.get(kpi.on);
        const device = head.devices[kpi.on];
        if (on === undefined || device === undefined) continue;
        let one = on.of.get(kpi.key);
        if (one === undefined) {
          one = begin(kpi, device);
          on.of.set(kpi.key, one);
        }
        addRow(one, kpi, on.place);
      }
    },
    fleet: () => ({
      nodes,
      places,
      series: [...series.values()].flatMap((of) => [...of.values()].map(finished)),
    }),
  };
}
