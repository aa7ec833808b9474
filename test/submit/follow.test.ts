import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeFolder } from '../../src/store/make-folder.js';
import type { WaitingTarget } from '../../src/submit/follow.js';
import { appendToSubmission, readSubmission, type SubmissionHead } from '../../src/submit/journal.js';
import { SUBMISSION_JOURNAL } from '../../src/submit/names.js';
import type { Connection, JobState } from '../../src/submit/scheduler.js';
import { lastEnd, statesOf } from '../../src/submit/state.js';
import { summarise } from '../../src/submit/summary.js';
import { deliveryLines } from '../../src/submit/task.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';
import { deliveryOf, headOf, resultOf } from './support.js';

/** Waiting takes no time here: the clock is put forward instead. */
const withoutWaiting = <T>(load: () => Promise<T>): Promise<T> =>
  withModule(
    'node:timers/promises',
    {
      setTimeout: async (milliseconds: number) => {
        vi.setSystemTime(Date.now() + milliseconds);
      },
    },
    load,
  );

const { follow, EXIT, UserError } = await withoutWaiting(async () => ({
  ...(await import('../../src/submit/follow.js')),
  ...(await import('../../src/errors.js')),
}));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Refusal = InstanceType<typeof UserError>;
type Said = JobState | Refusal | undefined;

interface Scheduling {
  /** One after the other, the last of them for ever; or after so many seconds. */
  readonly says: readonly Said[] | ((seconds: number) => Said);
  readonly output?: (seconds: number) => string;
  readonly head?: Partial<SubmissionHead>;
  /** Of the scheduler while it is asked to cancel; undefined: it does. */
  readonly refuses?: (seconds: number) => Refusal | undefined;
}

/** A submission of one node, followed by such a scheduler. undefined: it does not know the job. */
async function followed(
  folder: string,
  { says, output = () => '', head = {}, refuses = () => undefined }: Scheduling,
  followIt = follow,
) {
  if (!existsSync(join(folder, SUBMISSION_JOURNAL))) appendToSubmission(folder, headOf(head));
  const begun = Date.now();
  const seconds = (): number => (Date.now() - begun) / 1000;
  let asked = 0;
  const cancelled: string[] = [];
  const connection: Connection = {
    submit: async (tasks) => tasks.map(({ target }) => ({ target, job: 'job-1' })),
    find: async () => [],
    async observe() {
      const said = typeof says === 'function' ? says(seconds()) : says[Math.min(asked++, says.length - 1)];
      if (said instanceof UserError) throw said;
      return new Map(said === undefined ? [] : [['job-1', said]]);
    },
    output: async () => output(seconds()),
    said: async () => '',
    async cancel({ target }) {
      const refused = refuses(seconds());
      if (refused !== undefined) throw refused;
      cancelled.push(target);
    },
    howToCancel: () => '',
  };
  const waits: string[] = [];
  const onWait = (waiting: readonly WaitingTarget[]) =>
    void waits.push(...waiting.map(({ why }) => why ?? 'no reason'));
  const hooks = { onEnd: () => {}, onWait, signal: new AbortController().signal };
  await followIt(folder, connection, hooks);
  const [state] = [...statesOf(readSubmission(folder)).values()];
  return { end: state === undefined ? null : lastEnd(state), waits, cancelled, seconds: seconds() };
}

const running: JobState = { phase: 'running', node: 'n1' };
const failed: JobState = { phase: 'ended', itself: false, node: 'n1', reason: 'the node failed' };
const ended: JobState = { phase: 'ended', itself: true, node: 'n1', reason: 'it left no result' };
const queued: JobState = { phase: 'waiting', why: 'Priority' };
const hopeless: JobState = { phase: 'waiting', why: 'the node is down', hopeless: true };
const RESULT = resultOf('n1');
const silence = new UserError('the controller does not answer');

describe('following a submission', () => {
  it('asks a scheduler again that did not answer for a moment, and says so', () =>
    withFolder(async (folder) => {
      const { end, waits } = await followed(folder, { says: [running, silence, failed] });
      expect(waits).toEqual(['no reason', 'the controller does not answer']);
      expect(end).toMatchObject({ exitCode: null, reason: 'the node failed' });
    }));

  it('ends where the scheduler refuses to answer from the start', () =>
    withFolder(async (folder) => {
      await expect(followed(folder, { says: [silence] })).rejects.toThrow('the controller does not answer');
    }));

  it('says why a node was lost before it says that its output is gone, too', () =>
    withFolder(async (folder) => {
      const gone = () => {
        throw new UserError('there is no log');
      };
      const { end } = await followed(folder, { says: [failed], output: gone });
      expect(end).toMatchObject({ node: 'n1', reason: 'the node failed; there is no log' });
    }));
});

