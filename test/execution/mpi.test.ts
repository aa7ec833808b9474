/** Ranks whose launcher does not do what launchers do: it waits, as in a queue, is not started, is ended by others, or goes on. */
import { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEADLINE } from '../../src/execution/engine.js';
import { makeMpiEngine } from '../../src/execution/mpi.js';
import { attend } from '../../src/execution/mpi-ranks.js';
import { type Report, SPOKEN } from '../../src/inspection/job.js';
import { readLocalFile } from '../../src/machine/local-files.js';
import { PATIENT, waitingLauncher } from '../support/mpi.js';
import { until, withFolder } from '../support/pi-bench.js';
import { jobOf, TOO_BIG } from './support.js';

beforeEach(() => {
  for (const [name, value] of Object.entries(PATIENT)) vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

const HOST = { cpus: 2, cores: 2 };
const caseOf = (launcher: string) => ({ library: '/usr/lib/libmpi.so.40', launcher, ranks: 2 });
const runs = (pid: number): boolean => existsSync(`/proc/${pid}`);
const jobBy = (launcher: string, more: object = {}) =>
  jobOf({ case: { parameters: { ...caseOf(launcher), transport: 'mpi' } }, timeout: 600, ...more });
const HOOKS = { onProgress: () => {}, signal: new AbortController().signal };
/** As rank 0 speaks, in the words of a shell. */
const says = (report: Report): string => `echo '${SPOKEN}${JSON.stringify(report)}'`;

describe('ranks that have not found each other yet', () => {
  it.each([
    ['a signal', undefined],
    ['a deadline', DEADLINE],
  ])('are ended by %s, and their launch is interrupted', (_, reason) =>
    withFolder(async (folder) => {
      const { launcher, pid } = waitingLauncher(folder);
      const stop = new AbortController();
      const launched = makeMpiEngine(HOST).launch(jobBy(launcher), { ...HOOKS, signal: stop.signal });
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

describe('ranks', () => {
  it('whose launcher is not started have failed, and the campaign goes on', () =>
    withFolder(async (folder) => {
      const { launcher } = waitingLauncher(folder);
      const engine = makeMpiEngine(HOST);
      const failed = (why: RegExp) => ({ status: 'failed', reason: expect.stringMatching(why), path: null });
      expect(await engine.launch(jobBy(launcher, { environment: TOO_BIG }), HOOKS)).toMatchObject(
        failed(/^could not be started: .*E2BIG$/),
      );
      // Whose it is was asked before.
      rmSync(launcher);
      expect(await engine.launch(jobBy(launcher), HOOKS)).toMatchObject(
        failed(/^could not be started: .*ENOENT$/),
      );
    }));

  const members = [0, 1].map((process) => ({ host: 'n1', process }));
  const world = { rank: 0, size: 2, library: 'Open MPI 4.1.4', hosts: 1, members, cpus: [0] };
  /** What ranks do until they measure. */
  const begin = [
    says({ event: 'joined', world }),
    'read job',
    says({ event: 'progress', phase: 'warm-up', taken: 0 }),
  ];

  it.each([
    ['that a rank crashed', 'process rank 1 with PID 0 on node n1 exited on signal 11.', 1, 'crashed'],
    ['that a rank was killed', 'process rank 1 with PID 0 on node n1 exited on signal 9.', 1, 'crashed'],
    [
      'that a rank was told to end',
      'process rank 1 with PID 0 on node n1 exited on signal 15.',
      1,
      'interrupted',
    ],
    ['nothing, by a code of its own', '', 1, 'interrupted'],
    ['nothing, by the code of a crash below it', '', 139, 'crashed'],
    ['nothing, by the code of a signal to all', '', 143, 'interrupted'],
  ])('whose launcher ends after a signal and says %s', (_, words, code, status) =>
    withFolder(async (folder) => {
      const { launcher } = waitingLauncher(
        folder,
        ...begin,
        'read cancel',
        `echo '${words}' >&2`,
        `exit ${code}`,
      );
      const stop = new AbortController();
      const onProgress = () => stop.abort();
      const launched = makeMpiEngine(HOST).launch(jobBy(launcher), { onProgress, signal: stop.signal });
      expect(await launched).toMatchObject({ status, path: null });
    }));

  it('whose launcher has ended are waited for no longer, whatever has its output, and that is named', () =>
    withFolder(async (folder) => {
      const failed = says({ event: 'failed', status: 'failed', message: 'no such library' });
      const note = join(folder, 'left');
      // Once it has a session of its own: before, it is of the launcher's group and ends with it.
      const leaves = [
        `setsid sh -c 'echo $$ >"${note}"; exec sleep 1000' &`,
        `while [ ! -s "${note}" ]; do sleep 0.05; done`,
        `sleep 1000 & echo $! >>"${note}"`,
      ];
      const { launcher } = waitingLauncher(folder, ...leaves, failed, 'exit 1');
      const end = await makeMpiEngine(HOST).launch(jobBy(launcher), HOOKS);
      const [apart = 0, within = 0] = readFileSync(note, 'utf8').trim().split('\n').map(Number);
      process.kill(apart, 'SIGKILL');
      expect(end).toMatchObject({
        status: 'failed',
        reason: `no such library; what it started is there still, beside the launches after it: sleep (pid ${apart})`,
      });
      expect(end.wall).toBeLessThan(10);
      // Of its own group it was ended with it.
      const isRunning = () => readLocalFile(`/proc/${within}/stat`)?.includes(') Z ') === false;
      expect(isRunning()).toBe(false);
    }));

  it('whose launcher a scheduler ends with the campaign are interrupted', () =>
    withFolder(async (folder) => {
      const { launcher, pid } = waitingLauncher(folder, ...begin);
      const stop = new AbortController();
      let phase = '';
      const launched = makeMpiEngine(HOST).launch(jobBy(launcher), {
        onProgress(at) {
          phase = at;
        },
        signal: stop.signal,
      });
      await until(() => (phase === 'warm-up' ? true : undefined), 'the ranks');
      stop.abort();
      process.kill(await pid(), 'SIGTERM');
      expect(await launched).toMatchObject({
        status: 'interrupted',
        reason: expect.stringMatching(
          /^ended before it could stop: the job of 2 ranks was ended by SIGTERM, last heard of in phase warm-up/,
        ),
        path: null,
      });
    }));

  it('of which one says why it cannot join are left by nobody: their launcher, which goes on, is ended', () =>
    withFolder(async (folder) => {
      const message = 'no such library';
      const { launcher, pid } = waitingLauncher(folder, says({ event: 'failed', status: 'failed', message }));
      const end = await makeMpiEngine(HOST).launch(jobBy(launcher), HOOKS);
      expect(end).toMatchObject({ status: 'failed', reason: message, path: null });
      expect(runs(await pid())).toBe(false);
    }));
});

it('are not killed by a group that ended with their launcher, whose id may be another’s by then', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  try {
    const pid = 2 ** 30;
    // Of one that was not started Node sends no signal.
    const child = Object.assign(new ChildProcess(), { pid, stdio: [], exitCode: null, kill: () => true });
    const ranks = attend(caseOf('mpirun'), child);
    ranks.stop();
    // Its files are still open, as something of another group has them.
    vi.advanceTimersByTime(2500);
    Object.assign(child, { exitCode: 1 });
    child.emit('exit', 1, null);
    expect(kill.mock.calls).toEqual([[-pid, 'SIGKILL']]);
    vi.advanceTimersByTime(600);
    expect(kill).toHaveBeenCalledTimes(1);
  } finally {
    kill.mockRestore();
    vi.useRealTimers();
  }
});
