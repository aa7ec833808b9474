/**
 * Metrics by which SuperBench says that a result was wrong, or that there is none: it returns 0 beside most
 * of them. What is yes or no is 1 or 0 there. Pure.
 */
import type { NodeProblem } from '../../fleet/node-line.js';

interface Told {
  readonly metric: RegExp;
  readonly isBad: (value: number) => boolean;
  readonly kind: NodeProblem['kind'];
  /** Whether what its benchmark measured is then no result. */
  readonly spoils: boolean;
}

const isNo = (value: number): boolean => value < 1;
const isSome = (value: number): boolean => value > 0;

const VERDICTS: readonly Told[] = [
  // gpu-burn, of each GPU; cpu-hpl; cublas-function, of each function.
  { metric: /^(gpu_\d+_pass|tests_pass|.*_correctness)$/, isBad: isNo, kind: 'wrong', spoils: true },
  // gpu-hpcg, which calls a run invalid for more than a wrong result.
  { metric: /^is_valid$/, isBad: isNo, kind: 'lost', spoils: true },
  // gpu-burn, nvbandwidth.
  { metric: /^abort$/, isBad: isSome, kind: 'lost', spoils: true },
  // tcp-connectivity, of each peer: the times of the connections that did not fail hold.
  { metric: /_failed_count$/, isBad: isSome, kind: 'lost', spoils: false },
];

/** `benchmark[/run]/metric[:rank]`. */
const PARTS = /^(.*?)(?:\/\d+)?\/([^/]+)$/;
const RANK = /:\d+$/;

/** Of all its runs. */
export const benchmarkOf = (name: string): string => PARTS.exec(name)?.[1] ?? name;

export interface SaidOf {
  /** null: it says that all is well. */
  readonly problem: NodeProblem | null;
  /** The benchmark that has no result by it; null: none. */
  readonly spoilt: string | null;
}

/** @returns null where it says nothing of whether results are right */
export function verdictOf(name: string, value: number): SaidOf | null {
  const metric = PARTS.exec(name)?.[2] ?? name;
  const told = VERDICTS.find((one) => one.metric.test(metric.replace(RANK, '')));
  if (told === undefined) return null;
  if (!told.isBad(value)) return { problem: null, spoilt: null };
  const benchmark = benchmarkOf(name);
  return {
    problem: { kind: told.kind, what: benchmark, why: `SuperBench’s ${metric} is ${value}` },
    spoilt: told.spoils ? benchmark : null,
  };
}
