/** Ranks that have not found each other yet, as where their launcher waits in a queue. */
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEADLINE } from '../../src/execution/engine.js';
import { makeMpiEngine } from '../../src/execution/mpi.js';
import { PATIENT, waitingLauncher } from '../support/mpi.js';
import { withFolder } from '../support/pi-bench.js';
import { jobOf } from './support.js';

beforeEach(() => {
  for (const [name, value] of Object.entries(PATIENT)) vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

const HOST = { cpus: 2, cores: 2 };
const caseOf = (launcher: string) => ({ library: '/usr/lib/libmpi.so.40', launcher, ranks: 2 });
const runs = (pid: number): boolean => existsSync(`/proc/${pid}`);

describe('ranks that have not found each other yet', () => {
  it.each([
    ['a signal', undefined],
    ['a deadline', DEADLINE],
  ])('are ended by %s, and their launch is interrupted', (_, reason) =>
    withFolder(async (folder) => {
      const { launcher, pid } = waitingLauncher(folder);
      const stop = new AbortController();
      const parameters = { ...caseOf(launcher), transport: 'mpi' };
      const launched = makeMpiEngine(HOST).launch(jobOf({ case: { parameters }, timeout: 600 }), {
        onProgress: () => {},
        signal: stop.signal,
      });
      const waiting = await pid();
      stop.abort(reason);
      expect(await launched).toMatchObject({
        status: 'interrupted',
        reason: 'ended before its ranks had found each other',
        path: null,
      });
      expect(runs(waiting)).toBe(false);
    }));

  it('are ended by a signal also where they are only tried', () =>
    withFolder(async (folder) => {
      const { launcher, pid } = waitingLauncher(folder);
      const stop = new AbortController();
      const checked = makeMpiEngine(HOST).check(caseOf(launcher), stop.signal);
      const waiting = await pid();
      stop.abort();
      await expect(checked).rejects.toThrow('ended before its ranks had found each other');
      expect(runs(waiting)).toBe(false);
    }));
});
