/** What checks found on a fleet's nodes in the past: node lines with verdicts, or with KPIs that are held against each other. Pure. */
import { median } from '../statistics/quantile.js';
import { keyTitle } from './case-key.js';
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

export interface History {
  readonly checks: readonly CheckHistory[];
  readonly defects: readonly Defect[];
  /** Nodes, each as often as it was measured. */
  readonly runs: number;
}

/**
 * @param files the nodes of each file: those of one are a fleet
 * @param scale of the margins with which KPIs are judged
 */
export function historyOf(files: readonly (readonly NodeLine[])[], scale: number): History {
  const gathered = new Map<string, Gathered>();
  const defects: Defect[] = [];
  const of = (name: string): Gathered => {
    const known = gathered.get(name) ?? { seconds: [], runs: 0 };
    gathered.set(name, known);
    return known;
  };
  for (const nodes of files) {
    const fleet = fleetOf(nodes);
    // Names may come again in a history: what is named is found by its place in the file.
    const numbered = { ...fleet, nodes: fleet.nodes.map((head, i) => ({ ...head, node: String(i) })) };
    const named = new Map(
      checkFleet(numbered, { scale, baseline: null }).named.map(({ node, findings }) => [node, findings]),
    );
    nodes.forEach(({ node, checks, kpis }, i) => {
      const found = new Set<string>();
      const units = new Map<string, number | null>();
      for (const { name, verdict, seconds } of checks) {
        const unit = unitOf(name);
        if (verdict === 'skipped') continue;
        units.set(unit, Math.max(units.get(unit) ?? 0, seconds ?? 0) || null);
        if (verdict === 'fail') found.add(unit);
      }
      // Where checks were made of the measurements, these are what is planned.
      if (checks.length === 0) {
        for (const { key, seconds } of kpis) units.set(keyTitle(key), seconds);
        for (const { key } of named.get(String(i)) ?? []) if (key !== null) found.add(keyTitle(key));
      }
      for (const [unit, seconds] of units) {
        const one = of(unit);
        one.runs++;
        if (seconds !== null) one.seconds.push(seconds);
      }
      if (found.size > 0) defects.push({ node, found });
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
