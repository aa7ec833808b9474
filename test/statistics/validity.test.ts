/** Each flag fires on what it is for, stays silent on a quiet machine, and never on what could not be read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grouped, significant } from '../../src/quantities/format.js';
import { detectFlags, detectors, notChecked } from '../../src/statistics/validity/index.js';
import type { Flag, FlagName } from '../../src/statistics/validity/types.js';
import type { Observation, Telemetry, ThreadTelemetry } from '../../src/telemetry/types.js';
import {
  normalFrom,
  QUIET_TELEMETRY,
  QUIET_THREAD,
  quietObservation,
  randomFrom,
  series,
} from './support.js';

const names = (observation: Observation): FlagName[] => detectFlags(observation).map(({ name }) => name);
const flagOf = (observation: Observation, name: FlagName): Flag | undefined =>
  detectFlags(observation).find((flag) => flag.name === name);
const withTelemetry = (changes: Partial<Telemetry>, rest: Partial<Observation> = {}): Observation =>
  quietObservation({ ...rest, telemetry: { ...QUIET_TELEMETRY, ...changes } });
const withThread = (changes: Partial<ThreadTelemetry>, rest: Partial<Observation> = {}): Observation =>
  withTelemetry({ threads: [{ ...QUIET_THREAD, ...changes }] }, rest);
const unchecked = (observation: Observation): FlagName[] => notChecked(observation).map(({ flag }) => flag);
const every = (share: number): number[] =>
  Array.from({ length: 1400 }, (_, i) => i).filter(
    (i) => Math.floor((i + 1) * share) > Math.floor(i * share),
  );

describe('a quiet machine', () => {
  it('raises no flag, and every check could run', () => {
    expect(detectFlags(quietObservation())).toEqual([]);
    expect(notChecked(quietObservation())).toEqual([]);
  });

  it('raises none for 200 different quiet launches with dependent repetitions', () => {
    const raised: FlagName[] = [];
    for (let seed = 1; seed <= 200; seed++) {
      const normal = normalFrom(randomFrom(seed));
      let x = 0;
      const samples = series(100 + 10 * seed, () => {
        x = 0.5 * x + normal();
        return 1.4e-3 * (1 + 0.02 * x);
      });
      raised.push(...names(quietObservation({ samples, disturbed: [3, 50] })));
    }
    expect(raised).toEqual([]);
  });
});

describe('ranks on other hosts', () => {
  it('leave open what is read of a host, and nothing else', () => {
    expect(notChecked(quietObservation({ elsewhere: 48 })).map(({ flag, why }) => [flag, why])).toEqual(
      ['throttled', 'stolen', 'migrated', 'contended', 'crowded', 'mixed-cores'].map((flag) => [
        flag,
        'of the hosts of 48 other ranks nothing was read',
      ]),
    );
    expect(notChecked(quietObservation({ elsewhere: 0 }))).toEqual([]);
  });
});

describe('throttled', () => {
  const cgroup = {
    version: 2,
    quotaCpus: 2,
    period: 0.1,
    periods: 20,
    throttledPeriods: 15,
    throttledTime: 1.25,
  } as const;

  it('tells the share of periods, the time and the quota', () => {
    const flag = flagOf(withTelemetry({ cgroup }), 'throttled');
    expect(flag?.evidence).toMatchObject({
      throttledPeriodsShare: 0.75,
      throttledShareOfWindow: 0.625,
      quotaCpus: 2,
    });
    expect(flag?.reason).toMatch(/quota of 2 CPUs in 15 of 20 periods \(75 %\).*1\.25 s/);
  });

  it('is not said of a quota that was never used up', () => {
    expect(names(withTelemetry({ cgroup: { ...cgroup, throttledPeriods: 0, throttledTime: 0 } }))).toEqual(
      [],
    );
  });

  it('is said of a thermal limit', () => {
    expect(flagOf(withTelemetry({ thermalThrottles: 3 }), 'throttled')?.reason).toMatch(
      /thermal limit 3 times/,
    );
  });

  it('is not checked where control groups are hidden, of which one may stop the threads that then wait', () => {
    const missing = [{ what: 'CPU quota above', why: 'they are hidden' }];
    const quiet = withTelemetry({ missing });
    expect(names(quiet)).toEqual([]);
    expect(notChecked(quiet)).toEqual([{ flag: 'throttled', why: 'CPU quota: they are hidden' }]);
    const stopped = { missing, threads: [{ ...QUIET_THREAD, runDelay: 1.2 }] };
    expect(flagOf(withTelemetry(stopped), 'preempted')?.reason).toMatch(
      /^other work ran on these CPUs, or a quota that is hidden here held the threads up: .*look for the quota on the host$/,
    );
  });

  it('is not taken for other work, though the threads waited', () => {
    const stopped = { cgroup, threads: [{ ...QUIET_THREAD, runDelay: 1.2, involuntarySwitches: 20 }] };
    expect(names(withTelemetry(stopped, { disturbed: every(0.01) }))).toEqual(['throttled']);
    expect(unchecked(withTelemetry(stopped))).toContain('preempted');
  });
});

describe('stolen', () => {
  it('is set against the measuring threads’ time', () => {
    const flag = flagOf(withTelemetry({ steal: 0.2, onlineCpus: 64 }), 'stolen');
    expect(flag?.evidence.share).toBeCloseTo(0.1, 9);
    expect(flag?.reason).toMatch(/200 ms of CPU time to others, up to 10 %/);
  });

  it('is not said of a tick or two', () => {
    expect(names(withTelemetry({ steal: 0.02, window: 0.5 }))).toEqual([]);
  });
});

describe('migrated', () => {
  it('counts the threads that moved and how often', () => {
    const flag = flagOf(withThread({ migrations: 4 }, { pinned: false }), 'migrated');
    expect(flag?.evidence).toMatchObject({ moved: 1, migrations: 4 });
    expect(flag?.reason).toMatch(/1 of 1 measuring thread moved to another CPU, 4 times in all.*--pin/);
  });

  it('advises nothing that would make more threads, as of ranks with threads that communicate', () => {
    const moving = { ...QUIET_THREAD, migrations: 1 };
    const observed = { threads: 4, pinned: false };
    const flag = flagOf(
      withTelemetry({ allowedCpus: 2, threads: [moving, moving, moving, moving] }, observed),
      'migrated',
    );
    expect(flag?.reason).toMatch(/there are 2 CPUs for all of them: take fewer threads, or fewer ranks$/);
    expect(flag?.reason).not.toContain('--threads');
  });

  it('is seen by the CPUs before and after where the kernel does not count, and said to be half known', () => {
    const moved = withThread({ migrations: null, cpuAfter: 1 });
    expect(names(moved)).toEqual(['migrated']);
    expect(unchecked(moved)).toEqual(['migrated']);
  });
});

describe('preempted', () => {
  it('is said of threads that waited for a CPU', () => {
    const flag = flagOf(withThread({ runDelay: 0.9, involuntarySwitches: 250 }), 'preempted');
    expect(flag?.reason).toMatch(/; 250 involuntary switches: end it/);
    const untold = flagOf(withThread({ runDelay: 0.9, involuntarySwitches: null }), 'preempted');
    expect(untold?.reason).toMatch(/waited 900 ms for a CPU \(45 % of their time\): end it/);
    expect(untold?.evidence).toMatchObject({ involuntarySwitches: null });
    expect(flag?.reason).toMatch(/waited 900 ms for a CPU \(45 % of their time\).*250 involuntary switches/);
  });

  it('never says more than all of the time, though the kernel counts a wait when it ends', () => {
    const flag = flagOf(withThread({ runDelay: 2.4 }), 'preempted');
    expect(flag?.evidence).toMatchObject({ runDelaySeconds: 2, delayShare: 1, worstDelayShare: 1 });
  });

  describe('of repetitions that are little of the window that threads are counted over', () => {
    // As 50 repetitions of 30 us, between two looks at the counters.
    const brief = (runDelay: number, cpuTime: number, rest: Partial<Observation> = {}) =>
      withTelemetry(
        { window: 12.6e-3, threads: [{ ...QUIET_THREAD, runDelay, cpuTime }] },
        { samples: series(50, (i) => 30e-6 * (1 + 1e-3 * (i % 7))), disturbed: [], wall: 1.5e-3, ...rest },
      );

    it('is not said where the threads may have waited beside them', () => {
      expect(names(brief(18.1e-3, 5.5e-3))).not.toContain('preempted');
      expect(unchecked(brief(18.1e-3, 5.5e-3))).not.toContain('preempted');
    });

    it('is said of the wait that must have been in them', () => {
      const flag = flagOf(brief(12e-3, 0.1e-3), 'preempted');
      expect(flag?.evidence.runDelaySeconds).toBeCloseTo(0.9e-3, 9);
      expect(flag?.evidence.delayShare).toBeCloseTo(0.6, 9);
    });

    it('is not checked where nothing tells which repetitions lost their CPU', () => {
      expect(unchecked(brief(18.1e-3, 5.5e-3, { disturbed: null }))).toContain('preempted');
    });

    it('counts what was taken off their time, as for cold caches, among them', () => {
      expect(names(brief(9e-3, 3e-3, { takenOff: 10e-3 }))).toContain('preempted');
    });
  });

  it.each([0.35, 0.6, 0.9])('is said where a share of %f of the repetitions lost a CPU', (share) => {
    const flag = flagOf(withThread({ runDelay: null }, { disturbed: every(share) }), 'preempted');
    expect(flag?.evidence.disturbedShare).toBeCloseTo(share, 2);
    // What was seen, and not how many there would have to be in all.
    const { samples, callsPerSample } = quietObservation();
    const seconds = Array.from(samples).reduce((sum, sample) => sum + sample, 0) * callsPerSample;
    const seen = every(share).length / seconds;
    expect(flag?.evidence.disturbancesPerSecond).toBeCloseTo(seen, 6);
    expect(flag?.evidence.likelyPerSecond).toBeGreaterThan(seen);
    expect(flag?.reason).toContain(`(${grouped(Number(significant(seen, 2)))} in a second of repetitions)`);
  });

  it.each([0.005, 0.03, 0.05])('is not said at a share of %f: quiet machines have that', (share) => {
    expect(names(quietObservation({ disturbed: every(share) }))).toEqual([]);
  });

  it('counts an absence of a loading thread once, however many repetitions it overlaps', () => {
    const samples = series(3000, (i) => 30e-6 * (1 + 1e-3 * (i % 7)));
    const absent = (times: number, long: number): number[] =>
      Array.from({ length: times }, (_, k) =>
        Array.from({ length: long }, (_, i) => 100 + 130 * k + i),
      ).flat();
    const of = (times: number, long: number, loaded: boolean) =>
      names(
        withThread(
          { runDelay: null },
          { samples, wall: 0.1, disturbed: absent(times, long), ...(loaded ? { loaded } : {}) },
        ),
      );
    expect(of(1, 100, false)).toContain('preempted');
    expect(of(1, 100, true)).not.toContain('preempted');
    expect(of(9, 100, true)).not.toContain('preempted');
    expect(of(20, 100, true)).toContain('preempted');
  });

  it('goes by all of the time where ranks were watched beside their calls, and says so', () => {
    // Calls of 2 µs, and many times that to meet: what is lost there is not lost in calls alone.
    const samples = series(1400, (i) => 2e-6 * (1 + 1e-3 * (i % 7)));
    const of = (wall: number, met: boolean) =>
      withThread({ runDelay: null }, { samples, wall, disturbed: every(0.01), ...(met ? { met } : {}) });
    expect(names(of(0.2, false))).toContain('preempted');
    expect(names(of(0.2, true))).not.toContain('preempted');
    expect(flagOf(of(0.09, true), 'preempted')?.reason).toMatch(
      /lost a CPU while they ran or their ranks met \(160 in a second\)/,
    );
  });

  it('does not hold long repetitions against a quiet machine', () => {
    const normal = normalFrom(randomFrom(2));
    const samples = series(100, () => 0.2 * (1 + 0.01 * normal()));
    const all = Array.from({ length: 100 }, (_, i) => i);
    expect(names(quietObservation({ samples, disturbed: all }))).toEqual([]);
  });

  const many = (of: number, worst: Partial<ThreadTelemetry> = {}): Partial<Telemetry> => ({
    allowedCpus: of,
    onlineCpus: of,
    threads: Array.from({ length: of }, (_, i) => ({ ...QUIET_THREAD, tid: i, ...(i === 0 ? worst : {}) })),
  });
  it('is not said where each of many threads is disturbed as seldom as the two of a quiet machine', () => {
    const observation = withTelemetry(many(128), { threads: 128, disturbed: every(0.35) });
    expect(names(observation)).toEqual([]);
    expect(names(quietObservation({ threads: 2, disturbed: every(0.35) }))).toContain('preempted');
  });

  it('is said where one of many threads has a competitor: the others wait for it', () => {
    const observation = withTelemetry(many(128, { runDelay: 0.9 }), { threads: 128 });
    expect(flagOf(observation, 'preempted')?.reason).toMatch(
      /one of the measuring threads waited .* for 45 % of its time/,
    );
  });

  it('is said of little time on a CPU where nothing else is known', () => {
    const flag = flagOf(withThread({ runDelay: null, cpuTime: 1 }, { disturbed: null }), 'preempted');
    expect(flag?.reason).toMatch(/on a CPU for only 50 % of the time/);
  });
});

describe('drifting', () => {
  it('is said of repetitions that become slower, with how much', () => {
    const normal = normalFrom(randomFrom(16));
    const flag = flagOf(
      quietObservation({ samples: series(1400, (i) => 1.4e-3 * (1 + (0.05 * i) / 1400 + 0.01 * normal())) }),
      'drifting',
    );
    expect(flag?.reason).toMatch(/became (4\.[5-9]|5\.[0-5]) % slower/);
  });
});

describe('quantised', () => {
  const normal = normalFrom(randomFrom(17));
  const period = (multiple: number): number => 0.1 * multiple + 1e-3 * normal();

  it('is said of times at multiples of the default quota period, without any telemetry', () => {
    const samples = series(300, (i) => period(3 + (i % 7 === 0 ? 1 : 0) + (i % 11 === 0 ? 2 : 0)));
    const flag = flagOf(withTelemetry({ cgroup: null }, { samples, disturbed: [] }), 'quantised');
    expect(flag?.evidence).toMatchObject({ periodSeconds: 0.1, isQuotaPeriod: false });
    expect(flag?.reason).toMatch(/within 6\.00 ms of a multiple of 100 ms/);
  });

  it('looks at what was timed at once, all the calls of a sample', () => {
    const samples = series(300, (i) => period(3 + (i % 5)) / 1000);
    expect(names(quietObservation({ samples, callsPerSample: 1000, disturbed: [] }))).toContain('quantised');
  });
});

describe('crowded', () => {
  it('is raised where there are more threads than CPUs, and says how many of each', () => {
    const flag = flagOf(withTelemetry({ allowedCpus: 2 }, { threads: 3, pinned: false }), 'crowded');
    expect(flag?.evidence).toEqual({ threads: 3, allowedCpus: 2 });
    expect(flag?.reason).toContain('3 threads or ranks shared 2 CPUs');
  });
  it('is silent where each has its own', () => {
    expect(flagOf(withTelemetry({ allowedCpus: 2 }, { threads: 2 }), 'crowded')).toBeUndefined();
  });
});

describe('threads of the process itself that nobody asked for', () => {
  /** Three that never rest, as a library starts them that was told to use one: they share its one CPU. */
  const spinning = { ...QUIET_THREAD, cpuTime: 0.66, runDelay: 1.33, involuntarySwitches: 180 };
  const changes = {
    threads: [100, 101, 102].map((tid) => ({ ...spinning, tid })),
    processCpuTime: 1.98,
    cpuPressure: 1.4,
    otherCpuTime: 0.02,
  };
  const among = withTelemetry(changes);

  it('are named as what took the CPU, and not taken for other work', () => {
    expect(names(among)).toEqual(['preempted', 'crowded']);
    const flag = flagOf(among, 'preempted');
    expect(flag?.reason).toMatch(
      /^the library ran 3 threads where 1 was asked for, and those beyond took 1\.32 s of CPU time: /,
    );
    expect(flag?.reason).not.toMatch(/other work|other CPUs/);
    expect(flag?.evidence).toMatchObject({ threads: 1, threadsRun: 3 });
    expect(flag?.evidence.unaskedCpuSeconds).toBeCloseTo(1.32, 9);
  });

  it('crowd the CPU also where there are more CPUs than threads were asked for', () => {
    const flag = flagOf(among, 'crowded');
    expect(flag?.reason).toMatch(/ran 3 threads where 1 was asked for.*waited 1\.33 s for a CPU/);
    expect(flag?.evidence).toMatchObject({ threads: 1, allowedCpus: 2, threadsRun: 3 });
  });

  it('are seen by the CPU time of the process where they came too late to be watched', () => {
    const late = withTelemetry({ ...changes, threads: [spinning] });
    expect(flagOf(late, 'preempted')?.reason).toMatch(
      /^the library used 1\.32 s of CPU time beside that of 1 thread: /,
    );
  });

  it('are no excuse for other work that took more', () => {
    const little = { ...spinning, tid: 101, cpuTime: 0.1, runDelay: 0.1 };
    const both = withTelemetry({ ...changes, threads: [spinning, little], processCpuTime: 0.76 });
    expect(flagOf(both, 'preempted')?.reason).toMatch(/^other work ran on these CPUs/);
    expect(names(both)).not.toContain('crowded');
  });

  it('are not blamed where nobody waited for them, nor where others work as much as was waited', () => {
    // As a framework's own, which collect garbage on CPUs where nobody measures.
    const elsewhere = { allowedCpus: 8, onlineCpus: 8, window: 10, processCpuTime: 10.2, cpuPressure: 6 };
    const one = { ...QUIET_THREAD, cpuTime: 9.9 };
    const idle = withTelemetry({ ...elsewhere, threads: [{ ...one, runDelay: 0 }] });
    expect(names(idle)).not.toContain('crowded');
    expect(flagOf(idle, 'contended')?.reason).toMatch(/tasks of this machine waited for a CPU during 60 %/);
    const other = withTelemetry(
      {
        ...{ ...elsewhere, processCpuTime: 10.25, otherCpuTime: 0.2 },
        threads: [{ ...one, runDelay: 0.2 }],
      },
      { wall: 9.9 },
    );
    expect(names(other)).not.toContain('crowded');
    expect(flagOf(other, 'preempted')?.reason).toMatch(/^other work ran on these CPUs/);
  });

  it('are not those that were asked for, where a library makes them anew in each call and nobody sees them', () => {
    const seen = {
      ...{ threads: [{ ...QUIET_THREAD, cpuTime: 0.97, runDelay: 0.03 }], processCpuTime: 1.94, window: 1 },
      ...{ otherCpuTime: 0, cpuPressure: 0.2 },
    };
    const two = withTelemetry(seen, { threads: 2, wall: 0.97 });
    expect(names(two)).toEqual(['preempted', 'contended']);
    expect(flagOf(two, 'preempted')?.reason).toMatch(/^other work ran on these CPUs/);
    expect(flagOf(two, 'contended')?.reason).toMatch(/waited for a CPU during 20 %/);
    const more = withTelemetry({ ...seen, processCpuTime: 2.5 }, { threads: 2, wall: 0.97 });
    expect(flagOf(more, 'preempted')?.reason).toMatch(
      /^the library used 530 ms of CPU time beside that of 2 threads: /,
    );
  });

  it('are not meant where each thread ran that was asked for, and no other', () => {
    const asked = withTelemetry(changes, { threads: 3, pinned: false });
    expect(flagOf(asked, 'preempted')?.reason).toMatch(/^3 threads took turns on 2 CPUs/);
    const two = { ...changes, threads: changes.threads.slice(1), processCpuTime: 1.33 };
    expect(flagOf(withTelemetry(two, { threads: 2 }), 'preempted')?.reason).toMatch(/^other work/);
  });
});

