/** `fleet baseline`: what nodes of one kind reach, outliers left out, as the file by which one more of them is judged. Pure. */
import { UserError } from '../errors.js';
import { findIndicator } from '../indicators/index.js';
import type { PiBenchIdentity } from '../package.js';
import {
  BASELINE_KIND,
  BASELINE_SCHEMA,
  BASELINE_VERSION,
  type Baseline,
  type BaselineEntry,
} from '../qualify/baseline-schema.js';
import { significant, withPrefix } from '../quantities/format.js';
import { countedWork } from '../record/work.js';
import { deviationFrom, median } from '../statistics/quantile.js';
import { type CaseKey, keyTitle, readKey } from './case-key.js';
import { judgeSeries, LEAST_NODES } from './judge-series.js';
import { RULES } from './rules.js';
import { KNOTS, MEDIAN_KNOT, SHARES } from './sketch.js';
import type { Fleet, Series } from './table.js';

/** A share of the peak that no node of a baseline has for a good reason: below, all were slow; above, the peak or the work is wrong. */
const PEAK_SHARES = { least: 0.2, most: 1 } as const;
/** A peak that was measured scatters with the clock. */
const MEASURED_MOST = 1.05;

export interface Refused {
  readonly title: string;
  readonly why: string;
}

export interface MadeBaseline {
  readonly baseline: Baseline;
  readonly refused: readonly Refused[];
}

interface Making {
  readonly fleet: Fleet;
  readonly scale: number;
}

const known = (values: Float64Array, rows: Int32Array): Float64Array =>
  Float64Array.from(rows, (row) => values[row] as number).filter((value) => !Number.isNaN(value));

/** What keeps a value from standing in a baseline; null: nothing. */
function refusal(value: number, peak: BaselineEntry['peak'], unit: string): string | null {
  if (peak === null) return null;
  const share = value / peak.value;
  const most = peak.measured ? MEASURED_MOST : PEAK_SHARES.most;
  if (share >= PEAK_SHARES.least && share <= most) return null;
  return `${withPrefix(value, unit)} is ${significant(100 * share, 3)} % of its peak (${withPrefix(peak.value, unit)}, ${peak.source}); a baseline has ${100 * PEAK_SHARES.least} to ${100 * most} %`;
}

/** A node that computes wrong results is no example, however fast it does. */
function isWrong({ nodes, places }: Fleet, series: Series, row: number): boolean {
  const node = nodes[places[series.places[row] as number]?.node ?? -1];
  return node?.problems.some(({ kind }) => kind === 'wrong') ?? false;
}

/** Nodes of one series may differ in their power limit, which a baseline is keyed by. */
function refuseMixedLimits({ nodes, places }: Fleet, series: Series, rows: Int32Array): void {
  const limits = new Map<number | null, string>();
  for (const row of rows) {
    const place = places[series.places[row] as number];
    const node = nodes[place?.node ?? -1];
    const limit = node?.devices[place?.on ?? '']?.powerLimitWatts ?? null;
    if (node !== undefined && !limits.has(limit)) limits.set(limit, node.node);
  }
  if (limits.size < 2) return;
  const said = [...limits].map(([limit, node]) => `${limit ?? 'unknown'} W (${node})`).join(', ');
  throw new UserError(
    `mixed hardware: ${series.device.name} with power limits of ${said}; set one limit, or make a baseline for each`,
  );
}

