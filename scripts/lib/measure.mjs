// What the benchmarks of pi-bench share: the addon, medians, a line of result with its target.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageRoot } from './tree.mjs';

export const addon = () =>
  createRequire(import.meta.url)(join(packageRoot, 'build', 'Release', 'pibench.node'));

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/**
 * Of counts: the median of an even number of them may lie between two.
 * @param {readonly number[]} counts
 */
export const wholeMedian = (counts) => Math.round(median(counts));

/** Prints one result beside its target. `ok` is null where there is no target. */
export function line(what, value, target, ok) {
  const mark = ok === null ? '      ' : ok ? 'meets ' : 'MISSES';
  process.stdout.write(`${mark} ${what.padEnd(58)} ${value}${target ? `  (target ${target})` : ''}\n`);
}

/** A job for the addon, as a worker would send it. */
export function job(workload, parameters, options) {
  return {
    workload,
    parameters,
    warmup: { kind: 'auto' },
    repetitions: 1,
    budgetSeconds: 0,
    least: 1,
    most: 1,
    cold: false,
    timeLimitSeconds: 0,
    snapshotPaths: [],
    ...options,
  };
}
