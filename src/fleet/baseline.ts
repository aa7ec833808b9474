/** `fleet baseline`: what nodes of one kind reach, outliers left out, as the file by which one more of them is judged. Pure. */
import { UserError } from '../errors.js';
import { findIndicator, indicators } from '../indicators/index.js';
import type { PiBenchIdentity } from '../package.js';
import { entryProblem } from '../qualify/baseline.js';
import { commonHardware, hardwareIn } from '../qualify/baseline-hardware.js';
import { apartFromManner } from '../qualify/baseline-key.js';
import {
  type Apart,
  BASELINE_KIND,
  BASELINE_SCHEMA,
  BASELINE_VERSION,
  type Baseline,
  type BaselineDevice,
  type BaselineEntry,
} from '../qualify/baseline-schema.js';
import { plural } from '../quantities/format.js';
import { countedWork } from '../record/work.js';
import { deviationFrom, median } from '../statistics/quantile.js';
import { beyondOf, beyondRows, blanked } from './beyond.js';
import { type CaseKey, keyTitle, readKey } from './case-key.js';
import { failedChecksOf } from './failed-checks.js';
import { judgeSeries, pick } from './judge-series.js';
import { centreOf, LEAST_NODES } from './limits.js';
import type { NodeHead } from './node-line.js';
import { checkText, openChecksOf } from './open-checks.js';
import { type Outliers, outliersOf } from './outliers.js';
import { typicalOf } from './overall.js';
import { refuseMixedLimits } from './power-limits.js';
import { comparableRows, gapsFrom, worseness } from './rules.js';
import { KNOTS, MEDIAN_KNOT, SHARES } from './sketch.js';
import { spoiledOf, spoiledRows } from './spoiled.js';
import { deviceKey, type Fleet, gpusOf, kpisOfNode, nodesOfRows, type Series, sharedNodes } from './table.js';

export interface Refused {
  readonly title: string;
  readonly why: string;
}

export interface MadeBaseline {
  readonly baseline: Baseline;
  readonly refused: readonly Refused[];
  /** Nodes that are no example, and rates that are none. */
  readonly leftOut: readonly LeftOut[];
}

export interface LeftOut {
  readonly node: string;
  readonly why: string;
}

interface Making {
  readonly scale: number;
  readonly fleet: Fleet;
  /** Of a node, on all of its devices. */
  readonly kpis: number;
}

const known = (values: Float64Array, rows: Int32Array): Float64Array =>
  Float64Array.from(rows, (row) => values[row] as number).filter((value) => !Number.isNaN(value));

/**
 * A node that computes wrong results, in which a check found a defect, or of which nobody knows whether it would, is no example,
 * however fast it is; null: it is one.
 */
function whyNoExample(node: NodeHead): string | null {
  const wrong = node.problems.find(({ kind }) => kind === 'wrong');
  if (wrong !== undefined) return `${wrong.what}: ${wrong.why}`;
  const failed = failedChecksOf(node).map(checkText);
  if (failed.length > 0) return failed.join('; ');
  const open = openChecksOf(node);
  return open.length === 0 ? null : `open: ${open.join('; ')}`;
}

/** A fleet's examples: of the other nodes, and of rates that are spoiled or above what bounds them, nothing is known. */
function examplesOf(fleet: Fleet): { readonly fleet: Fleet; readonly leftOut: readonly LeftOut[] } {
  const { nodes, places } = fleet;
  const whys = nodes.map(whyNoExample);
  const series = fleet.series.map((one) => {
    const rows = [...one.places.keys()].filter((row) => {
      const node = places[one.places[row] ?? -1]?.node ?? -1;
      return (whys[node] ?? null) !== null;
    });
    return blanked(one, [...rows, ...spoiledRows(one).keys(), ...beyondRows(one, true)]);
  });
  const parts = [...beyondOf(fleet, true), ...spoiledOf(fleet)].filter(({ node }) => whys[node] === null);
  return {
    fleet: { ...fleet, series },
    leftOut: [
      ...nodes.flatMap(({ node }, i) => {
        const why = whys[i] ?? null;
        return why === null ? [] : [{ node, why }];
      }),
      ...parts.map(({ node, text }) => ({ node: nodes[node]?.node ?? '', why: text })),
    ],
  };
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
  const seconds = shares.map(({ knot }) => work / (series.sketches[row * KNOTS + knot] as number));
  // A rate so far below the others that its line has 0 for it: no file holds a time without end.
  if (!seconds.every(Number.isFinite)) return null;
  return { probabilities: shares.map(({ share }) => 1 - share), seconds };
}

const differentOf = (nodes: Int32Array): number => new Set(nodes).size;

/**
 * Where nodes lie, and how far apart; null: too few of them tell.
 * @param values as they are compared, the logarithms of rates
 * @param of which node each is, as `centreOf` takes it
 * @param natural a centre as a file has it
 */
