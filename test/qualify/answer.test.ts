import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepVerdict, newerVerdict, verdictLock } from '../../src/cli/qualification/outputs.js';
import { parseAge, verdict } from '../../src/cli/verdict.js';
import {
  answerOf,
  type CachedVerdict,
  cut,
  parseVerdicts,
  readVerdicts,
  verdictFile,
} from '../../src/qualify/answer.js';
import type { Judged } from '../../src/qualify/formats/index.js';
import { listenOn } from '../../src/socket-lock.js';
import { machineOf } from '../support/machine.js';
import { withFolder } from '../support/pi-bench.js';
import { gpu, survey } from './support.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3600;
const one = (more: Partial<CachedVerdict> = {}): CachedVerdict => ({
  outcome: 'qualified',
  suite: 't1',
  tier: 't1',
  at: '2026-11-21T10:00:00Z',
  why: null,
  checks: 24,
  record: '/r',
  ...more,
});
const file = (...verdicts: readonly Partial<CachedVerdict>[]): string =>
  JSON.stringify({
    kind: 'pi-bench verdicts',
    schemaVersion: 1,
    hostname: 'node17',
    verdicts: verdicts.map(one),
  });
const bad = { outcome: 'not-qualified', why: 'quota cpu-quota' } as const;
const answer = (text: string | null, maxAge = 24 * HOUR, host = 'node17', least: string | null = null) =>
  answerOf(text, maxAge, NOW, host, least);

