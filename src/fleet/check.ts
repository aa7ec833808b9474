/** `fleet check`: every node against its fleet, or against a baseline; who is named, why, and what to do. Pure. */
import { median } from '../statistics/quantile.js';
import { keyTitle } from './case-key.js';
import {
  CAUSE_NAMES,
  CAUSES,
  type CauseName,
  causeOfCheck,
  causesOf,
  type Evidence,
  type Severity,
} from './causes.js';
import { type Disagreement, disagreements } from './identity.js';
import {
  type BaselineCentres,
  judgeSeries,
  LEAST_NODES,
  pick,
  type SeriesJudgement,
} from './judge-series.js';
import { centreOf } from './limits.js';
import { judgeOverall } from './overall.js';
import { RULES, type RuleName } from './rules.js';
import type { Fleet, Series } from './table.js';

export interface Finding {
  /** null: over all KPIs. */
  readonly key: string | null;
  readonly title: string;
  readonly on: string;
  readonly rule: RuleName;
  readonly worse: number;
  readonly limit: number;
}

export interface NamedNode {
  readonly node: string;
  readonly machine: string | null;
  /** Devices that are worse; empty: the node as a whole. */
  readonly on: readonly string[];
  readonly verdict: 'fail' | 'inconclusive';
  readonly cause: CauseName;
  readonly severity: Severity;
  readonly reason: string;
  readonly action: string;
  readonly beside: readonly CauseName[];
  /** The furthest beyond its limit first. */
  readonly findings: readonly Finding[];
}

export interface NotJudged {
  readonly what: string;
  readonly why: string;
}

export interface FleetCheck {
  readonly nodes: number;
  readonly kpis: number;
  /** null: the nodes were held against each other. */
  readonly baseline: { readonly name: string; readonly nodes: number } | null;
  readonly outcome: 'pass' | 'fail' | 'inconclusive';
  readonly named: readonly NamedNode[];
  /** What nodes do not agree on and are not named for by itself. */
  readonly settings: readonly Disagreement[];
  readonly notJudged: readonly NotJudged[];
  /** The node, of those that are not named, whose distributions stood for the fleet's most often; null: none did. */
  readonly reference: string | null;
}

export interface CheckOptions {
  /** Of all margins: 1 is as shipped. */
  readonly scale: number;
  readonly baseline: {
    readonly name: string;
    readonly nodes: number;
    /** null: it has no entry for this series. */
    readonly of: (series: Series) => BaselineCentres | null;
  } | null;
}

/** Everything that is known of a place while its cause is sought. */
interface Suspicion {
  readonly findings: Finding[];
  readonly flags: Set<string>;
  readonly clocks: number[];
  readonly tails: number[];
}

const RARE = 0.5;

function flagCounts({ flags }: Series): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const names of flags.values()) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function noteSeries(
  series: Series,
  { findings, kept }: SeriesJudgement,
  fleet: Fleet,
  suspicions: Map<number, Suspicion>,
): void {
  if (findings.length === 0) return;
  const title = keyTitle(series.key);
  const counts = flagCounts(series);
  const clock = centreOf(pick(series.columns.hertz, kept))?.centre ?? null;
  for (const { row, rule, worse, limit } of findings) {
    const place = series.places[row] as number;
    const { findings: own, flags, clocks, tails } = suspicionOf(place, suspicions);
    own.push({ key: series.key, title, on: fleet.places[place]?.on ?? '', rule, worse, limit });
    for (const flag of series.flags.get(row) ?? []) {
      if ((counts.get(flag) ?? 0) <= RARE * series.places.length || series.places.length < LEAST_NODES) {
        flags.add(flag);
      }
    }
    const tail = tailOf(series, row);
    if (tail !== null) tails.push(tail);
    const here = series.columns.hertz[row] as number;
    if (clock !== null && !Number.isNaN(here)) clocks.push(1 - here / clock);
  }
}

function tailOf({ columns }: Series, row: number): number | null {
  const below = 1 - (columns.p05[row] as number) / (columns.median[row] as number);
  const tail = below / (columns.cv[row] as number);
  return Number.isFinite(tail) ? tail : null;
}

function suspicionOf(place: number, suspicions: Map<number, Suspicion>): Suspicion {
  const known = suspicions.get(place) ?? { findings: [], flags: new Set<string>(), clocks: [], tails: [] };
  suspicions.set(place, known);
  return known;
}