describe('mixed-cores', () => {
  const coreKinds = [
    { name: 'performance', cores: 2, cpus: '0-3' },
    { name: 'efficiency', cores: 4, cpus: '4-7' },
  ] as const;
  const on = (...cpus: number[]) =>
    cpus.map((cpu, i) => ({ ...QUIET_THREAD, tid: 100 + i, cpuBefore: cpu, cpuAfter: cpu }));
  const some = { coreKinds, allowedCpus: 8, onlineCpus: 8 };

  it('is raised where threads ran on both kinds, and says how many on each', () => {
    const flag = flagOf(withTelemetry({ ...some, threads: on(2, 0, 4) }, { threads: 3 }), 'mixed-cores');
    expect(flag?.evidence).toEqual({ threads: 3, performance: 2, efficiency: 1 });
    expect(flag?.reason).toContain('2 ran on performance cores and 1 ran on efficiency cores');
  });
  it('is silent where all ran on one kind, and on a GPU', () => {
    expect(names(withTelemetry({ ...some, threads: on(2, 0) }, { threads: 2 }))).toEqual([]);
    const gpu = withTelemetry({ ...some, threads: on(2, 4) }, { threads: 2, onGpu: true });
    expect(flagOf(gpu, 'mixed-cores')).toBeUndefined();
  });
  it('is raised of one thread that went from one kind to the other', () => {
    const threads = [{ ...QUIET_THREAD, cpuBefore: 0, cpuAfter: 5 }];
    const flag = flagOf(withTelemetry({ ...some, threads }, { threads: 1, pinned: false }), 'mixed-cores');
    expect(flag?.evidence).toEqual({ threads: 1, performance: 1, efficiency: 1 });
  });
  it('says what cannot be known: threads of other processes, and where unpinned ones were meanwhile', () => {
    const blind = (observation: Observation) =>
      notChecked(observation).find(({ flag }) => flag === 'mixed-cores')?.why;
    expect(blind(withTelemetry({ ...some, threads: on(2) }, { threads: 4 }))).toContain('of 1 of 4 threads');
    expect(blind(withTelemetry({ ...some, threads: on(2) }, { threads: 1, pinned: false }))).toMatch(
      /before/,
    );
    expect(blind(withTelemetry({ ...some, threads: on(2) }, { threads: 1 }))).toBeUndefined();
    expect(blind(withTelemetry({}, { threads: 4 }))).toBeUndefined();
  });
});