describe('the cached verdict', () => {
  it.each([
    [file({}), 0, 'qualified t1 2 h ago: 24 checks'],
    // What was skipped was no check that held.
    [file({ judged: 23, checks: 48 }), 0, 'qualified t1 2 h ago: 23 of 48 checks'],
    [file({ judged: 1, checks: 1 }), 0, 'qualified t1 2 h ago: 1 check'],
    [file(bad), 1, 'not-qualified t1 2 h ago: quota cpu-quota'],
    [file({ outcome: 'inconclusive', why: 'load busy' }), 2, 'inconclusive t1 2 h ago: load busy'],
    [null, 2, 'inconclusive: no verdict yet; run: pi-bench qualify'],
    ['{"kind":', 2, 'inconclusive: broken, or of another host; run: pi-bench qualify'],
    [file(), 2, 'inconclusive: broken, or of another host; run: pi-bench qualify'],
    [
      file({ at: '2026-11-22T10:00:00Z' }),
      2,
      'inconclusive: the verdict is from the future: look at the clock',
    ],
  ] as const)('%s', (text, code, line) => {
    expect(answer(text)).toEqual({ code, line });
  });

  it('of another host is none', () => {
    expect(answer(file({}), 24 * HOUR, 'node18').code).toBe(2);
  });

  it('that is too old is none', () => {
    expect(answer(file({}), HOUR)).toEqual({
      code: 2,
      line: 'inconclusive: the verdict is 2 h old; run: pi-bench qualify',
    });
  });

  const t0 = { suite: 't0', tier: 't0', checks: 12, at: '2026-11-21T11:00:00Z' } as const;
  it('of a quick look does not hide what a longer run found before', () => {
    expect(answer(file(bad, t0))).toEqual({ code: 1, line: 'not-qualified t1 2 h ago: quota cpu-quota' });
    expect(answer(file({}, t0))).toEqual({ code: 0, line: 'qualified t1 2 h ago: 24 checks' });
  });

  it('of a quick look is no yes where a tier is asked for, however old the yes of that tier is', () => {
    const asked = (...verdicts: readonly Partial<CachedVerdict>[]) =>
      answer(file(...verdicts), 24 * HOUR, 'node17', 't1');
    const old = { at: '2026-10-22T12:00:00Z' } as const;
    const t2 = { suite: 't2', tier: 't2', checks: 60 } as const;
    expect(answer(file(old, t0))).toEqual({ code: 0, line: 'qualified t0 60 min ago: 12 checks' });
    expect(asked(old, t0)).toEqual({
      code: 2,
      line: 'inconclusive: the verdict of t1 is 30 d old; run: pi-bench qualify --tier t1',
    });
    const none = 'inconclusive: no verdict of t1 or above yet; run: pi-bench qualify --tier t1';
    expect(asked(t0)).toEqual({ code: 2, line: none });
    expect(asked({ suite: 'site', tier: null }, t0)).toEqual({ code: 2, line: none });
    expect(asked({}, t0).line).toBe('qualified t1 2 h ago: 24 checks');
    expect(asked(old, t2, t0).line).toBe('qualified t2 2 h ago: 60 checks');
  });

  it('of a quick look that could not tell says nothing of the tier that is asked for', () => {
    const open = { ...t0, outcome: 'inconclusive', why: 'load busy' } as const;
    const asked = (...verdicts: readonly Partial<CachedVerdict>[]) =>
      answer(file(...verdicts), 24 * HOUR, 'node17', 't1');
    expect(asked({}, open)).toEqual({ code: 0, line: 'qualified t1 2 h ago: 24 checks' });
    expect(answer(file({}, open)).code).toBe(2);
    expect(asked({ ...bad, at: '2026-11-20T10:00:00Z' }, open)).toEqual({
      code: 2,
      line: 'inconclusive: t1 said no 26 h ago, and nothing settled it since',
    });
    expect(asked(open).line).toBe(
      'inconclusive: no verdict of t1 or above yet; run: pi-bench qualify --tier t1',
    );
    expect(asked({}, { ...open, why: 'load busy', busy: true }).code).toBe(0);
    // That a GPU does not answer is no matter of who else works here; nor is all else that stands behind that.
    const lost = 'inconclusive t0 60 min ago: driver driver-fault';
    expect(asked({}, { ...open, why: 'driver driver-fault' })).toEqual({ code: 2, line: lost });
    expect(asked({}, { ...open, busy: false }).code).toBe(2);
    // Of a suite of one's own nobody knows how thorough it is.
    expect(asked({}, { ...open, suite: 'site', tier: null }).code).toBe(2);
    expect(asked({}, { ...open, suite: 't1', tier: 't1' }).code).toBe(2);
  });

  it('that says no counts whatever tier is asked for', () => {
    expect(answer(file({}, { ...t0, ...bad }), 24 * HOUR, 'node17', 't1')).toEqual({
      code: 1,
      line: 'not-qualified t0 60 min ago: quota cpu-quota',
    });
  });

  it('that says no and is too old keeps a quick look from saying yes, until something as thorough settles it', () => {
    expect(answer(file(bad, t0), 1.5 * HOUR)).toEqual({
      code: 2,
      line: 'inconclusive: t1 said no 2 h ago, and nothing settled it since',
    });
    // A no of its own stays one.
    expect(answer(file(bad, { ...t0, ...bad }), 1.5 * HOUR).code).toBe(1);
    expect(answer(file(bad, { ...t0, suite: 't1', tier: 't1' }), 1.5 * HOUR).code).toBe(0);
    // What was too old and not a no is forgotten, as ever.
    expect(answer(file({}, t0), 1.5 * HOUR).code).toBe(0);
  });

  it('that says no is not settled by a run that could not tell', () => {
    const open = { outcome: 'inconclusive', at: '2026-11-21T11:00:00Z', why: 'load busy' } as const;
    expect(answer(file(bad, open)).code).toBe(1);
    expect(answer(file(bad, open, { ...t0, at: '2026-11-21T11:30:00Z' }), 0.75 * HOUR).code).toBe(2);
    expect(answer(file({}, open)).code).toBe(2);
  });

  it('is settled anew by a later run of the same suite, or of a higher tier', () => {
    const later = { at: '2026-11-21T11:00:00Z' } as const;
    expect(answer(file(bad, later)).code).toBe(0);
    expect(answer(file(bad, { ...later, suite: 't2', tier: 't2' })).code).toBe(0);
    expect(answer(file(bad, { ...later, suite: 'site', tier: null })).code).toBe(1);
  });

  it('is not settled by a run that is held to less, nor by a file that calls itself like a tier', () => {
    const later = { at: '2026-11-21T11:00:00Z' } as const;
    const held = { ...bad, held: ['gpu=8', 'baseline'] };
    expect(answer(file(held, later)).code).toBe(1);
    expect(answer(file(held, { ...later, held: ['gpu=8'] })).code).toBe(1);
    expect(answer(file(held, { ...later, held: ['baseline', 'gpu=8', 'cpu=2'] })).code).toBe(0);
    expect(answer(file(bad, { ...later, tier: null })).code).toBe(1);
  });

  it('is not settled by a run that is held to another baseline; of before nobody knows to which', () => {
    const later = { at: '2026-11-21T11:00:00Z' } as const;
    const by = (...held: string[]) => ({ held });
    expect(answer(file({ ...bad, ...by('baseline=a') }, { ...later, ...by('baseline=b') })).code).toBe(1);
    expect(answer(file({ ...bad, ...by('baseline=a') }, { ...later, ...by('baseline=a') })).code).toBe(0);
    expect(answer(file({ ...bad, ...by('baseline') }, { ...later, ...by('baseline=a') })).code).toBe(0);
    expect(answer(file({ ...bad, ...by('baseline=a') }, { ...later, ...by('baseline') })).code).toBe(1);
  });

  it('that says no is not settled by a run that could not judge what failed', () => {
    const later = { at: '2026-11-21T11:00:00Z' } as const;
    const failed = { ...bad, failed: ['history/gemm@cpu', 'ecc@cpu'] };
    expect(answer(file(failed, later)).code).toBe(1);
    expect(answer(file(failed, { ...later, judgedAgain: ['history/gemm@cpu'] })).code).toBe(1);
    expect(answer(file(failed, { ...later, judgedAgain: ['ecc@cpu', 'history/gemm@cpu'] })).code).toBe(0);
  });

  const saw = (cpus: string | null, gpus: readonly string[] = [], online = '0-63') => ({
    saw: { cpus, online, gpus },
  });
  const whole = saw('0-63', ['a', 'b']);
  const later = { at: '2026-11-21T11:00:00Z' } as const;

  it.each<[string, Partial<CachedVerdict>, Partial<CachedVerdict>, boolean]>([
    ['one CPU of 64', whole, saw('5', ['a', 'b']), false],
    ['one of two GPUs', whole, saw('0-63', ['a']), false],
    ['an unknown part', whole, {}, false],
    ['CPUs of which nobody is told', whole, saw(null, ['a', 'b']), false],
    ['all that the first saw', whole, saw('0-63', ['b', 'a', 'c']), true],
    ['the CPUs that are left, as the others are offline', whole, saw('0-31', ['a', 'b'], '0-31'), true],
    ['as many CPUs, and others', saw('0-1'), saw('2-3'), false],
    ['more CPUs than the first', saw('8,10-11'), saw('8-15'), true],
    ['a part, where nobody knows what the first saw', {}, saw('5'), true],
  ])('a later run that saw %s settles a no: %#', (_, before, after, settles) => {
    expect(answer(file({ ...bad, ...before }, { ...later, ...after })).code).toBe(settles ? 0 : 1);
  });

  it('says which part of the CPUs it is about, and prefers one about all of them', () => {
    const part = { ...later, ...saw('0,32'), suite: 't2', tier: 't2', checks: 80 } as const;
    expect(answer(file(part)).line).toBe('qualified t2 60 min ago on 2 of 64 CPUs: 80 checks');
    expect(answer(file({ ...part, ...bad })).line).toBe(
      'not-qualified t2 60 min ago on 2 of 64 CPUs: quota cpu-quota',
    );
    expect(answer(file({ ...saw('0-63'), suite: 't2', tier: 't2', checks: 80 }, part)).line).toBe(
      'qualified t2 2 h ago: 80 checks',
    );
  });

  it('says how many of the GPUs that were there the newest look saw, and hides it behind no earlier one', () => {
    const gpus = (count: number) =>
      saw(
        '0-63',
        Array.from({ length: count }, (_, i) => `gpu${i}`),
      );
    const before = { at: '2026-11-21T09:00:00Z', checks: 90, ...gpus(8) } as const;
    const now = { ...later, checks: 80, ...gpus(7) } as const;
    const line = 'qualified t1 60 min ago on 7 of 8 GPUs: 80 checks';
    expect(answer(file(before, now))).toEqual({ code: 0, line });
    // The older one is still known when it is too old to count.
    expect(answer(file(before, now), 2 * HOUR)).toEqual({ code: 0, line });
    expect(answer(file(before, { ...now, suite: 't2', tier: 't2' })).line).toBe(line.replace('t1', 't2'));
    expect(answer(file(before, { ...now, ...gpus(8) })).line).toBe('qualified t1 60 min ago: 80 checks');
    expect(answer(file(before, { ...now, saw: { ...gpus(7).saw, cpus: '0' } })).line).toBe(
      'qualified t1 60 min ago on 1 of 64 CPUs, 7 of 8 GPUs: 80 checks',
    );
  });

  it('knows no more GPUs than there were at once, where those of old had other addresses', () => {
    const gpus = (...names: readonly string[]) => saw('0-63', names);
    const old = { at: '2026-11-19T10:00:00Z', ...gpus('a', 'b') } as const;
    expect(answer(file(old, { ...later, ...gpus('c', 'd') })).line).toBe(
      'qualified t1 60 min ago: 24 checks',
    );
    expect(answer(file(old, { ...later, ...gpus('c') })).line).toBe(
      'qualified t1 60 min ago on 1 of 2 GPUs: 24 checks',
    );
    // Jobs that each have some of them.
    expect(answer(file(gpus('a', 'b'), { ...later, ...gpus('c', 'd') })).line).toBe(
      'qualified t1 60 min ago on 2 of 4 GPUs: 24 checks',
    );
  });

  it('is one line of fewer than 80 bytes, whatever stands in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.string({ maxLength: 50 }),
        (why, suite) => {
          const { line } = answer(file({ ...bad, why, suite, tier: null }));
          expect(Buffer.byteLength(line)).toBeLessThan(80);
          expect(line).not.toContain('\n');
        },
      ),
    );
    expect(cut('x'.repeat(100)).endsWith('~')).toBe(true);
  });
});