/** Beyond the limit, in limits: how findings of all rules are put in order. */
const beyond = ({ worse, limit }: Finding): number => worse / limit;

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const inOrder = (a: Finding, b: Finding): number =>
  beyond(b) - beyond(a) || byName(a.key ?? '', b.key ?? '') || byName(a.on, b.on);

function evidenceOf(suspicions: readonly Suspicion[], settings: readonly string[]): Evidence {
  const worst: Partial<Record<RuleName, number>> = {};
  for (const { rule, worse } of suspicions.flatMap(({ findings }) => findings)) {
    worst[rule] = Math.max(worst[rule] ?? 0, worse);
  }
  const clocks = suspicions.flatMap(({ clocks: own }) => own);
  const tails = suspicions.flatMap(({ tails: own }) => own);
  return {
    worst,
    flags: new Set(suspicions.flatMap(({ flags }) => [...flags])),
    clock: clocks.length === 0 ? null : median(clocks),
    tail: tails.length === 0 ? null : median(tails),
    settings,
  };
}

/** Most nodes have a setting of which this node has another: in words, by node. */
function unusualSettings(fleet: Fleet, all: readonly Disagreement[]): readonly (readonly string[])[] {
  return fleet.nodes.map(({ settings }) =>
    all.flatMap(({ name, values }) => {
      const [first] = values;
      const own = settings[name] ?? null;
      if (first === undefined || own === first.value || first.nodes <= fleet.nodes.length / 2) return [];
      return [`${name} is ${own ?? 'not known'}, of ${first.nodes} others ${first.value ?? 'not known'}`];
    }),
  );
}

interface Missing {
  readonly node: number;
  readonly on: string;
  readonly keys: readonly string[];
}

/** KPIs that at least half of the nodes have on a device of that name and kind. */
function missingOf({ places, series, nodes }: Fleet): readonly Missing[] {
  const deviceOf = (place: number): string => {
    const { node, on } = places[place] ?? { node: 0, on: '' };
    return JSON.stringify([on, { ...nodes[node]?.devices[on], powerLimitWatts: null }]);
  };
  const devices = places.map((_, place) => deviceOf(place));
  const sizes = new Map<string, number>();
  for (const device of devices) sizes.set(device, (sizes.get(device) ?? 0) + 1);
  const missing = new Map<number, string[]>();
  for (const one of series) {
    const having = new Set(one.places);
    const counts = new Map<string, number>();
    for (const place of one.places)
      counts.set(devices[place] ?? '', (counts.get(devices[place] ?? '') ?? 0) + 1);
    for (const [device, count] of counts) {
      const size = sizes.get(device) ?? 0;
      if (count === size || count < size / 2) continue;
      devices.forEach((other, place) => {
        if (other !== device || having.has(place)) return;
        missing.set(place, [...(missing.get(place) ?? []), keyTitle(one.key)]);
      });
    }
  }
  return [...missing].map(([place, keys]) => ({ ...(places[place] as Fleet['places'][number]), keys }));
}

/** What is wrong with a node beside its speed, in words. */
type Problems = ReadonlyMap<CauseName, readonly string[]>;

function problemsOf(fleet: Fleet): ReadonlyMap<number, Problems> {
  const all = new Map<number, Map<CauseName, string[]>>();
  const note = (node: number, cause: CauseName, text: string): void => {
    const own = all.get(node) ?? new Map<CauseName, string[]>();
    all.set(node, own);
    own.set(cause, [...(own.get(cause) ?? []), text]);
  };
  fleet.nodes.forEach(({ problems, checks }, node) => {
    for (const { kind, what, why } of problems) {
      note(node, kind === 'wrong' ? 'wrong-result' : 'lost', `${what}: ${why}`);
    }
    for (const { name, verdict, cause, reason } of checks) {
      if (verdict === 'fail')
        note(node, causeOfCheck(cause), `${name}${reason === null ? '' : `: ${reason}`}`);
    }
  });
  for (const { node, on, keys } of missingOf(fleet)) {
    // Who says why it lacks something has said it already.
    if (all.has(node)) continue;
    const more = keys.length > 1 ? ` and ${keys.length - 1} more` : '';
    note(node, 'lost', `${on} lacks what others have: ${keys[0]}${more}`);
  }
  return all;
}

const NO_PROBLEMS: Problems = new Map();

