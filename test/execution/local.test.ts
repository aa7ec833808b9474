/** What becomes of a launch whose process cannot even be started, and of one that is to end. */
import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEADLINE } from '../../src/execution/engine.js';
import { makeLimit, patienceFor } from '../../src/execution/limit.js';
import { makeLocalEngine } from '../../src/execution/local.js';
import type { Standby } from '../../src/execution/standby.js';
import { monotonic } from '../../src/inspection/job.js';
import { timerMs } from '../../src/timer.js';
import { jobOf, launchOf, startProgram, TOO_BIG, WRITTEN } from './support.js';

describe('a launch that the system does not start', () => {
  it('has failed, and the campaign goes on', async () => {
    const end = await makeLocalEngine(null).launch(jobOf({ environment: TOO_BIG, timeout: 1 }), {
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    expect(end).toMatchObject({ status: 'failed', path: null });
    expect(end.reason).toMatch(/^could not be started: .*E2BIG/);
  });

  it('has failed also where too many files are open', () => {
    // What was compiled: a process of Node's own, with few files.
    const compiled = new URL('../../dist/execution/local.js', import.meta.url).href;
    const program = `
      import { openSync } from 'node:fs';
      import { makeLocalEngine } from '${compiled}';
      try { for (;;) openSync('/dev/null', 'r'); } catch {}
      const job = { environment: {}, case: { parameters: {} }, standstill: null, timeout: 30, launchedAt: 0 };
      const hooks = { onProgress() {}, signal: new AbortController().signal };
      console.log(JSON.stringify(await makeLocalEngine(null).launch(job, hooks)));`;
    const limited = ['-c', 'ulimit -n 128; exec "$@"', 'bash', process.execPath];
    const { stdout, stderr } = spawnSync('bash', [...limited, '--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^could not be started: .*EMFILE/),
      path: null,
    });
  });
});

describe('a launch whose worker ends with the terminal before it says a word', () => {
  const hungUp = 'process.kill(process.pid, "SIGHUP"); setInterval(() => {}, 1000);';
  /** The first workers end so, the others do their work. */
  const endOf = async (times: number, outlives: boolean, said = '') => {
    let started = 0;
    const standby: Standby = {
      prepare() {},
      dismiss() {},
      take: () =>
        startProgram(
          started++ < times
            ? `${said} ${hungUp}`
            : `writeSync(3, ${JSON.stringify(WRITTEN)}); process.exit(0);`,
        ),
    };
    const hooks = { onProgress: () => {}, signal: new AbortController().signal };
    const end = await makeLocalEngine(
      standby,
      () => null,
      () => outlives,
    ).launch(jobOf(), hooks);
    return [end.status, started];
  };

  it('is started anew where that is to be outlived, and not for ever', async () => {
    expect(await endOf(2, true)).toEqual(['measured', 3]);
    expect(await endOf(1, false)).toEqual(['crashed', 1]);
    expect(await endOf(99, true)).toEqual(['crashed', 5]);
  });

  it('has crashed where it had begun', async () => {
    const said = `writeSync(3, '{"event":"progress","phase":"start","taken":0}\\n');`;
    expect(await endOf(1, true, said)).toEqual(['crashed', 1]);
  });
});

describe('a launch that has said its last word', () => {
  const says = `writeSync(3, ${JSON.stringify(WRITTEN)});`;

  it('is over with its process, and names what that has left behind', async () => {
    const sleeps = `const { pid } = require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: ['ignore', 'ignore', 2, 3] });`;
    const end = await launchOf(`${sleeps} ${says} process.exit(0);`);
    const pid = /: sleep \(pid (\d+)\)$/.exec(end.reason ?? '')?.[1];
    expect(end).toMatchObject({ status: 'measured', path: 'there' });
    expect(end.reason).toMatch(/^what it started is there still, beside the launches after it: sleep/);
    process.kill(Number(pid), 'SIGKILL');
  });

  it('names no more than a few of those that it has left behind', async () => {
    const sleeps = `for (let i = 0; i < 5; i++) { const { pid } = require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: ['ignore', 'ignore', 2, 3] }); writeSync(2, pid + '\\n'); }`;
    const heard: string[] = [];
    const end = await launchOf(`${sleeps} ${says} process.exit(0);`, undefined, undefined, (text) =>
      heard.push(text),
    );
    for (const pid of heard.join('').trim().split('\n')) process.kill(Number(pid), 'SIGKILL');
    expect(end.reason).toMatch(/: (sleep \(pid \d+\), ){2}sleep \(pid \d+\) and 2 more$/);
  });

  it('and does not end is killed soon, and counts', async () => {
    const end = await launchOf(`${says} setInterval(() => {}, 1000);`);
    expect(end).toMatchObject({
      status: 'measured',
      reason: 'its process did not end by itself and was killed',
      path: 'there',
    });
  });

  it('is given no more time by a signal', async () => {
    const stop = new AbortController();
    const writes = `writeSync(3, '{"event":"progress","phase":"write","taken":5}\\n');`;
    const program = `${writes} ${says} process.stdin.on('data', () => {}); setInterval(() => {}, 1000);`;
    const launched = launchOf(program, undefined, stop.signal);
    setTimeout(() => stop.abort(), 500);
    expect(await launched).toMatchObject({ status: 'measured', path: 'there' });
  });
});

describe('a launch that is told to end', () => {
  const interrupted = WRITTEN.replace('complete', 'interrupted');
  const endedBy = (signal: AbortSignal) =>
    launchOf(`writeSync(3, ${JSON.stringify(interrupted)}); process.exit(0);`, undefined, signal);

  it.each([
    ['a signal', AbortSignal.abort(), 'stopped by a signal'],
    ['a deadline', AbortSignal.abort(DEADLINE), 'ended by the deadline; what was measured is kept'],
  ])('by %s says by what', async (_, signal, reason) => {
    expect(await endedBy(signal)).toMatchObject({ status: 'interrupted', reason, path: 'there' });
  });
});

describe('a launch that should have ended', () => {
  afterEach(() => void vi.useRealTimers());

  it('may end its running repetition, by what those before it took, but not for ever', () => {
    expect(patienceFor('measure', 4, 20)).toBe(10);
    expect(patienceFor('measure', 1, 1000)).toBe(60);
  });

  it('may verify and write what it has', () => {
    for (const phase of ['cool-down', 'verify', 'done']) expect(patienceFor(phase, 4, 20)).toBe(60);
  });

  it('is ended where it shows no progress, and not while it does', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
    const endedAfter = (taken: () => number): number => {
      const began = monotonic();
      let ended = Number.NaN;
      const seen = () => ({ phase: 'measure', taken: taken(), measuringSince: began - 0.2 });
      makeLimit(seen, () => (ended = monotonic() - began)).after(0.02, 0.5);
      vi.runAllTimers();
      return ended;
    };
    // One repetition in 0.22 s: the next one gets twice that.
    expect(endedAfter(() => 1)).toBeCloseTo(0.02 + 0.44, 2);
    let taken = 0;
    expect(endedAfter(() => ++taken)).toBeCloseTo(0.02 + 0.5, 2);
    expect(taken).toBeGreaterThan(1);
  });

  it('is waited for no longer where it has measured nothing', () => {
    expect(patienceFor('measure', 0, 20)).toBe(0);
    expect(patienceFor('warm-up', 0, 0)).toBe(0);
    expect(patienceFor('start', 0, 0)).toBe(0);
  });
});

describe('a timer', () => {
  it('of years lasts as long as timers can, and does not end at once', () => {
    expect(timerMs(1.5)).toBe(1500);
    expect(timerMs(-1)).toBe(0);
    expect(timerMs(1e9)).toBe(2 ** 31 - 1);
  });
});