describe('an age', () => {
  it.each([
    ['30s', 30],
    ['10min', 600],
    ['10m', 600],
    ['10M', null],
    ['24h', 86_400],
    ['7d', 604_800],
    ['24', null],
    ['soon', null],
    ['-1h', null],
  ])('%s is %s seconds', (text, seconds) => {
    expect(parseAge(text)).toBe(seconds);
  });
});

describe('the short way to an answer', () => {
  it.each([
    [['--max-age', '1h', '--max-age', '2h']],
    [['--tier', 't1', '--tier=t0']],
  ])('leaves %j to the command line proper: which of two was meant nobody knows', (args) => {
    const unused = (line: string): never => {
      throw new Error(line);
    };
    expect(verdict(args, unused, unused)).toBeNull();
  });
});

describe('where answers are kept', () => {
  it('is below the state folder that is set, if that is an absolute path, a file for each host', () => {
    expect(verdictFile({ XDG_STATE_HOME: '/state' }, 'n1')).toBe('/state/pi-bench/verdict-n1.json');
    expect(verdictFile({ XDG_STATE_HOME: '/state' }, '../n1')).toBe('/state/pi-bench/verdict-..%2Fn1.json');
    for (const XDG_STATE_HOME of ['', 'state', undefined])
      expect(verdictFile({ XDG_STATE_HOME }, 'n1')).toMatch(
        /^\/.*\/\.local\/state\/pi-bench\/verdict-n1\.json$/,
      );
  });

  const judged = (name: string, tier: string | null, outcome: CachedVerdict['outcome']): Judged =>
    ({
      machine: machineOf(),
      qualification: {
        outcome,
        suite: { name, tier, file: null, sha256: '' },
        endedAt: new Date().toISOString(),
        checks: [],
        expected: {},
        baseline: null,
      },
    }) as unknown as Judged;
  const kept = (env: NodeJS.ProcessEnv): readonly string[] =>
    parseVerdicts(readVerdicts(null, env), hostname()).map(({ suite }) => suite);

  const textOf = (verdict: CachedVerdict): string =>
    JSON.stringify({
      kind: 'pi-bench verdicts',
      schemaVersion: 1,
      hostname: hostname(),
      verdicts: [verdict],
    });

  it('has the verdicts of all that end at once: each waits for who is writing, and then reads', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      const lock = await listenOn(verdictLock(verdictFile(env)), 'another process', () => {});
      const waiting = keepVerdict(judged('t0', 't0', 'qualified'), '/r', env);
      writeFileSync(verdictFile(env), textOf(one({ suite: 'site', tier: null })));
      lock?.release();
      await waiting;
      expect(kept(env)).toEqual(['site', 't0']);
    }));

  it('has which baseline it was held to, and what of the node was seen', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      const record = judged('t0', 't0', 'not-qualified');
      const machine = {
        ...machineOf({ allowedCpus: '3', onlineCpus: '0-63' }),
        gpus: survey(gpu({ pciBusId: '0000:01:00.0' })),
      };
      const qualification = { ...record.qualification, expected: { gpu: 1 }, baseline: { sha256: 'abc' } };
      await keepVerdict({ ...record, machine, qualification } as unknown as Judged, '/r', env);
      expect(parseVerdicts(readVerdicts(null, env), hostname())).toMatchObject([
        {
          held: ['gpu=1', 'baseline=abc'],
          saw: { cpus: '3', online: '0-63', gpus: ['0000:01:00.0'] },
        },
      ]);
    }));

  it('has what failed, and what of that a later run could judge', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      const keep = async (
        outcome: CachedVerdict['outcome'],
        verdicts: Record<string, string>,
        at: string,
      ) => {
        const record = judged('t1', 't1', outcome);
        const checks = Object.entries(verdicts).map(([id, verdict]) => ({
          id,
          verdict,
          required: verdict !== 'skipped',
          cause: null,
        }));
        const qualification = { ...record.qualification, checks, endedAt: at };
        await keepVerdict({ ...record, qualification } as unknown as Judged, '/r', env);
      };
      const codes = () => answerOf(readVerdicts(null, env), HOUR, Date.now(), hostname()).code;
      const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
      await keep('not-qualified', { 'history/gemm@cpu': 'fail', quota: 'pass' }, at(50));
      // Without its earlier runs nobody knows whether it is still slower than it was.
      await keep('qualified', { 'history/gemm@cpu': 'skipped', quota: 'pass' }, at(40));
      expect(codes()).toBe(1);
      await keep('not-qualified', { 'history/gemm@cpu': 'inconclusive', quota: 'fail' }, at(30));
      await keep('qualified', { 'history/gemm@cpu': 'skipped', quota: 'pass' }, at(20));
      expect(codes()).toBe(1);
      await keep('qualified', { 'history/gemm@cpu': 'pass', quota: 'pass' }, at(10));
      expect(codes()).toBe(0);
      expect(kept(env)).toEqual(['t1']);
    }));

  it('has the newest of a suite, also where an older one is kept once more', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      const [old, recent] = [judged('t1', 't1', 'qualified'), judged('t1', 't1', 'not-qualified')];
      const early = { ...old, qualification: { ...old.qualification, endedAt: '2026-01-01T00:00:00.000Z' } };
      await keepVerdict(recent, '/recent', env);
      await keepVerdict(early, '/early', env);
      expect([early, recent].map((record) => newerVerdict(record, '/r', env)?.suite ?? null)).toEqual([
        't1',
        null,
      ]);
      expect(parseVerdicts(readVerdicts(null, env), hostname())).toMatchObject([{ record: '/recent' }]);
    }));

  /** Of an hour of that day. */
  const keepAt = (
    env: NodeJS.ProcessEnv,
    hour: number,
    tier: string,
    outcome: CachedVerdict['outcome'],
    verdicts: Readonly<Record<string, string>> = {},
    expected: Readonly<Record<string, number>> = {},
  ) => {
    const record = judged(tier, tier, outcome);
    const checks = Object.entries(verdicts).map(([id, verdict]) => ({
      id,
      verdict,
      required: verdict !== 'skipped',
      cause: verdict === 'inconclusive' ? 'busy' : null,
    }));
    const endedAt = `2026-11-21T${String(hour).padStart(2, '0')}:00:00.000Z`;
    const qualification = { ...record.qualification, checks, endedAt, expected };
    return keepVerdict({ ...record, qualification } as unknown as Judged, '/r', env);
  };
  const outcomes = (env: NodeJS.ProcessEnv) =>
    parseVerdicts(readVerdicts(null, env), hostname()).map(({ suite, outcome }) => `${suite} ${outcome}`);

  it('has no older verdict beside a newer one of a higher tier that looked at as much', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      await keepAt(env, 8, 't2', 'not-qualified', { ecc: 'fail' });
      await keepAt(env, 10, 't3', 'qualified', { ecc: 'pass' });
      await keepAt(env, 11, 't3', 'qualified', { ecc: 'pass' });
      await keepAt(env, 8, 't2', 'not-qualified', { ecc: 'fail' });
      expect(outcomes(env)).toEqual(['t3 qualified']);
      // Of one that was held to more, or that a later one could not answer, it is not known otherwise.
      await keepAt(env, 9, 't2', 'not-qualified', { counts: 'fail' }, { gpu: 8 });
      expect(outcomes(env)).toEqual(['t3 qualified', 't2 not-qualified']);
    }));

  it.each([
    ['a lower tier', 't2'],
    ['the lowest', 't0'],
  ])('has an older "no" of %s that comes late, where the newer yes did not judge what failed', (_, tier) =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      await keepAt(env, 10, 't3', 'qualified', { ecc: 'pass', 'history/gemm@cpu': 'skipped' });
      await keepAt(env, 9, tier, 'not-qualified', { 'history/gemm@cpu': 'fail' });
      expect(outcomes(env)).toEqual(['t3 qualified', `${tier} not-qualified`]);
      const now = Date.parse('2026-11-21T10:30:00.000Z');
      expect(answerOf(readVerdicts(null, env), 2 * HOUR, now, hostname()).code).toBe(1);
    }));

  it('has the newer "no" also where an older yes of a higher tier comes late', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      await keepAt(env, 10, 't2', 'not-qualified', { ecc: 'fail' });
      expect(await keepAt(env, 8, 't3', 'qualified', { ecc: 'pass' })).toEqual([]);
      expect(outcomes(env)).toEqual(['t2 not-qualified', 't3 qualified']);
    }));

  it('has whether others at work alone left it open', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      const busy = () => parseVerdicts(readVerdicts(null, env), hostname()).map((one) => one.busy);
      await keepAt(env, 8, 't0', 'inconclusive', { load: 'inconclusive', quota: 'pass' });
      expect(busy()).toEqual([true]);
      await keepAt(env, 9, 't0', 'inconclusive', { load: 'inconclusive', driver: 'skipped' });
      expect(busy()).toEqual([true]);
      await keepAt(env, 10, 't0', 'qualified', { load: 'pass' });
      expect(busy()).toEqual([false]);
    }));

  it('tells why a "no" stands that a run of as much did not settle', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      await keepAt(env, 8, 't1', 'not-qualified', { quota: 'fail' }, { gpu: 8 });
      expect(await keepAt(env, 9, 't0', 'qualified', { load: 'pass' })).toEqual([]);
      const [said, ...others] = await keepAt(env, 10, 't1', 'qualified', { quota: 'skipped', load: 'pass' });
      expect(others).toEqual([]);
      expect(said).toMatch(
        /^the "no" of t1 of 2026-11-21T08.*\(quota\) stands for pi-bench verdict, as this run was not held to gpu=8 and did not judge quota: .*verdict-/,
      );
      expect(await keepAt(env, 11, 't1', 'qualified', { quota: 'pass' }, { gpu: 8 })).toEqual([]);
      expect(outcomes(env)).toEqual(['t1 qualified']);
    }));

  it('has how many checks said something, and why a suite that requires none qualifies nobody', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      const record = judged('site', null, 'inconclusive');
      const checks = [
        { verdict: 'pass', required: false },
        { verdict: 'skipped', required: false },
      ];
      const qualification = { ...record.qualification, checks };
      await keepVerdict({ ...record, qualification } as unknown as Judged, '/r', env);
      const text = readVerdicts(null, env);
      expect(parseVerdicts(text, hostname())).toMatchObject([{ checks: 2, judged: 1 }]);
      expect(answerOf(text, HOUR, Date.now(), hostname())).toEqual({
        code: 2,
        line: expect.stringMatching(/^inconclusive site \d s ago: none of the checks is required/),
      });
    }));

  it('leaves those of other hosts in the same folder alone, and takes over what lay there before', () =>
    withFolder(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      mkdirSync(join(folder, 'pi-bench'));
      const former = join(folder, 'pi-bench', 'verdict.json');
      const before = one({ ...bad, suite: 'site', tier: null, at: new Date().toISOString() });
      const text = textOf(before);
      writeFileSync(former, text);
      writeFileSync(verdictFile(env, 'another'), 'its own');
      expect(kept(env)).toEqual(['site']);
      await keepVerdict(judged('t0', 't0', 'qualified'), '/r', env);
      expect(kept(env)).toEqual(['site', 't0']);
      expect([readFileSync(former, 'utf8'), readFileSync(verdictFile(env, 'another'), 'utf8')]).toEqual([
        text,
        'its own',
      ]);
    }));
});