describe('a node whose launcher was begun on another machine', () => {
  const unseen: JobState = {
    phase: 'running',
    node: null,
    unseen: { why: 'its launcher was begun on login2', meanwhile: 'which is waited for; or remove a file' },
  };

  it('is waited for and begun no second time, whatever may be tried again', () =>
    withFolder(async (folder) => {
      const says = (seconds: number) => (seconds < 7200 ? unseen : ended);
      const output = (seconds: number) => (seconds < 7200 ? '' : RESULT);
      const { end, waits } = await followed(folder, { says, output, head: { retries: 3 } });
      expect(end).toMatchObject({ attempt: 1, exitCode: 0 });
      expect(new Set(waits)).toEqual(
        new Set(['its launcher was begun on login2, which is waited for; or remove a file']),
      );
    }));

  it('is given up after the time that was said for that, and begun no second time either, as it may run', () =>
    withFolder(async (folder) => {
      const { end, seconds } = await followed(folder, { says: [unseen], head: { retries: 3, giveUp: 300 } });
      expect(end).toMatchObject({
        attempt: 1,
        exitCode: null,
        again: false,
        // What could be done while it was waited for is of no use any more.
        reason:
          'nothing came of it within 5 min 0 s: its launcher was begun on login2; as it may run there, it is not begun again: submit it anew',
      });
      expect(seconds).toBeGreaterThanOrEqual(300);
    }));
});

describe('the output of a node that came to its end', () => {
  const TIMEOUT = 'the server did not answer in time';
  const unread = (): never => {
    throw new UserError(TIMEOUT);
  };

  it('is read again where that failed for a moment', () =>
    withFolder(async (folder) => {
      const output = (seconds: number) => (seconds < 300 ? unread() : RESULT);
      const { end, waits } = await followed(folder, { says: [ended], output });
      expect(end).toMatchObject({ exitCode: 0, node: 'n1' });
      expect(new Set(waits)).toEqual(new Set([TIMEOUT]));
    }));

  it('is given up with the reason where it cannot be read for ten minutes', () =>
    withFolder(async (folder) => {
      const { end, seconds } = await followed(folder, { says: [ended], output: unread });
      expect(end).toMatchObject({ exitCode: null, reason: TIMEOUT });
      expect(seconds).toBeGreaterThanOrEqual(600);
      expect(seconds).toBeLessThan(620);
    }));

  it('has ten minutes more when it was read in between', () =>
    withFolder(async (folder) => {
      let isRead = false;
      const output = (seconds: number) => {
        if (seconds > 620) return RESULT;
        if (seconds < 590 || isRead) return unread();
        isRead = true;
        return '';
      };
      // For a moment it ran again: an end without a result would be waited for only a little.
      const says = (seconds: number) => (isRead && seconds < 605 ? running : ended);
      const { end } = await followed(folder, { says, output });
      expect(end).toMatchObject({ exitCode: 0 });
    }));

  it('that is cut off does not get better by being read again', () =>
    withFolder(async (folder) => {
      const output = () => RESULT.split('\n').slice(0, -2).join('\n');
      const { end, seconds } = await followed(folder, { says: [ended], output });
      expect(end?.reason).toMatch(/what n1 printed is cut off/);
      expect(seconds).toBe(0);
    }));
});

describe('a job that cannot begin', () => {
  it('is given up once that has been so for a minute', () =>
    withFolder(async (folder) => {
      const { end, cancelled, seconds } = await followed(folder, { says: [hopeless] });
      expect(end).toMatchObject({ exitCode: null, reason: 'the node is down' });
      expect(cancelled).toEqual(['n1']);
      expect(seconds).toBeGreaterThanOrEqual(60);
      expect(seconds).toBeLessThan(80);
    }));

  it('is left alone where it was so for a moment, however often', () =>
    withFolder(async (folder) => {
      const says = (seconds: number) =>
        seconds > 300 ? ended : Math.floor(seconds / 40) % 2 === 0 ? hopeless : queued;
      const { end, cancelled } = await followed(folder, { says, output: () => RESULT });
      expect(end).toMatchObject({ exitCode: 0 });
      expect(cancelled).toEqual([]);
    }));

  it('is given up later where the scheduler does not answer who cancels it', () =>
    withFolder(async (folder) => {
      const refuses = (seconds: number) => (seconds < 100 ? new UserError('squeue: timed out') : undefined);
      const { end, cancelled, waits } = await followed(folder, { says: [hopeless], refuses });
      expect(end).toMatchObject({ exitCode: null, reason: 'the node is down' });
      expect(cancelled).toEqual(['n1']);
      expect(waits).toContain('squeue: timed out');
    }));

  it('is given up sooner where --give-up says so', () =>
    withFolder(async (folder) => {
      const { end, seconds } = await followed(folder, { says: [hopeless], head: { giveUp: 20 } });
      expect(end?.reason).toBe('did not begin within 20 s: the node is down');
      expect(seconds).toBeLessThan(40);
    }));
});