describe('clock-limited', () => {
  const samples = series(1400, (i) => 2e-7 * (1 + (i % 10) / 1000));

  it('is said of 200 ns timed one by one, with how many calls would do', () => {
    const flag = flagOf(quietObservation({ samples, disturbed: [] }), 'clock-limited');
    expect(flag?.evidence.share).toBeCloseTo(0.1, 2);
    expect(flag?.reason).toMatch(/10\.0? ?%|10 %/);
    expect(flag?.evidence.callsNeeded).toBeGreaterThan(95);
    expect(flag?.evidence.callsNeeded).toBeLessThan(105);
  });

  it('is not said when so many calls are timed at once', () => {
    expect(names(quietObservation({ samples, callsPerSample: 100, disturbed: [] }))).toEqual([]);
  });

  it('is said of a part of long samples that is timed by itself, with what it is', () => {
    const partOf = (seconds: number) => ({ shortestPart: { what: 'the collective alone', seconds } });
    const flag = flagOf(quietObservation(partOf(3e-7)), 'clock-limited');
    expect(flag?.evidence).toMatchObject({ part: 'the collective alone', partSeconds: 3e-7 });
    expect(flag?.reason).toContain(
      'of the collective alone, which takes 300 ns: what hides, and what is slowed,',
    );
    expect(flagOf(quietObservation(partOf(1e-3)), 'clock-limited')).toBeUndefined();
  });
});

