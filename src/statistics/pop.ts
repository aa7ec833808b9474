/**
 * The efficiencies of the POP methodology (Performance Optimisation and Productivity CoE), multiplicative, as BSC's
 * modelfactors computes them: parallel efficiency = load balance x communication efficiency, and against a reference run
 * global efficiency = parallel efficiency x computation scalability. Shares, 1 is perfect. Pure.
 */
import type { Ratio, Seconds } from '../units.js';

export interface PopRun {
  /** What each rank spent on useful work, that is not waiting for others. */
  readonly useful: readonly Seconds[];
  /** Of the slowest. */
  readonly runtime: Seconds;
}

export interface PopEfficiencies {
  /** Mean useful time / largest. */
  readonly loadBalance: Ratio;
  /** Largest useful time / runtime. */
  readonly communication: Ratio;
  /** Their product. */
  readonly parallel: Ratio;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** null where nothing useful was done. */
export function popEfficiencies({ useful, runtime }: PopRun): PopEfficiencies | null {
  const most = Math.max(...useful);
  if (useful.length === 0 || !(most > 0) || !(runtime > 0)) return null;
  const loadBalance = sum(useful) / useful.length / most;
  const communication = most / runtime;
  return { loadBalance, communication, parallel: loadBalance * communication };
}

export interface PopScaling {
  /** Useful time of the reference / of this run, all ranks together; for weak scaling times the ratio of the ranks. */
  readonly computation: Ratio;
  /** Parallel efficiency x computation scalability. */
  readonly global: Ratio;
}

/** strong: the work stays the same; weak: it grows with the ranks. */
export type ScalingKind = 'strong' | 'weak';

/** null where either run did nothing useful. */
export function popScaling(run: PopRun, reference: PopRun, kind: ScalingKind): PopScaling | null {
  const own = popEfficiencies(run);
  if (own === null || popEfficiencies(reference) === null) return null;
  const grown = kind === 'weak' ? run.useful.length / reference.useful.length : 1;
  const computation = (sum(reference.useful) / sum(run.useful)) * grown;
  return { computation, global: own.parallel * computation };
}

export interface Timed {
  readonly ranks: number;
  readonly seconds: Seconds;
}

/** Time of the reference / of this run; for weak scaling times the ratio of the ranks. */
export function speedupOf(run: Timed, reference: Timed, kind: ScalingKind): number {
  return (reference.seconds / run.seconds) * (kind === 'weak' ? run.ranks / reference.ranks : 1);
}
