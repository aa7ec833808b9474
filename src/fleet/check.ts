/** `fleet check`: every node against its fleet, or against a baseline; who is named, why, and what to do. Pure. */
import { otherVersions } from '../qualify/versions.js';
import type { HeldAgainst } from './baseline-centres.js';
import { withoutBeyond } from './beyond.js';
import { CAUSE_NAMES, CAUSES, type CauseName, causesOf, type Severity } from './causes.js';
import { adviceOf, failedChecksOf } from './failed-checks.js';
import { type Disagreement, disagreements, isTold, sameMachines } from './identity.js';
import { type BaselineCentres, type JudgeTask, judgeAll, type SeriesJudgement } from './judge-series.js';
import { lackedByMost } from './missing.js';
import { importedAdvice } from './next-step.js';
import { type Problems, problemsOf } from './node-problems.js';
import {
  isCompared,
  isJudged,
  type NotJudged,
  nodesHaving,
  nodesIn,
  notComparedNodes,
  unjudgedNodes,
  whyNotJudged,
} from './not-judged.js';
import { notesOf } from './notes.js';
import {
  checkText,
  hasJudgedCheck,
  type OptionalCheck,
  optionalChecksOf,
  warnedChecksOf,
} from './open-checks.js';
import { judgeOverall, judgeOverallBy } from './overall.js';
import { mixedLimits } from './power-limits.js';
import {
  evidenceOf,
  type Finding,
  noteSeries,
  type Suspicion,
  suspicionOf,
  tailReaches,
} from './suspicion.js';
import { type Fleet, kpisOfNode, type Series, sharedNodes } from './table.js';
import { type UnseenRule, unseenRules } from './unseen-rules.js';

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
  /** Checks of its own that failed, each with its reason, whatever the cause is. */
  readonly failedChecks: readonly string[];
  readonly beside: readonly CauseName[];
  /** The furthest beyond its limit first. */
  readonly findings: readonly Finding[];
}

export interface FleetCheck {
  readonly nodes: number;
  readonly kpis: number;
  /** null: the nodes were held against each other. */
  readonly baseline: {
    readonly name: string;
    readonly nodes: number;
    /** Of pi-bench, that measured it and none of these nodes: its kernels are not theirs. */
    readonly otherVersions: readonly string[];
  } | null;
  readonly outcome: 'pass' | 'fail' | 'inconclusive';
  readonly named: readonly NamedNode[];
  /** What nodes do not agree on and are not named for by itself. */
  readonly settings: readonly Disagreement[];
  /** A line for each kind of device whose power limits differ. */
  readonly powerLimits: readonly string[];
  readonly notJudged: readonly NotJudged[];
  /** Nodes that are not named only because nothing of them was judged: no KPI, and no check of their own. */
  readonly unjudged: readonly string[];
  /** Nodes with KPIs of which none was held against another node or a baseline, whatever their own checks say. */
  readonly notCompared: readonly string[];
  /** Open checks that leave no node open. */
  readonly optional: readonly OptionalCheck[];
  /** Checks that hold and warn: they change nothing. */
  readonly warned: readonly OptionalCheck[];
  /** Of KPIs that were judged, by which rules they were not. */
  readonly unseen: readonly UnseenRule[];
  /** Nodes that are one machine by its identity, as one that is given twice; each group by its names. */
  readonly sameMachines: readonly (readonly string[])[];
  /** What is to be known beside this and changes nothing in it, each in a sentence. */
  readonly notes: readonly string[];
  /** The node, of those that are not named, whose distributions stood for the fleet's most often; null: none did. */
  readonly reference: string | null;
}

export interface CheckOptions {
  /** Of all margins: 1 is as shipped. */
  readonly scale: number;
  /** null: the nodes are held against each other. */
  readonly baseline: HeldAgainst | null;
}

/** Beyond the limit, in limits: how findings of all rules are put in order. */
const beyond = ({ worse, limit }: Finding): number => worse / limit;

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const inOrder = (a: Finding, b: Finding): number =>
  beyond(b) - beyond(a) || byName(a.key ?? '', b.key ?? '') || byName(a.on, b.on);

/** Most nodes have a setting of which this node has another: in words, by node. */
function unusualSettings(fleet: Fleet, all: readonly Disagreement[]): readonly (readonly string[])[] {
  const told = fleet.nodes.filter((node) => isTold(node, 'settings')).length;
  return fleet.nodes.map((node) =>
    all.flatMap(({ name, values }) => {
      const [first] = values;
      const own = node.settings[name] ?? null;
      if (first === undefined || own === first.value || first.nodes <= told / 2) return [];
      // What a node, or most nodes, do not tell is no value.
      if (own === null || first.value === null) return [];
      return [`${name} is ${own}, of ${first.nodes} others ${first.value}`];
    }),
  );
}

/** Causes that only say how a node is worse: nothing else speaks against it. */
const SHAPES: ReadonlySet<CauseName> = new Set(['pausing', 'drifting', 'stalling', 'scattered', 'slow']);

/** Causes that only say what is not known of it. */
const GAPS: ReadonlySet<CauseName> = new Set(['missing-device', 'lost', 'above-ceiling', 'open-check']);

const NO_PROBLEMS: Problems = new Map();

/** Of what was measured or lost; of failed checks all are told. */
const MOST_DETAILS = 2;