describe('multimodal', () => {
  it('is not looked for where nearly all repetitions were disturbed, and that is said', () => {
    const samples = series(600, (i) => (i % 2 === 0 ? 0.1 : 0.15));
    const disturbed = Array.from(samples, (_, i) => i).slice(15);
    const why = (observation: Observation) =>
      notChecked(observation).find(({ flag }) => flag === 'multimodal')?.why;
    expect(why(quietObservation({ samples, disturbed: [] }))).toBeUndefined();
    expect(why(quietObservation({ samples, disturbed }))).toMatch(/that nothing disturbed$/);
  });
});

describe('contended', () => {
  it('is said of other processes that use the machine’s CPUs', () => {
    expect(flagOf(withTelemetry({ otherCpuTime: 1.5 }), 'contended')?.reason).toMatch(
      /1\.50 s of CPU time in 2\.00 s/,
    );
  });

  it('is said of a little where the measuring threads leave no CPU free, and not where many are', () => {
    const threads = [QUIET_THREAD, { ...QUIET_THREAD, tid: 101 }];
    expect(names(withTelemetry({ otherCpuTime: 0.15, threads }, { threads: 2 }))).toEqual(['contended']);
    expect(names(withTelemetry({ otherCpuTime: 0.15, onlineCpus: 64 }))).toEqual([]);
    // A hundredth of each CPU is what the kernel and its daemons take.
    const whole = { onlineCpus: 128, allowedCpus: 128, threads: Array(128).fill(QUIET_THREAD) };
    expect(names(withTelemetry({ ...whole, otherCpuTime: 0.4 }, { threads: 128 }))).toEqual([]);
    expect(names(withTelemetry({ ...whole, otherCpuTime: 2.7 }, { threads: 128 }))).toEqual(['contended']);
  });

  it('is said of another campaign by its name, and of tasks that waited for a CPU or for memory', () => {
    expect(flagOf(quietObservation({ concurrentCampaign: 'campaign 7' }), 'contended')?.reason).toMatch(
      /^campaign 7 /,
    );
    expect(names(withTelemetry({ cpuPressure: 0.8 }))).toEqual(['contended']);
    expect(names(withTelemetry({ memoryPressure: 0.8 }))).toEqual(['contended']);
  });

  it('cannot be looked for in a short launch, as what is stolen cannot, which every one says in the same words', () => {
    for (const name of ['contended', 'stolen']) {
      const whyOf = (window: number) =>
        notChecked(withTelemetry({ window })).find(({ flag }) => flag === name)?.why;
      expect(whyOf(0.0517)).toMatch(/less than 200 ms/);
      expect(whyOf(0.0632)).toBe(whyOf(0.0517));
      expect(whyOf(0.3)).toBeUndefined();
    }
  });

  it('and what is stolen are half looked for where some ticks beyond the limit may be their rounding, and that is said', () => {
    const whyOf = (name: FlagName, changes: Partial<Telemetry>, rest: Partial<Observation> = {}) => {
      const observation = withTelemetry({ window: 0.25, otherCpuTime: 0, ...changes }, rest);
      return [
        names(observation).includes(name),
        notChecked(observation).find(({ flag }) => flag === name)?.why ?? null,
      ];
    };
    // A hundredth of one thread's 0.25 s is 2.5 ms; five ticks are a fifth of it.
    expect(whyOf('stolen', { steal: 0.04 })).toEqual([
      false,
      expect.stringMatching(/five ticks of 10 ms.* only more than about 20 % of the measuring threads’ time/),
    ]);
    expect(whyOf('stolen', { steal: 0.04, window: 0.263 })).toEqual(whyOf('stolen', { steal: 0.04 }));
    expect(whyOf('stolen', { steal: 0.06 })).toEqual([true, null]);
    // What was not seen could hide in any short launch; what is within the limit is none.
    expect(whyOf('stolen', { steal: 0 })).toEqual([false, null]);
    expect(whyOf('stolen', { steal: 0.04, window: 4.1 })).toEqual([false, null]);
    // A twentieth of two CPUs' 0.25 s is 25 ms; five ticks are a tenth of it.
    expect(whyOf('contended', { otherCpuTime: 0.03 })).toEqual([
      false,
      expect.stringMatching(/only more than about 10 % of all CPUs’ time can be told/),
    ]);
    expect(whyOf('contended', { otherCpuTime: 0.02 })).toEqual([false, null]);
    expect(whyOf('contended', { otherCpuTime: 0.06 })).toEqual([true, null]);
    // Where the threads leave no CPU free, a twentieth of one is too much.
    expect(whyOf('contended', { otherCpuTime: 0.02 }, { threads: 2 })[1]).toMatch(/five ticks/);
    expect(whyOf('contended', { otherCpuTime: 0.03 }, { beside: 1 })[1]).toMatch(/on purpose/);
  });

  it('is not said of pressure that too many own threads make', () => {
    expect(
      names(
        withTelemetry(
          { cpuPressure: 1.9, allowedCpus: 1, threads: [QUIET_THREAD, QUIET_THREAD] },
          { threads: 2 },
        ),
      ),
    ).toEqual(['crowded']);
  });

  it('is not said of a few ticks in a short window', () => {
    expect(names(withTelemetry({ otherCpuTime: 0.04, window: 0.25, cpuPressure: 0 }))).toEqual([]);
  });
});

