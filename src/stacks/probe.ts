/** Asks a library or a framework what it is, in a process of its own: one that crashes takes nobody with it, and no two meet. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FrameworkJob } from '../inspection/job.js';
import type { ProbedLibrary } from '../native.js';
import { changedEnvironment } from './environment.js';
import type { LibrarySpec } from './library-spec.js';
import type { Stack } from './stack.js';

const WORKER = fileURLToPath(new URL('./probe-worker.js', import.meta.url));
/** Opening one takes less than a second, and on a busy machine many times that: what hangs for ever is what this ends. */
const TIME_LIMIT_MS = 60_000;
/** Of what the worker says; libraries may write to the others. */
const CHANNEL = 3;

export type Probed =
  | {
      readonly loads: true;
      readonly version: string | null;
      readonly chose: string | null;
      readonly dtypes: readonly string[];
    }
  | { readonly loads: false; readonly reason: string };

type Answer = ProbedLibrary | { readonly error: string };

export const probe = (spec: LibrarySpec, environment: Stack['environment'], path: string): Probed =>
  ask(spec.interface, path, environment, spec.plugin?.path);

/** @param job of one thread */
export const probeFramework = (job: FrameworkJob, environment: Stack['environment']): Probed =>
  ask('framework', JSON.stringify(job), environment);

function ask(
  speaks: string,
  what: string,
  environment: Stack['environment'],
  ...plugin: readonly (string | undefined)[]
): Probed {
  const args = [WORKER, speaks, what, ...plugin.filter((one) => one !== undefined)];
  const { status, signal, output, error } = spawnSync(process.execPath, args, {
    env: changedEnvironment(process.env, environment(1)),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const text = output?.[CHANNEL] ?? '';
  if (text !== '') {
    const answer = JSON.parse(text) as Answer;
    if ('error' in answer) return { loads: false, reason: answer.error };
    return { loads: true, ...answer };
  }
  if (error !== undefined) return { loads: false, reason: `it did not load: ${error.message}` };
  const how = signal === null ? `ended the process with exit code ${status}` : `crashed with ${signal}`;
  return { loads: false, reason: `loading it ${how}` };
}