function reasonOf(words: string, detail: readonly string[], failedChecks: readonly string[]): string {
  const own = detail.filter((text, i) => i < MOST_DETAILS || failedChecks.includes(text));
  const others = failedChecks.filter((text) => !own.includes(text));
  return [
    own.length === 0 ? words : `${words} (${own.join('; ')})`,
    ...(others.length === 0 ? [] : [`failed checks: ${others.join('; ')}`]),
  ].join('; ');
}

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
  const head = fleet.nodes[node];
  const { node: name = '', machine = null, checks = [] } = head ?? {};
  const failed = failedChecksOf({ checks });
  const failedChecks = failed.map(checkText);
  const origin = head === undefined ? {} : importedAdvice(head, cause);
  const { severity, words, action } = { ...CAUSES[cause], ...origin, ...adviceOf(failed, cause) };
  // A check that failed is a defect, however far nodes of this fleet lie from its middle.
  const allUsual = failed.length === 0 && findings.every(({ usual }) => usual);
  const isUsual = SHAPES.has(cause) && allUsual;
  const nothingElse = [...found].every((name) => SHAPES.has(name) || GAPS.has(name));
  const detail = isUsual
    ? ['but nodes of this fleet lie as far from its middle where nothing is wrong']
    : (problems.get(cause) ?? (cause === 'settings' ? settings : []));
  return {
    node: name,
    machine,
    on: [...new Set(findings.map(({ on }) => on))].sort(byName),
    verdict: allUsual && nothingElse ? 'inconclusive' : 'fail',
    cause,
    severity: isUsual ? 'monitor' : severity,
    reason: reasonOf(words, detail, failedChecks),
    action: isUsual ? `measure it again, in fresh launches; if it is the same, ${action}` : action,
    failedChecks,
    beside,
    findings,
  };
}

const RANK: Readonly<Record<NamedNode['verdict'], number>> = { fail: 0, inconclusive: 1 };

function mostFrequent(names: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || byName(a, b))[0]?.[0] ?? null;
}

const NO_ENTRY: BaselineCentres = { centres: {}, sketch: null, older: false };

/** What has to be judged before anybody can be named: the long part of a check, and one that threads can share. */
export const judgingOf = (fleet: Fleet, { scale, baseline }: CheckOptions): JudgeTask => ({
  series: withoutBeyond(fleet, baseline === null),
  nodes: fleet.series.map((one) => sharedNodes(fleet, one)),
  centres: fleet.series.map((one) => (baseline === null ? null : (baseline.of(one) ?? NO_ENTRY))),
  options: { kpis: kpisOfNode(fleet), scale },
});

/**
 * @param fleet of one kind of hardware
 * @param judgements of `judgingOf` the same, where they are made already
 */
export function checkFleet(
  fleet: Fleet,
  options: CheckOptions,
  judgements: readonly SeriesJudgement[] = judgeAll(judgingOf(fleet, options)),
): FleetCheck {
  const { baseline } = options;
  const { nodes, places } = fleet;
  const task = judgingOf(fleet, options);
  const { series } = task;
  const judged: Fleet = { ...fleet, series };
  const reaches = tailReaches(judgements, task.options.kpis);
  const suspicions = new Map<number, Suspicion>();
  series.forEach((one, i) => {
    noteSeries(one, judgements[i] as SeriesJudgement, fleet, reaches, suspicions, baseline === null);
  });
  const overall =
    baseline === null
      ? judgeOverall(judged, judgements, task.options)
      : judgeOverallBy(judged, task, baseline);
  for (const { place, worse, limit, usual } of overall.findings) {
    const on = places[place]?.on ?? '';
    suspicionOf(place, suspicions).findings.push({
      key: null,
      title: 'all KPIs',
      on,
      rule: 'overall',
      worse,
      limit,
      usual,
    });
  }
  /** Of each KPI; null: they are held against a baseline, of which one node is enough. */
  const having = series.map((one) => (baseline === null ? nodesHaving(fleet, one) : null));
  const nodesOf = (isOne: (i: number) => boolean): ReadonlySet<number> =>
    nodesIn(
      fleet,
      series.filter((_, i) => isOne(i)),
    );
  const withJudgedKpi = nodesOf((i) => isJudged(judgements[i]));
  const compared = nodesOf((i) => isCompared(judgements[i], having[i] ?? null));
  const problems = problemsOf(fleet, baseline, withJudgedKpi);
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
  // What a baseline has of these, nodes without it are lost by.
  const lacked = baseline === null ? lackedByMost(fleet) : [];
  const notJudged = judgements.flatMap((one, i) =>
    whyNotJudged(one, series[i] as Series, { nodes: having[i] ?? null, lacked: lacked[i] ?? null }),
  );
  const unjudged = unjudgedNodes(fleet, withJudgedKpi, named);
  // Of nodes that were only checked there is no KPI, and their checks are what was judged.
  const nothing = series.length === 0 && !nodes.some(hasJudgedCheck);
  const open = notJudged.length > 0 || unjudged.length > 0 || nothing || named.length > 0;
  return {
    nodes: nodes.length,
    kpis: series.length,
    baseline:
      baseline === null
        ? null
        : {
            name: baseline.name,
            nodes: baseline.nodes,
            otherVersions: otherVersions(
              baseline.versions,
              nodes.flatMap(({ tool }) => tool.version ?? []),
            ),
          },
    outcome: named.some(({ verdict }) => verdict === 'fail') ? 'fail' : open ? 'inconclusive' : 'pass',
    named,
    settings: disagreed,
    powerLimits: mixedLimits(fleet),
    notJudged,
    unjudged,
    notCompared: notComparedNodes(fleet, compared),
    optional: optionalChecksOf(nodes),
    warned: warnedChecksOf(nodes),
    unseen: unseenRules(fleet, task, judgements, overall.unseen),
    sameMachines: sameMachines(nodes),
    notes: notesOf(fleet, baseline, task, judgements),
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