describe('outlying', () => {
  it('tells the worst repetition, and whether a lost CPU explains it', () => {
    const quiet = quietObservation();
    const samples = Float64Array.from(quiet.samples);
    samples[200] = 0.05;
    const flag = flagOf(quietObservation({ samples }), 'outlying');
    expect(flag?.evidence).toMatchObject({ slow: 1, worstIndex: 200, disturbedAmongThem: 1 });
    expect(flag?.reason).toMatch(
      /^1 of 1,400 repetitions \(\S+ %\) is far slower than the rest \(index 200\), 35\.\d times the median, and lost a CPU meanwhile: it is kept; p99 is 1\.\d+ ms beside a median of 1\.\d+ ms$/,
    );
  });

  it('has the p99 that is to be looked at, beside the median', () => {
    const samples = Float64Array.from(quietObservation().samples).map((seconds, i) =>
      i < 20 ? 0.05 : seconds,
    );
    expect(flagOf(quietObservation({ samples }), 'outlying')?.reason).toMatch(
      /: they are kept; p99 is 50\.00 ms beside a median of 1\.\d+ ms$/,
    );
  });

  it.each([
    [[200], [], /, and lost no CPU meanwhile: it is kept/],
    [[200, 300], [], /are far slower .*; none of them lost a CPU meanwhile: they are kept/],
    [[200, 300], [300], /; 1 of them lost a CPU meanwhile/],
    [[200, 300], null, /times the median: they are kept/],
  ] as const)('says of slow ones at %j, where a CPU was lost at %j, what that explains', (slow, disturbed, says) => {
    const samples = Float64Array.from(quietObservation().samples);
    for (const index of slow) samples[index] = 0.05;
    expect(flagOf(quietObservation({ samples, disturbed }), 'outlying')?.reason).toMatch(says);
  });
});

