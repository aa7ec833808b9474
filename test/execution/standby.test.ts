/** Workers that are started before their job is known: who gets them, and that none is left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeLocalEngine } from '../../src/execution/local.js';
import { makeStandby, type Standby } from '../../src/execution/standby.js';
import { type Job, monotonic } from '../../src/inspection/job.js';
import { until, workerOf } from '../support/pi-bench.js';
import { statFields } from '../support/processes.js';
import { jobOf, startProgram } from './support.js';

/** Not where it has ended and only waits to be asked how, which nobody may ever do. */
function isThere(pid: number): boolean {
  try {
    return statFields(`/proc/${pid}`)[0] !== 'Z';
  } catch {
    return false;
  }
}
const gone = (pid: number) => until(() => (isThere(pid) ? undefined : true), `the end of ${pid}`);
const startedBy = (parent: number) => until(() => workerOf(parent), 'the worker');

describe('a worker that stands by', () => {
  const standby = makeStandby();
  const taken: ChildProcess[] = [];
  const take = (environment: Job['environment'], from: Standby = standby) => {
    const worker = from.take(environment);
    if (worker !== null) taken.push(worker);
    return worker;
  };
  afterEach(async () => {
    standby.dismiss();
    for (const worker of taken.splice(0)) worker.kill('SIGKILL');
    await until(() => (workerOf(process.pid) === undefined ? true : undefined), 'the end of all');
  });

  it('is for one launch of its environment', async () => {
    standby.prepare({ OMP_NUM_THREADS: '3', HOME: null });
    const pid = await startedBy(process.pid);
    expect(take({ HOME: null, OMP_NUM_THREADS: '3' })?.pid).toBe(pid);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    expect(environment).toContain('OMP_NUM_THREADS=3');
    expect(environment.filter((variable) => variable.startsWith('HOME='))).toEqual([]);
    expect(take({ HOME: null, OMP_NUM_THREADS: '3' })).toBeNull();
  });

  it('gets no certificates to read, which would hold up its start: it speaks to nobody', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ssl/certs/ca-certificates.crt');
    standby.prepare({});
    vi.unstubAllEnvs();
    const pid = await startedBy(process.pid);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    expect(environment.filter((variable) => variable.startsWith('NODE_EXTRA_CA_CERTS='))).toEqual([]);
  });

  it('is the only one, however often it is asked for', async () => {
    standby.prepare({});
    const pid = await startedBy(process.pid);
    standby.prepare({});
    expect(take({})?.pid).toBe(pid);
    expect(take({})).toBeNull();
  });

  it('ends where the launch is of another environment, and no other is started in vain', async () => {
    const other = makeStandby();
    other.prepare({});
    const pid = await startedBy(process.pid);
    expect(take({ OMP_NUM_THREADS: '1' }, other)).toBeNull();
    await gone(pid);
    other.prepare({});
    expect(take({}, other)).toBeNull();
  });

  it('is not given out when it has ended', async () => {
    const other = makeStandby();
    other.prepare({});
    const pid = await startedBy(process.pid);
    process.kill(pid, 'SIGKILL');
    // Until this process was told, as it is who started it: before, nobody here could know.
    await until(() => (existsSync(`/proc/${pid}`) ? undefined : true), 'the news of its end');
    expect(take({}, other)).toBeNull();
  });

  it('ends when it is not needed', async () => {
    standby.prepare({});
    const pid = await startedBy(process.pid);
    standby.dismiss();
    await gone(pid);
    expect(take({})).toBeNull();
  });

  it('ends with the command that started it, however that ends', async () => {
    // What was compiled: a process of Node's own.
    const compiled = new URL('../../dist/execution/standby.js', import.meta.url).href;
    const program = `import { makeStandby } from '${compiled}'; makeStandby().prepare({}); setInterval(() => {}, 1000)`;
    const command = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
    const pid = await startedBy(command.pid ?? 0);
    command.kill('SIGKILL');
    await gone(pid);
  });
});

describe('a launch', () => {
  /** A worker that says that it has measured, and ends. */
  const PROGRAM = `writeSync(3, '{"event":"progress","phase":"write","taken":5}\\n');
    writeSync(3, '{"event":"written","path":"there","ended":"complete","passed":true,"refused":[]}\\n');
    process.exit(0);`;
  const job = jobOf({ environment: { OMP_NUM_THREADS: '2' } });
  const makeWatched = () => {
    const calls: string[] = [];
    const standby: Standby = {
      prepare: (changes) => calls.push(`prepare ${JSON.stringify(changes)}`),
      dismiss: () => calls.push('dismiss'),
      take(changes) {
        calls.push(`take ${JSON.stringify(changes)}`);
        return startProgram(PROGRAM);
      },
    };
    return { calls, engine: makeLocalEngine(standby) };
  };
  const hooks = { onProgress: () => {}, signal: new AbortController().signal };
  const now = (asked: Job) => ({ ...asked, launchedAt: monotonic() });

  it('takes the worker that stands by, and has the next one started when it has measured', async () => {
    const { calls, engine } = makeWatched();
    const end = await engine.launch(now(job), { ...hooks, another: true });
    expect(end).toMatchObject({ status: 'measured', path: 'there' });
    expect(calls).toEqual(['take {"OMP_NUM_THREADS":"2"}', 'prepare {"OMP_NUM_THREADS":"2"}']);
  });

  it('has none started where it is the last', async () => {
    const { calls, engine } = makeWatched();
    await engine.launch(now(job), { ...hooks, another: false });
    expect(calls).toEqual(['take {"OMP_NUM_THREADS":"2"}']);
  });

  it.each([
    ['begins with others', job, { gate: new AbortController().signal }],
    ['is stopped again and again on purpose', { ...job, standstill: 0.5 }, {}],
    ['is of several ranks', { ...job, case: { parameters: { ranks: 2 } } } as unknown as Job, {}],
  ])('that %s has a process of its own, with none beside it', async (_, asked, own) => {
    const { calls, engine } = makeWatched();
    // No job for a worker: that one was started at all is what counts.
    const end = await engine.launch(now(asked), { ...hooks, ...own, another: true });
    expect(end.status).toBe('failed');
    expect(calls).toEqual(['dismiss']);
  });
});