function apartOf(values: Float64Array, of: Int32Array, natural = (centre: number): number => centre): Apart {
  const nodes = differentOf(of.filter((_, i) => !Number.isNaN(values[i])));
  const all = centreOf(values, of);
  if (all === null || nodes < LEAST_NODES) return null;
  const { centre, deviation } = all;
  return { centre: natural(centre), deviation, nodes };
}

/** How nodes differ beside their medians, as `fleet check` will look at one more of them. */
function apartOfNodes(
  fleet: Fleet,
  series: Series,
  kept: Int32Array,
  entry: BaselineEntry,
): NonNullable<BaselineEntry['apart']> {
  const nodes = nodesOfRows(fleet, series, kept);
  const by = (rule: 'p05' | 'spread' | 'drift', natural?: (centre: number) => number): Apart =>
    apartOf(pick(worseness(series, rule), kept), nodes, natural);
  const sketch = sketchOfEntry(entry);
  const able = comparableRows(series, kept);
  const gaps = (values: Float64Array): Float64Array =>
    pick(gapsFrom(series, { values, at: 0, n: Number.POSITIVE_INFINITY }, able), able);
  return {
    p05: by('p05', (centre) => Math.exp(-centre)),
    cv: by('spread'),
    drift: by('drift', (centre) => -centre),
    distribution: sketch === null ? null : apartOf(gaps(sketch), nodesOfRows(fleet, series, able)),
  };
}

/** The KPI that the same indicator declares for another statistic. */
const siblingKpi = ({ indicator }: CaseKey, statistic: string): string | null =>
  findIndicator(indicator).kpis.find((kpi) => kpi.statistic === statistic)?.name ?? null;

/** What comes of a KPI: its entries, and of which rows they are, which are outliers. */
interface Made {
  readonly entries: readonly BaselineEntry[];
  readonly kept: Int32Array;
  readonly outliers: Outliers | null;
}

const NOTHING_MADE: Made = { entries: [], kept: new Int32Array(0), outliers: null };

function entriesOf(series: Series, { fleet, scale, kpis }: Making, refused: Refused[]): Made {
  const key = readKey(series.key);
  const title = keyTitle(series.key);
  const isOurs = key !== null && indicators.some(({ name }) => name === key.indicator);
  if (!isOurs || series.better !== 'higher') {
    refused.push({ title, why: 'it is no KPI of pi-bench, so no case of ours is judged by it' });
    return NOTHING_MADE;
  }
  const having = differentOf(nodesOfRows(fleet, series));
  if (having < LEAST_NODES) {
    refused.push({
      title,
      why: `${having} of the nodes ${having === 1 ? 'has' : 'have'} it; a baseline needs ${LEAST_NODES}`,
    });
    return NOTHING_MADE;
  }
  const {
    kept: alike,
    reference,
    findings,
    earlier,
  } = judgeSeries(series, sharedNodes(fleet, series), null, { kpis, scale });
  const kept = alike.filter((row) => !Number.isNaN(series.columns.median[row]));
  const nodes = differentOf(nodesOfRows(fleet, series, kept));
  if (nodes < LEAST_NODES) {
    const right = nodes === 0 ? 'none' : String(nodes);
    refused.push({
      title,
      why: `${right} of the nodes that have it computed only right results, failed no check, left none open and measured it without a flag that spoils it; a baseline needs ${LEAST_NODES}`,
    });
    return NOTHING_MADE;
  }
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
      nodes,
      dropped: having - nodes,
      peak,
      distribution: null,
    };
  };
  const lows = known(columns.p05, kept);
  const main = entry(known(columns.median, kept), key.kpi, lows.length === 0 ? null : median(lows));
  const drawn = { ...main, distribution: reference === null ? null : distributionOf(series, reference, key) };
  const whole = { ...drawn, apart: apartOfNodes(fleet, series, kept, drawn) };
  const problem = entryProblem(whole);
  if (problem !== null) {
    refused.push({ title, why: problem });
    return NOTHING_MADE;
  }
  const made = (...entries: readonly BaselineEntry[]): Made => ({
    entries,
    kept,
    outliers: { series, kept: alike, findings: [...findings, ...earlier] },
  });
  const sustained = known(columns.sustained, kept);
  const sustainedKpi = siblingKpi(key, 'sustained');
  if (sustained.length === 0 || sustainedKpi === null) return made(whole);
  const second = entry(sustained, sustainedKpi, null);
  const secondProblem = entryProblem(second);
  if (secondProblem === null) return made(whole, second);
  refused.push({ title: `the sustained rate of ${title}`, why: secondProblem });
  return made(whole);
}

