/** Launchers of a submission: on this machine, and begun on another one. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detachedState, findDetached } from '../../src/submit/detached.js';
import { type Launcher, launchedConnection } from '../../src/submit/launched.js';
import type { JobState } from '../../src/submit/scheduler.js';
import { until, withFolder } from '../support/pi-bench.js';
import { taskOf } from './support.js';

/** No process has it: Linux counts to four million. */
const ELSEWHERE = '99999999';

interface Knowing {
  readonly cancelled?: string[];
  readonly hasScheduler?: boolean;
}

/** One launcher of n1, of whose job a scheduler knows this. */
function connectionTo(
  folder: string,
  known: JobState | undefined,
  { cancelled = [], hasScheduler = true }: Knowing = {},
) {
  const launcher: Launcher = {
    said: () => '',
    mayStrand: false,
    hasScheduler,
    command: () => ['sleep', '600'],
    states: async () => new Map(known === undefined ? [] : [['n1', known]]),
    cancel: async (target, attempt) => void cancelled.push(`${target}.${attempt}`),
    check: async () => {},
  };
  return launchedConnection({ settings: {}, folder, label: 'l' }, launcher);
}

interface Left {
  /** With which it ended, where that is known. */
  readonly exitCode?: number;
  /** Of the machine on which it was begun; null: older versions did not note it; absent: nothing is noted. */
  readonly host?: string | null;
  readonly hasScheduler?: boolean;
}

async function stateOf(
  known: JobState | undefined,
  { exitCode, host, hasScheduler = true }: Left = {},
): Promise<JobState | undefined> {
  let state: JobState | undefined;
  await withFolder(async (folder) => {
    const base = join(folder, 'jobs', 'n1.1');
    mkdirSync(join(folder, 'jobs'));
    if (exitCode !== undefined) writeFileSync(`${base}.exit`, `${exitCode}\n`);
    if (host !== undefined) writeFileSync(`${base}.pid`, `${ELSEWHERE}\n${host === null ? '' : `${host}\n`}`);
    const jobs = [{ target: 'n1', job: ELSEWHERE }];
    const connection = connectionTo(folder, known, { hasScheduler });
    state = (await connection.observe(jobs, new Map([['n1', 1]]))).get(ELSEWHERE);
  });
  return state;
}

describe('a launcher that is not on this machine', () => {
  const running: JobState = { phase: 'running', node: 'n1' };
  const waiting: JobState = { phase: 'waiting', why: 'Priority' };
  const ended: JobState = { phase: 'ended', itself: true, node: 'n1', reason: 'the job ended' };

  it('goes on where the scheduler says that its job does', async () => {
    expect(await stateOf(running)).toEqual(running);
    expect(await stateOf(waiting)).toEqual(waiting);
  });

  it('may have left a result that is not seen here yet, where its job came to its end', async () => {
    expect(await stateOf(ended)).toMatchObject({ phase: 'ended', itself: true, node: 'n1' });
  });

  it('may have left one, too, where it came to its end by itself', async () => {
    expect(await stateOf(undefined, { exitCode: 0 })).toMatchObject({ phase: 'ended', itself: true });
    expect(await stateOf(undefined, { exitCode: 255 })).toMatchObject({
      phase: 'ended',
      itself: false,
      reason: 'its launcher ended with exit code 255',
    });
  });

  it.each([
    ['older versions noted no machine', { host: null }],
    ['it was begun here', { host: hostname() }],
  ])('is gone where no scheduler knows of it: %s', async (_, left) => {
    for (const hasScheduler of [true, false])
      expect(await stateOf(undefined, { ...left, hasScheduler })).toMatchObject({
        phase: 'ended',
        itself: false,
        reason: 'its launcher is gone from this machine',
      });
  });

  it('is taken for gone, and not from this machine, where somebody has removed what was noted of it', async () => {
    expect(await stateOf(undefined, { hasScheduler: false })).toEqual({
      phase: 'ended',
      itself: false,
      node: null,
      reason: 'its launcher is taken for gone: there is no jobs/n1.1.pid',
    });
  });

  it('may run on the one on which it was begun, where no scheduler could tell', async () => {
    const mpi = { host: 'login2', hasScheduler: false };
    expect(await stateOf(undefined, mpi)).toEqual({
      phase: 'running',
      node: null,
      unseen: {
        why: 'its launcher was begun on login2',
        meanwhile: 'which is waited for; if login2 is gone for good, remove jobs/n1.1.pid',
      },
    });
    expect(await stateOf(undefined, { ...mpi, exitCode: 3 })).toMatchObject({
      phase: 'ended',
      reason: 'its launcher ended with exit code 3',
    });
  });

  it('and that a scheduler tells of is what that says of its job', async () => {
    const srun = { host: 'login2' };
    expect(await stateOf(running, srun)).toEqual(running);
    expect(await stateOf(ended, srun)).toEqual(ended);
    expect(await stateOf(undefined, srun)).toMatchObject({
      phase: 'ended',
      itself: true,
      reason: 'the scheduler has no such job, and its launcher was begun on login2',
    });
  });

  it('is ended by the scheduler, and no process here that may have its number', () =>
    withFolder(async (folder) => {
      const cancelled: string[] = [];
      const connection = connectionTo(folder, waiting, { cancelled });
      const [other] = await connection.submit([taskOf({ target: 'n2' })]);
      if (other === undefined) throw new Error('nothing was begun');
      try {
        await connection.cancel({ target: 'n1', job: other.job }, 3);
        expect(cancelled).toEqual(['n1.3']);
        expect(detachedState(folder, 'n2', 1, other.job)).toEqual({ phase: 'running' });
      } finally {
        await connection.cancel(other, 1);
      }
      expect(cancelled).toEqual(['n1.3']);
    }));
});

