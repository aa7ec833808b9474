/** Launches whose worker is a program of a test's own. */
import { spawn } from 'node:child_process';
import type { LaunchEnd } from '../../src/execution/engine.js';
import { makeLocalEngine } from '../../src/execution/local.js';
import type { Standby } from '../../src/execution/standby.js';
import { type Job, monotonic } from '../../src/inspection/job.js';

/** More than the kernel takes for arguments and environment. */
export const TOO_BIG: Job['environment'] = Object.fromEntries(
  Array.from({ length: 64 }, (_, i) => [`BIG_${i}`, 'x'.repeat(120_000)]),
);

/** A worker's word that it has written its document. */
export const WRITTEN = '{"event":"written","path":"there","ended":"complete","passed":true,"refused":[]}\n';

/** What the local engine reads of a job. */
export const jobOf = (more: object = {}): Job =>
  ({
    environment: {},
    case: { parameters: {} },
    standstill: null,
    timeout: 30,
    launchedAt: monotonic(),
    ...more,
  }) as unknown as Job;

/** A program in the place of a worker, which begins when its job comes. */
export const startProgram = (program: string) =>
  spawn(
    process.execPath,
    ['-e', `const { writeSync } = require('node:fs'); process.stdin.once('data', () => { ${program} });`],
    { stdio: ['pipe', 'ignore', 'pipe', 'pipe'] },
  );

const standbyOf = (program: string, onStderr: (text: string) => void): Standby => ({
  prepare() {},
  dismiss() {},
  take() {
    const child = startProgram(program);
    child.stderr?.on('data', (text) => onStderr(String(text)));
    return child;
  },
});

/** How a launch ends whose worker is that program; it has longer than a test may take. */
export const launchOf = (
  program: string,
  oomKills?: Parameters<typeof makeLocalEngine>[1],
  signal = new AbortController().signal,
  onStderr: (text: string) => void = () => {},
): Promise<LaunchEnd> =>
  makeLocalEngine(standbyOf(program, onStderr), oomKills).launch(jobOf({ timeout: 600 }), {
    onProgress: () => {},
    signal,
  });