/** Of each kind of device, how nodes differ over all KPIs that have an entry together, each by the rates on which its entry rests. */
function overallOf(fleet: Fleet, made: readonly Made[]): Baseline['overall'] {
  const middles = made.map(({ entries: [entry] }) => (entry === undefined ? null : -Math.log(entry.median)));
  const typical = typicalOf(
    fleet,
    middles,
    made.map(({ kept }) => kept),
  );
  const kinds = new Map<
    string,
    { readonly device: BaselineDevice; readonly values: number[]; readonly of: number[] }
  >();
  fleet.series.forEach(({ device }, i) => {
    if (middles[i] !== null) kinds.set(deviceKey(device), { device, values: [], of: [] });
  });
  fleet.places.forEach(({ node, on }, place) => {
    const head = fleet.nodes[node];
    const device = head?.devices[on];
    const value = typical[place] as number;
    if (device === undefined || Number.isNaN(value)) return;
    const kind = kinds.get(deviceKey(device));
    kind?.values.push(value);
    kind?.of.push(node);
  });
  return [...kinds.values()].map(({ device, values, of }) => ({
    device,
    apart: apartOf(Float64Array.from(values), Int32Array.from(of)),
  }));
}

/** On whose rates entries rest: not a lost node, nor one of which no rate is an example. */
function nodesBehind({ nodes, places, series }: Fleet, made: readonly Made[]): readonly NodeHead[] {
  const behind = new Set<number>();
  made.forEach(({ kept }, i) => {
    for (const row of kept) behind.add(places[series[i]?.places[row] ?? -1]?.node ?? -1);
  });
  return nodes.filter((_, node) => behind.has(node));
}

/** What most of the nodes have that have any; of two that are as frequent the larger. Nothing where no entry is of a GPU. */
function gpusPerNode(
  nodes: readonly NodeHead[],
  entries: readonly BaselineEntry[],
): Pick<Baseline, 'gpusPerNode'> {
  if (entries.every(({ device }) => device.kind !== 'gpu')) return {};
  const counts = new Map<number, number>();
  for (const node of nodes) {
    const gpus = gpusOf(node);
    if (gpus > 0) counts.set(gpus, (counts.get(gpus) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, n], [b, m]) => m - n || b - a);
  return most === undefined ? {} : { gpusPerNode: most[0] };
}

/** Of nodes that brought nothing: who makes a baseline of sixteen nodes has to hear that four are missing. */
function missingOf(
  { nodes }: Fleet,
  behind: readonly NodeHead[],
  leftOut: readonly LeftOut[],
): readonly LeftOut[] {
  const told = new Set(leftOut.map(({ node }) => node));
  return nodes
    .filter((head) => !behind.includes(head) && !told.has(head.node))
    .flatMap(({ node, problems }) => {
      const lost = problems.find(({ kind }) => kind === 'lost');
      return lost === undefined ? [] : [{ node, why: `${lost.what}: ${lost.why}` }];
    });
}

/**
 * @param given of one kind of hardware
 * @throws UserError where nothing can be an entry, or power limits differ
 */
export function makeBaseline(
  given: Fleet,
  about: { readonly name: string; readonly createdAt: string; readonly piBench: PiBenchIdentity },
  scale: number,
): MadeBaseline {
  refuseMixedLimits(given);
  const { fleet, leftOut: noExamples } = examplesOf(given);
  const refused: Refused[] = [];
  const making: Making = { scale, fleet, kpis: kpisOfNode(fleet) };
  const made = fleet.series.map((series) => entriesOf(series, making, refused));
  const entries = made.flatMap(({ entries: own }) => own);
  if (entries.length === 0) {
    const [first] = refused;
    const [out] = noExamples;
    const example = out === undefined ? '' : `; ${out.node} is left out for ${out.why}`;
    throw new UserError(
      `${plural(fleet.nodes.length, 'node makes', 'nodes make')} no baseline: ${first === undefined ? 'nothing was measured on them' : `${first.title}: ${first.why}${example}`}`,
    );
  }
  const behind = nodesBehind(fleet, made);
  const outliers = outliersOf(
    fleet,
    made.flatMap((one) => one.outliers ?? []),
  );
  const leftOut = [...noExamples, ...outliers];
  return {
    baseline: {
      $schema: BASELINE_SCHEMA,
      kind: BASELINE_KIND,
      schemaVersion: BASELINE_VERSION,
      name: about.name,
      createdAt: about.createdAt,
      piBench: { ...about.piBench },
      nodes: behind.map(({ machine, hostname, node, campaign, digest, tool }) => ({
        machine,
        hostname: hostname ?? node,
        campaign: campaign ?? '',
        digest,
        piBench: tool.name === 'pi-bench' ? tool.version : null,
      })),
      hardware: commonHardware(behind.map(({ hardware }) => hardwareIn(hardware))),
      ...gpusPerNode(behind, entries),
      entries: [...entries],
      overall: overallOf(fleet, made),
    },
    refused,
    leftOut: [...leftOut, ...missingOf(fleet, behind, leftOut)],
  };
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