describe('not-steady', () => {
  it('is said of a warm-up that reached no steady state', () => {
    expect(names(quietObservation({ steady: false }))).toEqual(['not-steady']);
  });

  it('is said of a slow start within the repetitions, with its length', () => {
    const normal = normalFrom(randomFrom(18));
    const samples = series(1400, (i) => 1.4e-3 * ((i < 100 ? 1.2 : 1) + 0.01 * normal()));
    const flag = flagOf(quietObservation({ samples, steady: null }), 'not-steady');
    expect(flag?.evidence.found).toBe(true);
    // The rule cuts batches of five and, where it can, a few more than it must.
    expect(flag?.evidence.transient).toBeGreaterThanOrEqual(100);
    expect(flag?.evidence.transient).toBeLessThanOrEqual(150);
    expect(flag?.reason).toMatch(/first 1\d\d repetitions took (19|20|21) % longer/);
  });
});

describe('what could not be read', () => {
  const blind: Telemetry = {
    ...QUIET_TELEMETRY,
    threads: [],
    processCpuTime: null,
    cgroup: null,
    cpuPressure: null,
    memoryPressure: null,
    ioPressure: null,
    steal: null,
    otherCpuTime: null,
    thermalThrottles: null,
    frequency: null,
    missing: [{ what: 'steal', why: 'no /proc here' }],
  };

  it('raises no flag, and each check that rests on it is named', () => {
    const observation = quietObservation({ telemetry: blind, disturbed: null });
    expect(names(observation)).toEqual([]);
    expect(unchecked(observation)).toEqual([
      'throttled',
      'stolen',
      'preempted',
      'migrated',
      'contended',
      'crowded',
    ]);
  });

  it('is explained with the telemetry’s own words', () => {
    const why = notChecked(quietObservation({ telemetry: blind })).find(({ flag }) => flag === 'stolen')?.why;
    expect(why).toBe('no /proc here');
  });

  it.each<[FlagName, string, Partial<Telemetry>, Partial<Observation>]>([
    ['throttled', 'the control group', { cgroup: null }, {}],
    ['throttled', 'the thermal counters', { thermalThrottles: null }, {}],
    ['stolen', 'stolen time', { steal: null }, {}],
    ['migrated', 'the migrations', { threads: [{ ...QUIET_THREAD, migrations: null }] }, {}],
    ['crowded', 'the run delay', { threads: [{ ...QUIET_THREAD, runDelay: null }] }, {}],
    ['contended', 'the CPU time of others', { otherCpuTime: null }, {}],
    ['contended', 'the pressures', { cpuPressure: null, memoryPressure: null, ioPressure: null }, {}],
    ['contended', 'one pressure', { memoryPressure: null }, {}],
    ['clock-limited', 'the clock', {}, { clockResolution: 0 }],
  ])('names %s alone where only %s could not be read', (flag, _, telemetry, rest) => {
    const observation = withTelemetry(telemetry, rest);
    expect(names(observation)).toEqual([]);
    expect(unchecked(observation)).toEqual([flag]);
  });

  it('is every check of the measuring threads where not all of them could be', () => {
    const one = withTelemetry({ threads: [QUIET_THREAD], allowedCpus: 4 }, { threads: 4 });
    expect(names(one)).toEqual([]);
    expect(notChecked(one)).toEqual([
      { flag: 'preempted', why: 'the files of 3 of 4 measuring threads could not be read' },
      { flag: 'migrated', why: 'whether they moved is known of 1 of 4 threads' },
      {
        flag: 'crowded',
        why: 'whether they waited for others of their own process is known of 1 of 4 threads',
      },
    ]);
    const half = { ...QUIET_THREAD, migrations: null };
    const whys = notChecked(withTelemetry({ threads: [half], allowedCpus: 4 }, { threads: 4 }));
    expect(whys.find(({ flag }) => flag === 'migrated')?.why).toMatch(
      /of 1 of 4 threads; only where the threads were before and after is known/,
    );
  });

  it('is two checks where run delay and disturbances could not be', () => {
    const threads = [{ ...QUIET_THREAD, runDelay: null }];
    expect(unchecked(withTelemetry({ threads }, { disturbed: null }))).toEqual(['preempted', 'crowded']);
  });

  it('is named with the half of the check that rests on it', () => {
    const whyOf = (flag: FlagName, changes: Partial<Telemetry>, rest: Partial<Observation> = {}) =>
      notChecked(withTelemetry(changes, rest)).find((one) => one.flag === flag)?.why;
    const missing = [{ what: 'cpu pressure', why: 'a kernel without PSI' }];
    const none = { cpuPressure: null, memoryPressure: null, ioPressure: null, missing };
    const waited = 'how long tasks of this machine waited for a CPU, memory, input or output is not known';
    expect(whyOf('contended', none)).toBe(`${waited}: a kernel without PSI`);
    expect(whyOf('contended', { ...none, otherCpuTime: null })).toBe(
      `the kernel does not tell what others used; ${waited}: a kernel without PSI`,
    );
    const threads = [{ ...QUIET_THREAD, runDelay: null }];
    const ofStatistics = { threads, missing: [{ what: 'run delay', why: 'no statistics' }] };
    expect(whyOf('crowded', ofStatistics)).toMatch(/waited for others of their own process: no statistics$/);
    // More threads than CPUs are seen all the same.
    const crowd = { ...ofStatistics, threads: [...threads, ...threads, ...threads] };
    expect(names(withTelemetry(crowd, { threads: 3 }))).toContain('crowded');
    expect(whyOf('crowded', crowd, { threads: 3 })).toBeUndefined();
  });

  it('is no reason to keep silent about what could be read', () => {
    const observation = withTelemetry({ cgroup: null, thermalThrottles: 2 });
    expect(names(observation)).toEqual(['throttled']);
    expect(unchecked(observation)).toEqual(['throttled']);
  });

  it('counts no switches where no thread could be read, though repetitions were disturbed', () => {
    const flag = flagOf(quietObservation({ telemetry: blind, disturbed: every(0.6) }), 'preempted');
    expect(flag?.reason).toMatch(/60 % of the repetitions lost a CPU/);
    expect(flag?.reason).not.toMatch(/switch/);
    expect(flag?.evidence.involuntarySwitches).toBeNull();
  });

  it('is preempted of so few repetitions that disturbed ones alone tell nothing', () => {
    const threads = [{ ...QUIET_THREAD, runDelay: null, cpuTime: 0.1 }];
    const of = (count: number) => {
      const samples = series(count, () => 1.4e-3);
      const disturbed = Array.from(samples.keys());
      return withTelemetry({ threads, window: 0.5 }, { samples, disturbed, wall: 0.45 });
    };
    const whyOf = (observation: Observation) =>
      notChecked(observation).find(({ flag }) => flag === 'preempted')?.why;
    expect(names(of(9))).not.toContain('preempted');
    expect(whyOf(of(9))).toBe(
      'fewer than 10 repetitions, and the kernel does not tell how long the threads waited for a CPU',
    );
    expect(names(of(10))).toContain('preempted');
    expect(whyOf(of(10))).toBeUndefined();
    // Of a second and more the time on a CPU tells.
    const longer = withTelemetry(
      { threads, window: 1 },
      { samples: of(9).samples, disturbed: [], wall: 0.9 },
    );
    expect(names(longer)).toContain('preempted');
  });

  it('is the first of few repetitions, of which only the warm-up before them was judged', () => {
    const of = (count: number, steady: boolean | null) =>
      quietObservation({
        samples: series(count, (i) => 1.4e-3 * (1 + (i % 3) / 1000)),
        disturbed: [],
        steady,
      });
    const whyOf = (observation: Observation) =>
      notChecked(observation).find(({ flag }) => flag === 'not-steady')?.why;
    expect(whyOf(of(19, true))).toBe('fewer than 20 repetitions: only the warm-up was judged');
    expect(whyOf(of(19, null))).toMatch(/^fewer than 20 repetitions, and a warm-up that was fixed/);
    for (const steady of [true, null]) expect(whyOf(of(20, steady))).toBeUndefined();
    // The flag says that it was not.
    expect(names(of(19, false))).toContain('not-steady');
    expect(whyOf(of(19, false))).toBeUndefined();
  });

  it('includes series too short to judge', () => {
    const short = quietObservation({ samples: [1e-3, 1.1e-3, 1e-3], disturbed: [], steady: null });
    expect(unchecked(short)).toEqual([
      'drifting',
      'stepped',
      'not-steady',
      'quantised',
      'multimodal',
      'outlying',
    ]);
  });
});