/** The worst cause of a node is that of its whole: a wrong result makes its speed unimportant. */
function nameNode(
  fleet: Fleet,
  node: number,
  suspicions: readonly Suspicion[],
  problems: Problems,
  settings: readonly string[],
): NamedNode {
  const findings = suspicions.flatMap((one) => one.findings).sort(inOrder);
  const found = new Set<CauseName>([
    ...(findings.length === 0 ? [] : causesOf(evidenceOf(suspicions, settings))),
    ...problems.keys(),
  ]);
  const [cause = 'slow', ...beside] = CAUSE_NAMES.filter((name) => found.has(name));
  const detail = problems.get(cause) ?? (cause === 'settings' ? settings : []);
  const { severity, words, action } = CAUSES[cause];
  const { node: name = '', machine = null } = fleet.nodes[node] ?? {};
  return {
    node: name,
    machine,
    on: [...new Set(findings.map(({ on }) => on))].sort(byName),
    verdict: cause === 'lost' && findings.length === 0 ? 'inconclusive' : 'fail',
    cause,
    severity,
    reason: detail.length === 0 ? words : `${words} (${detail.slice(0, 2).join('; ')})`,
    action,
    beside,
    findings,
  };
}

const RANK: Readonly<Record<NamedNode['verdict'], number>> = { fail: 0, inconclusive: 1 };

function whyNotJudged(judgement: SeriesJudgement, series: Series, hasBaseline: boolean): NotJudged[] {
  if (Object.keys(judgement.limits).length > 0) return [];
  const count = series.places.length;
  return [
    {
      what: keyTitle(series.key),
      why: hasBaseline
        ? 'the baseline has no entry for it'
        : `${count === 1 ? 'one node has' : `${count} nodes have`} it, and fewer than ${LEAST_NODES} cannot say which of them is off`,
    },
  ];
}

function mostFrequent(names: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || byName(a, b))[0]?.[0] ?? null;
}

const NO_BASELINE: BaselineCentres = { centres: {}, sketch: null };

/** @param fleet of one kind of hardware */
export function checkFleet(fleet: Fleet, { scale, baseline }: CheckOptions): FleetCheck {
  const { nodes, places, series } = fleet;
  const tests = RULES.length * Math.max(1, series.length);
  const centres = series.map((one) => (baseline === null ? null : (baseline.of(one) ?? NO_BASELINE)));
  const judgements = series.map((one, i) => judgeSeries(one, centres[i] ?? null, { tests, scale }));
  const suspicions = new Map<number, Suspicion>();
  series.forEach((one, i) => {
    noteSeries(one, judgements[i] as SeriesJudgement, fleet, suspicions);
  });
  const middles = baseline === null ? null : centres.map((one) => one?.centres.median?.centre ?? null);
  for (const { place, worse, limit } of judgeOverall(fleet, judgements, middles, scale)) {
    const on = places[place]?.on ?? '';
    suspicionOf(place, suspicions).findings.push({
      key: null,
      title: 'all KPIs',
      on,
      rule: 'overall',
      worse,
      limit,
    });
  }
  const problems = problemsOf(fleet);
  const disagreed = disagreements(nodes, 'settings');
  const unusual = unusualSettings(fleet, disagreed);
  const ofNode = new Map<number, Suspicion[]>();
  for (const [place, suspicion] of suspicions) {
    const node = places[place]?.node ?? 0;
    ofNode.set(node, [...(ofNode.get(node) ?? []), suspicion]);
  }
  const named = [...new Set([...ofNode.keys(), ...problems.keys()])]
    .map((node) =>
      nameNode(fleet, node, ofNode.get(node) ?? [], problems.get(node) ?? NO_PROBLEMS, unusual[node] ?? []),
    )
    .sort((a, b) => RANK[a.verdict] - RANK[b.verdict] || byName(a.node, b.node));
  const notJudged = judgements.flatMap((one, i) => whyNotJudged(one, series[i] as Series, baseline !== null));
  const open = notJudged.length > 0 || series.length === 0 || named.length > 0;
  return {
    nodes: nodes.length,
    kpis: series.length,
    baseline: baseline === null ? null : { name: baseline.name, nodes: baseline.nodes },
    outcome: named.some(({ verdict }) => verdict === 'fail') ? 'fail' : open ? 'inconclusive' : 'pass',
    named,
    settings: disagreed,
    notJudged,
    reference: mostFrequent(
      judgements.flatMap(({ reference }, i) => {
        if (reference === null) return [];
        const place = places[series[i]?.places[reference] ?? -1];
        const name = nodes[place?.node ?? -1]?.node;
        return name === undefined || named.some(({ node }) => node === name) ? [] : name;
      }),
    ),
  };
}