/** null: parameters of another version, of which this one does not know the work. */
function workOf({ indicator: name, parameters }: CaseKey): number | null {
  const { work, rateCounts } = findIndicator(name);
  try {
    return countedWork({ work: work(parameters), rateCounts });
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** Seconds of a repetition of the reference node, from the fastest to the slowest. */
function distributionOf(series: Series, row: number, key: CaseKey): BaselineEntry['distribution'] {
  const work = workOf(key);
  if (work === null) return null;
  const shares = SHARES.map((share, knot) => ({ share, knot })).reverse();
  return {
    probabilities: shares.map(({ share }) => 1 - share),
    seconds: shares.map(({ knot }) => work / (series.sketches[row * KNOTS + knot] as number)),
  };
}

/** The KPI that the same indicator declares for another statistic. */
const siblingKpi = ({ indicator }: CaseKey, statistic: string): string | null =>
  findIndicator(indicator).kpis.find((kpi) => kpi.statistic === statistic)?.name ?? null;

function entriesOf(series: Series, { fleet, scale }: Making, refused: Refused[]): readonly BaselineEntry[] {
  const key = readKey(series.key);
  const title = keyTitle(series.key);
  if (key === null || series.better !== 'higher') {
    refused.push({ title, why: 'it is no KPI of pi-bench, so no case of ours is judged by it' });
    return [];
  }
  if (series.places.length < LEAST_NODES) {
    refused.push({
      title,
      why: `${series.places.length} of the nodes have it; a baseline needs ${LEAST_NODES}`,
    });
    return [];
  }
  const tests = RULES.length * fleet.series.length;
  const { kept: alike, reference } = judgeSeries(series, null, { tests, scale });
  const kept = alike.filter((row) => !isWrong(fleet, series, row));
  if (kept.length === 0) {
    refused.push({ title, why: 'every node that has it computed a wrong result' });
    return [];
  }
  refuseMixedLimits(fleet, series, kept);
  const { columns, unit, device } = series;
  const peaks = known(columns.peak, kept);
  const peak = series.peak === null || peaks.length === 0 ? null : { ...series.peak, value: median(peaks) };
  const entry = (values: Float64Array, kpi: string, p05: number | null): BaselineEntry => {
    const middle = median(values);
    return {
      device,
      ...key,
      kpi,
      unit,
      direction: 'higher',
      median: middle,
      p05,
      spread: {
        mad: deviationFrom(middle, values),
        low: values.reduce((a, b) => Math.min(a, b)),
        high: values.reduce((a, b) => Math.max(a, b)),
      },
      nodes: kept.length,
      dropped: series.places.length - kept.length,
      peak,
      distribution: null,
    };
  };
  const lows = known(columns.p05, kept);
  const main = entry(known(columns.median, kept), key.kpi, lows.length === 0 ? null : median(lows));
  const problem = refusal(main.median, peak, unit);
  if (problem !== null) {
    refused.push({ title, why: problem });
    return [];
  }
  const sustained = known(columns.sustained, kept);
  const sustainedKpi = siblingKpi(key, 'sustained');
  return [
    { ...main, distribution: reference === null ? null : distributionOf(series, reference, key) },
    ...(sustained.length === 0 || sustainedKpi === null ? [] : [entry(sustained, sustainedKpi, null)]),
  ];
}

/**
 * @param fleet of one kind of hardware
 * @throws UserError where nothing can be an entry
 */
export function makeBaseline(
  fleet: Fleet,
  about: { readonly name: string; readonly createdAt: string; readonly piBench: PiBenchIdentity },
  scale: number,
): MadeBaseline {
  const refused: Refused[] = [];
  const entries = fleet.series.flatMap((series) => entriesOf(series, { fleet, scale }, refused));
  if (entries.length === 0) {
    const [first] = refused;
    throw new UserError(
      `these ${fleet.nodes.length} nodes make no baseline: ${first === undefined ? 'nothing was measured on them' : `${first.title}: ${first.why}`}`,
    );
  }
  return {
    baseline: {
      $schema: BASELINE_SCHEMA,
      kind: BASELINE_KIND,
      schemaVersion: BASELINE_VERSION,
      name: about.name,
      createdAt: about.createdAt,
      piBench: { ...about.piBench },
      nodes: fleet.nodes.map(({ machine, hostname, node, campaign, digest }) => ({
        machine,
        hostname: hostname ?? node,
        campaign: campaign ?? '',
        digest,
      })),
      entries,
    },
    refused,
  };
}

/** Of a reference sketch: standard deviation over mean, each piece between two quantiles spread evenly. */
export function cvOfSketch(sketch: ArrayLike<number>): number {
  let [mass, first, second] = [0, 0, 0];
  for (let knot = 1; knot < KNOTS; knot++) {
    const [low, high] = [sketch[knot - 1] as number, sketch[knot] as number];
    const share = (SHARES[knot] as number) - (SHARES[knot - 1] as number);
    mass += share;
    first += (share * (low + high)) / 2;
    second += (share * (low * low + low * high + high * high)) / 3;
  }
  const mean = first / mass;
  return Math.sqrt(Math.max(0, second / mass - mean * mean)) / mean;
}

/** The rates of an entry's distribution at our quantiles; null: not kept, or kept at others that do not reach as far. */
export function sketchOfEntry({ distribution, median: rate }: BaselineEntry): Float64Array | null {
  if (distribution === null) return null;
  const { probabilities, seconds } = distribution;
  const at = (probability: number): number => {
    const next = probabilities.findIndex((one) => one >= probability - 1e-12);
    if (next < 0) return Number.NaN;
    const [p1, s1] = [probabilities[next] ?? 0, seconds[next] ?? 0];
    if (next === 0) return p1 <= probability + 1e-12 ? s1 : Number.NaN;
    const [p0, s0] = [probabilities[next - 1] ?? 0, seconds[next - 1] ?? 0];
    return s0 + ((s1 - s0) * (probability - p0)) / (p1 - p0);
  };
  const middle = at(1 - (SHARES[MEDIAN_KNOT] ?? 0.5));
  const sketch = Float64Array.from(SHARES, (share) => (rate * middle) / at(1 - share));
  return sketch.some(Number.isNaN) ? null : sketch;
}
