/** Asks a library or a framework what it is, in a process of its own: one that crashes takes nobody with it, and no two meet. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { watchChild } from '../child-end.js';
import { messageOf } from '../errors.js';
import type { FrameworkJob } from '../inspection/job.js';
import type { ProbedLibrary } from '../native.js';
import { programFile } from '../programs.js';
import { changedEnvironment, NO_CERTIFICATES } from './environment.js';
import type { LibrarySpec } from './library-spec.js';
import type { Stack } from './stack.js';

const WORKER = programFile('stacks/probe-worker');
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

export const probe = (spec: LibrarySpec, environment: Stack['environment'], path: string): Promise<Probed> =>
  ask(spec.interface, path, environment, spec.plugin?.path);

/** @param job of one thread */
export const probeFramework = (job: FrameworkJob, environment: Stack['environment']): Promise<Probed> =>
  ask('framework', JSON.stringify(job), environment);

/** What a worker that has ended had said, whole. */
function understood(text: string): Probed {
  try {
    const answer = JSON.parse(text) as Answer;
    return 'error' in answer ? { loads: false, reason: answer.error } : { loads: true, ...answer };
  } catch {
    return { loads: false, reason: 'loading it ended in the middle of what it said of itself' };
  }
}

function silent(code: number | null, signal: NodeJS.Signals | null, timedOut: boolean): Probed {
  if (timedOut) return { loads: false, reason: `loading it did not end within ${TIME_LIMIT_MS / 1000} s` };
  const how = signal === null ? `ended the process with exit code ${code}` : `crashed with ${signal}`;
  return { loads: false, reason: `loading it ${how}` };
}

function ask(
  speaks: string,
  what: string,
  environment: Stack['environment'],
  ...plugin: readonly (string | undefined)[]
): Promise<Probed> {
  const args = [WORKER, speaks, what, ...plugin.filter((one) => one !== undefined)];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      env: changedEnvironment(process.env, { ...NO_CERTIFICATES, ...environment(1) }),
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    // Node says why a moment later; where that is too many open files, such a child has no files that could be listened to.
    if (child.pid === undefined) {
      child.once('error', (error) =>
        resolve({ loads: false, reason: `it did not load: ${messageOf(error)}` }),
      );
      return;
    }
    let timedOut = false;
    const watched = watchChild(child, ({ code, signal }) => {
      clearTimeout(limit);
      resolve(text === '' ? silent(code, signal, timedOut) : understood(text));
    });
    const limit = setTimeout(() => {
      timedOut = true;
      watched.kill();
    }, TIME_LIMIT_MS);
    let text = '';
    (child.stdio[CHANNEL] as Readable).setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  });
}
