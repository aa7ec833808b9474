/**
 * The files of pi-bench that are started by themselves: the command, and what it starts as processes and threads. Each is bundled
 * with all that it imports (scripts/bundle.mjs), because most of what a short one takes is finding and reading its modules.
 */
import { join } from 'node:path';
import { packageRoot } from './package.js';

/** By their place in the sources. */
export const PROGRAMS = [
  'cli/main',
  'cli/verdict',
  'cli/analysis-thread',
  'devices/gpu-survey-worker',
  'fleet/judge-thread',
  'fleet/stretch-thread',
  'inspection/mpi-worker',
  'inspection/worker',
  'stacks/probe-worker',
] as const;

export type Program = (typeof PROGRAMS)[number];

/** What was bundled, also where this file was not. */
export const programFile = (program: Program): string => join(packageRoot, 'dist', 'bundle', `${program}.js`);
