/** What checks found on a fleet's nodes in the past: node lines with verdicts, or with KPIs that are held against each other. Pure. */
import { canonicalJson } from '../record/digest.js';
import { median } from '../statistics/quantile.js';
import type { Seconds } from '../units.js';
import { keyTitle, readKey } from './case-key.js';
import { checkFleet } from './check.js';
import type { NodeLine } from './node-line.js';
import type { CheckHistory, Defect } from './plan.js';
import { fleetOf } from './table.js';

/** Criteria that judge the same measurement are paid for once: `floor/matmul@cpu` and `stability/matmul@cpu` are `matmul`. */
export function unitOf(check: string): string {
  const [name = check] = check.split('@');
  return name.includes('/') ? name.slice(name.indexOf('/') + 1) : name;
}

interface Gathered {
  readonly seconds: number[];
  runs: number;
}

/** In the place of a device: the node. */
const WHOLE = '';

/** What a node's measurements of one unit took: those of one device are one, several devices come one after the other or at once. */
interface Spent {
  readonly byDevice: Map<string, Seconds | null>;
  atOnce: boolean;
}

type Spending = Map<string, Spent>;

function note(units: Spending, unit: string, on: string, seconds: Seconds | null, atOnce: boolean): void {
  const spent = units.get(unit) ?? { byDevice: new Map(), atOnce: true };
  units.set(unit, spent);
  // Of what took no time nobody knows in which way it was measured, if it was.
  if (seconds !== null && seconds > 0) spent.atOnce &&= atOnce;
  // Several criteria judge the same measurement; one of them may not say how long it took.
  const before = spent.byDevice.get(on) ?? null;
  spent.byDevice.set(
    on,
    before === null || seconds === null ? (before ?? seconds) : Math.max(before, seconds),
  );
}

/** A check of ours that names no part looks at what is there, or was counted beside what others measure: it takes no time of its own. */
const isLook = ({ tool }: NodeLine, check: string): boolean =>
  tool.name === 'pi-bench' && !check.includes('/');

/** Of all devices; null: not known of one of them. What is said of the node as a whole took no time of its own. */
function together({ byDevice, atOnce }: Spent): Seconds | null {
  const devices = [...byDevice].filter(([on, seconds]) => on !== WHOLE || seconds !== null);
  const all = devices.flatMap(([, seconds]) => seconds ?? []);
  if (all.length < devices.length || all.length === 0) return null;
  return atOnce ? Math.max(...all) : all.reduce((sum, seconds) => sum + seconds, 0);
}

/** Of a check by its name, `floor/matmul@cuda:0`. */
const deviceOf = (check: string): string => check.split('@')[1] ?? WHOLE;

/**
 * What several hosts of one fleet have is no identity of theirs, but of the image that they run: an older pi-bench took it for the
 * machine's in containers, too.
 */
function idsOfImages(files: readonly (readonly NodeLine[])[]): ReadonlySet<string> {
  const shared = new Set<string>();
  for (const nodes of files) {
    const hosts = new Map<string, string | null>();
    for (const { machine, hostname } of nodes) {
      if (machine === null) continue;
      if (!hosts.has(machine)) hosts.set(machine, hostname);
      else if (hosts.get(machine) !== hostname) shared.add(machine);
    }
  }
  return shared;
}

/** What tells a node in all of its turns: host names change, and machines with one identity count as one. */
const nameOf = ({ machine, node }: NodeLine, ofImages: ReadonlySet<string>): string =>
  machine === null || ofImages.has(machine) ? node : machine;

/** Nodes that may be compared: what another version's kernels, or other hardware, reach is no defect. */
function kindsOf(nodes: readonly NodeLine[]): readonly (readonly NodeLine[])[] {
  const kinds = new Map<string, NodeLine[]>();
  for (const node of nodes) {
    const kind = canonicalJson(node.hardware);
    const own = kinds.get(kind);
    if (own === undefined) kinds.set(kind, [node]);
    else own.push(node);
  }
  return [...kinds.values()];
}

export interface History {
  readonly checks: readonly CheckHistory[];
  readonly defects: readonly Defect[];
  /** Nodes, each as often as it was measured. */
  readonly runs: number;
}

/**
 * @param files the nodes of each file: those of one kind in it are a fleet
 * @param scale of the margins with which KPIs are judged
 */
export function historyOf(files: readonly (readonly NodeLine[])[], scale: number): History {
  const gathered = new Map<string, Gathered>();
  const defects: Defect[] = [];
  const ofImages = idsOfImages(files);
  const of = (name: string): Gathered => {
    const known = gathered.get(name) ?? { seconds: [], runs: 0 };
    gathered.set(name, known);
    return known;
  };
  for (const nodes of files.flatMap(kindsOf)) {
    const fleet = fleetOf(nodes);
    // Names may come again in a history: what is named is found by its place in the file.
    const numbered = { ...fleet, nodes: fleet.nodes.map((head, i) => ({ ...head, node: String(i) })) };
    const named = new Map(
      checkFleet(numbered, { scale, baseline: null }).named.map(({ node, findings }) => [node, findings]),
    );
    nodes.forEach((line, i) => {
      const { checks, kpis } = line;
      const found = new Set<string>();
      const units: Spending = new Map();
      for (const { name, verdict, seconds, atOnce = false } of checks) {
        const unit = unitOf(name);
        if (verdict === 'skipped') continue;
        note(units, unit, deviceOf(name), seconds ?? (isLook(line, name) ? 0 : null), atOnce);
        if (verdict === 'fail') found.add(unit);
      }
      // Where checks were made of the measurements, these are what is planned.
      if (checks.length === 0) {
        for (const { key, on, seconds } of kpis) {
          note(units, keyTitle(key), on, seconds, readKey(key)?.parameters.atOnce === true);
        }
        for (const { key } of named.get(String(i)) ?? []) if (key !== null) found.add(keyTitle(key));
      }
      for (const [unit, spent] of units) {
        const one = of(unit);
        const seconds = together(spent);
        one.runs++;
        if (seconds !== null) one.seconds.push(seconds);
      }
      if (found.size > 0) defects.push({ node: nameOf(line, ofImages), found });
    });
  }
  return {
    checks: [...gathered].map(([name, { seconds, runs }]) => ({
      name,
      seconds: seconds.length === 0 ? null : median(seconds),
      runs,
    })),
    defects,
    runs: files.reduce((sum, { length }) => sum + length, 0),
  };
}