describe('what is waited for a little', () => {
  it('is waited for as long again when it comes again: a job that is not listed', () =>
    withFolder(async (folder) => {
      const says = (seconds: number) =>
        seconds > 30 ? failed : seconds > 12 && seconds < 20 ? running : undefined;
      const { end, waits } = await followed(folder, { says });
      expect(end?.reason).toBe('the node failed');
      expect(waits.slice(waits.lastIndexOf('no reason'))).toContain('not listed');
    }));

  it('is waited for as long again when it comes again: a result of a job that seemed to have ended', () =>
    withFolder(async (folder) => {
      const says = (seconds: number) => (seconds > 60 && seconds < 80 ? running : ended);
      const output = (seconds: number) => (seconds > 120 ? RESULT : '');
      const { end } = await followed(folder, { says, output });
      expect(end).toMatchObject({ exitCode: 0 });
    }));
});

describe('a result in a folder that the nodes share', () => {
  /** As a node writes it, whose file is seen here now. */
  function appears(folder: string): void {
    const attempt = join(folder, 'attempts', 'n1.1');
    mkdirSync(attempt, { recursive: true });
    writeFileSync(join(attempt, 'end.json'), JSON.stringify(deliveryOf('n1')));
  }

  it('is waited for longer than NFS takes a folder for unchanged', () =>
    withFolder(async (folder) => {
      const says = (seconds: number) => {
        if (seconds > 70) appears(folder);
        return ended;
      };
      const { end, waits } = await followed(folder, { says });
      expect(end).toMatchObject({ exitCode: 0, node: 'n1' });
      expect(new Set(waits)).toEqual(new Set(['its result is not seen yet']));
    }));

  it('is not waited for without an end: its node is lost then, and resume looks for it once more', () =>
    withFolder(async (folder) => {
      const { end, seconds } = await followed(folder, { says: [ended] });
      expect(end).toMatchObject({ exitCode: null, reason: 'it left no result' });
      expect(seconds).toBeGreaterThanOrEqual(90);
      expect(seconds).toBeLessThan(110);
      const again = await followed(folder, { says: [] });
      expect(again.end).toEqual(end);

      appears(folder);
      const resumed = await followed(folder, { says: [] });
      expect(resumed.end).toMatchObject({ attempt: 1, exitCode: 0, node: 'n1' });
      expect(summarise(readSubmission(folder)).nodes).toMatchObject([{ exitCode: 0, lostAttempts: [] }]);
    }));

  it('that is damaged is no other one when it is looked for again', () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'attempts', 'n1.1'), { recursive: true });
      writeFileSync(join(folder, 'attempts', 'n1.1', 'end.json'), '{');
      const { end } = await followed(folder, { says: [ended] });
      expect(end?.reason).toMatch(/end\.json is damaged/);
      expect((await followed(folder, { says: [] })).end).toEqual(end);
    }));
});

describe('results that cannot be kept here', () => {
  const campaign = '20261121T000000Z-matmul-aaaaaa';
  const files = { 'journal.ndjson': 'e30K', 'inspections/1.json': 'e30K' };
  const scheduling = {
    says: [ended],
    output: () => deliveryLines({ ...deliveryOf('n1'), campaign, files }),
    head: { retries: 1 },
  };

  /** Follows with a disk on which a first folder can be made, and none in it. */
  const onFullDisk = (folder: string) =>
    withoutWaiting(() =>
      withModule(
        'src/store/make-folder.ts',
        {
          makeFolder(path: string): void {
            if (path.endsWith('inspections'))
              throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
            makeFolder(path);
          },
        },
        async () => followed(folder, scheduling, (await import('../../src/submit/follow.js')).follow),
      ),
    );

  it('are none that were lost: it is said, nothing of them is left lying, and they are collected when there is room', () =>
    withFolder(async (folder) => {
      await expect(onFullDisk(folder)).rejects.toMatchObject({
        message: 'the results of n1 cannot be collected: ENOSPC: no space left on device',
        exitCode: EXIT.incomplete,
      });
      expect(readdirSync(join(folder, 'nodes'))).toEqual([]);
      expect(readSubmission(folder).entries.map(({ event }) => event)).not.toContain('ended');

      const { end } = await followed(folder, scheduling);
      expect(end).toMatchObject({ attempt: 1, exitCode: 0 });
      expect(readdirSync(join(folder, 'nodes', 'n1')).sort()).toEqual(['inspections', 'journal.ndjson']);
    }));

  it('because of what they are themselves are lost', () =>
    withFolder(async (folder) => {
      const outside = { ...deliveryOf('n1'), campaign, files: { '../outside': 'e30K' } };
      const { end } = await followed(folder, { says: [ended], output: () => deliveryLines(outside) });
      expect(end).toMatchObject({
        exitCode: null,
        reason: expect.stringContaining('a result names the file'),
      });
    }));
});
