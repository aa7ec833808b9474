/** `fleet baseline`: what nodes of one kind reach, outliers left out, as the file by which one more of them is judged. Pure. */
import { UserError } from '../errors.js';
import { findIndicator, indicators } from '../indicators/index.js';
import type { PiBenchIdentity } from '../package.js';
import { entryProblem } from '../qualify/baseline.js';
import { apartFromManner } from '../qualify/baseline-key.js';
import {
  BASELINE_KIND,
  BASELINE_SCHEMA,
  BASELINE_VERSION,
  type Baseline,
  type BaselineEntry,
} from '../qualify/baseline-schema.js';
import { plural } from '../quantities/format.js';
import { countedWork } from '../record/work.js';
import { deviationFrom, median } from '../statistics/quantile.js';
import { type CaseKey, keyTitle, readKey } from './case-key.js';
import { judgeSeries, LEAST_NODES } from './judge-series.js';
import type { NodeHead } from './node-line.js';
import { refuseMixedLimits } from './power-limits.js';
import { comparableRows, referenceRow } from './rules.js';
import { KNOTS, MEDIAN_KNOT, SHARES } from './sketch.js';
import type { Fleet, Series } from './table.js';

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

/** A node that computes wrong results is no example, however fast it does. */
function isWrong({ nodes, places }: Fleet, series: Series, row: number): boolean {
  const node = nodes[places[series.places[row] as number]?.node ?? -1];
  return node?.problems.some(({ kind }) => kind === 'wrong') ?? false;
}

/** null: parameters of another version, of which this one does not know the work. */
function workOf({ indicator: name, parameters }: CaseKey): number | null {
  const { work, rateCounts } = findIndicator(name);
  try {
    return countedWork({ work: work(apartFromManner(parameters).own), rateCounts });
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

function nearestOf(series: Series, kept: Int32Array): number | null {
  const able = comparableRows(series, kept);
  return able.length === 0 ? null : referenceRow(series, able);
}

/** The KPI that the same indicator declares for another statistic. */
const siblingKpi = ({ indicator }: CaseKey, statistic: string): string | null =>
  findIndicator(indicator).kpis.find((kpi) => kpi.statistic === statistic)?.name ?? null;

function entriesOf(series: Series, { fleet, scale }: Making, refused: Refused[]): readonly BaselineEntry[] {
  const key = readKey(series.key);
  const title = keyTitle(series.key);
  const isOurs = key !== null && indicators.some(({ name }) => name === key.indicator);
  if (!isOurs || series.better !== 'higher') {
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
  const { kept: alike, reference: nearest } = judgeSeries(series, null, { kpis: fleet.series.length, scale });
  const kept = alike.filter((row) => !isWrong(fleet, series, row));
  if (kept.length < LEAST_NODES) {
    const right = kept.length === 0 ? 'none' : String(kept.length);
    refused.push({
      title,
      why: `${right} of the nodes that have it computed only right results; a baseline needs ${LEAST_NODES}`,
    });
    return [];
  }
  // A node that is wrong must not stand for the others.
  const reference = kept.length === alike.length ? nearest : nearestOf(series, kept);
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
  const whole = { ...main, distribution: reference === null ? null : distributionOf(series, reference, key) };
  const problem = entryProblem(whole);
  if (problem !== null) {
    refused.push({ title, why: problem });
    return [];
  }
  const sustained = known(columns.sustained, kept);
  const sustainedKpi = siblingKpi(key, 'sustained');
  if (sustained.length === 0 || sustainedKpi === null) return [whole];
  const second = entry(sustained, sustainedKpi, null);
  const secondProblem = entryProblem(second);
  if (secondProblem === null) return [whole, second];
  refused.push({ title: `the sustained rate of ${title}`, why: secondProblem });
  return [whole];
}

/** A lost node says nothing of what nodes reach. */
function measuredNodes({ nodes, places }: Fleet): readonly NodeHead[] {
  const measured = new Set(places.map(({ node }) => node));
  return nodes.filter((_, node) => measured.has(node));
}

/**
 * @param fleet of one kind of hardware
 * @throws UserError where nothing can be an entry, or power limits differ
 */
export function makeBaseline(
  fleet: Fleet,
  about: { readonly name: string; readonly createdAt: string; readonly piBench: PiBenchIdentity },
  scale: number,
): MadeBaseline {
  refuseMixedLimits(fleet);
  const refused: Refused[] = [];
  const entries = fleet.series.flatMap((series) => entriesOf(series, { fleet, scale }, refused));
  if (entries.length === 0) {
    const [first] = refused;
    throw new UserError(
      `${plural(fleet.nodes.length, 'node makes', 'nodes make')} no baseline: ${first === undefined ? 'nothing was measured on them' : `${first.title}: ${first.why}`}`,
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
      nodes: measuredNodes(fleet).map(({ machine, hostname, node, campaign, digest, tool }) => ({
        machine,
        hostname: hostname ?? node,
        campaign: campaign ?? '',
        digest,
        piBench: tool.name === 'pi-bench' ? tool.version : null,
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
