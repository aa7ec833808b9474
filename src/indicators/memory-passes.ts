/** The passes over arrays of float64 that memory measures on CPUs and GPUs: STREAM's, and reading and writing alone. Pure. */
import type { Bytes } from '../units.js';

/** What one pass does with each element: loads, stores, floating-point operations. */
export const PASSES = {
  read: { loads: 1, stores: 0, flop: 0 },
  write: { loads: 0, stores: 1, flop: 0 },
  copy: { loads: 1, stores: 1, flop: 0 },
  scale: { loads: 1, stores: 1, flop: 1 },
  add: { loads: 2, stores: 1, flop: 1 },
  triad: { loads: 2, stores: 1, flop: 2 },
} as const;
export type Pass = keyof typeof PASSES;
export const PASS_NAMES = Object.keys(PASSES) as [Pass, ...Pass[]];

export const ELEMENT: Bytes = 8;

/** Arrays of the working set: each element is loaded or stored in an array of its own. */
export const arraysOfPass = (pass: Pass): number => PASSES[pass].loads + PASSES[pass].stores;