describe('every flag', () => {
  it('has one detector', () => {
    expect(new Set(detectors.map(({ name }) => name)).size).toBe(25);
    expect(detectors).toHaveLength(25);
  });

  it('is one sentence with figures that are finite, whatever was observed', () => {
    const maybe = (most: number): fc.Arbitrary<number | null> =>
      fc.option(fc.double({ min: 0, max: most, noNaN: true }));
    const observations = fc.record({
      samples: fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1, noNaN: true })), {
        minLength: 1,
        maxLength: 60,
      }),
      throttled: fc.nat(20),
      steal: maybe(5),
      other: maybe(5),
      pressure: maybe(2),
      delay: maybe(2),
      window: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 3, noNaN: true })),
      steady: fc.constantFrom(true, false, null),
    });
    fc.assert(
      fc.property(observations, ({ samples, throttled, steal, other, pressure, delay, window, steady }) => {
        const observation = withTelemetry(
          {
            window,
            steal,
            otherCpuTime: other,
            cpuPressure: pressure,
            cgroup: {
              version: 1,
              quotaCpus: 1.5,
              period: 0.1,
              periods: 20,
              throttledPeriods: throttled,
              throttledTime: throttled / 10,
            },
            threads: [{ ...QUIET_THREAD, runDelay: delay }],
          },
          { samples, steady, disturbed: samples.map((_, i) => i) },
        );
        for (const { reason, evidence } of detectFlags(observation)) {
          expect(reason).not.toMatch(/NaN|Infinity|undefined|null|\n/);
          for (const value of Object.values(evidence)) {
            if (typeof value === 'number') expect(value, reason).toSatisfy(Number.isFinite);
          }
        }
      }),
      { seed: 20_240_518, numRuns: 500 },
    );
  });

  it('refuses a launch without samples', () => {
    expect(() => detectFlags(quietObservation({ samples: [] }))).toThrow(RangeError);
  });
});