describe('launchers that nobody noted', () => {
  it('are found by who comes after, each by its target and attempt', () =>
    withFolder(async (folder) => {
      const before = connectionTo(folder, undefined);
      const tasks = ['n1', 'n2', 'n3'].map((target) => taskOf({ target }));
      const begun = await before.submit(tasks.slice(0, 2));
      try {
        const isThere = ({ target }: (typeof begun)[number]) => findDetached(folder, target, 1) !== null;
        await until(() => (begun.every(isThere) ? true : undefined), 'both launchers');
        const after = connectionTo(folder, undefined);
        expect(await after.find(tasks)).toEqual(begun);
        expect(readFileSync(join(folder, 'jobs', 'n1.1.pid'), 'utf8')).toBe(
          `${begun[0]?.job}\n${hostname()}\n`,
        );
        expect(await after.find(tasks.map((task) => ({ ...task, attempt: 2 })))).toEqual([]);
      } finally {
        for (const job of begun) await before.cancel(job, 1);
      }
    }));
});

describe('what a person is told who wants to end launchers', () => {
  it('ends all of them, in a plain sh too', () =>
    withFolder(async (folder) => {
      const connection = connectionTo(folder, undefined);
      const jobs = await connection.submit(['n1', 'n2'].map((target) => taskOf({ target })));
      const isRunning = ({ target, job }: (typeof jobs)[number]): boolean =>
        detachedState(folder, target, 1, job).phase === 'running';
      try {
        await until(() => (jobs.every(isRunning) ? true : undefined), 'both launchers');
        execFileSync('sh', ['-c', connection.howToCancel(jobs)]);
        await until(() => (jobs.some(isRunning) ? undefined : true), 'their end');
      } finally {
        for (const job of jobs) await connection.cancel(job, 1);
      }
    }));

  it('and has gone on on another machine ends what was begun there, and no process that has the number of one that was not', () =>
    withFolder(async (folder) => {
      const connection = connectionTo(folder, undefined);
      const [own, other] = await connection.submit(['n1', 'n2'].map((target) => taskOf({ target })));
      if (own === undefined || other === undefined) throw new Error('nothing was begun');
      const isRunning = ({ target, job }: typeof own): boolean =>
        detachedState(folder, target, 1, job).phase === 'running';
      try {
        await until(() => (isRunning(own) && isRunning(other) ? true : undefined), 'both launchers');
        const elsewhere = [
          { target: 'n3', job: ELSEWHERE },
          { target: 'n4', job: other.job },
        ];
        const how = connection.howToCancel([own, ...elsewhere]);
        expect(how).toBe(
          `kill -- -${own.job} # on the machine that began n3, n4: kill -- -${ELSEWHERE} -${other.job}`,
        );
        execFileSync('sh', ['-c', how]);
        await until(() => (isRunning(own) ? undefined : true), 'its end');
        expect(isRunning(other)).toBe(true);
        expect(connection.howToCancel(elsewhere)).toMatch(/^# on the machine that began n3, n4: /);
      } finally {
        for (const job of [own, other]) await connection.cancel(job, 1);
      }
    }));
});
