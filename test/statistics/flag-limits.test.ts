/** Where each limit of a flag lies: what is just within it raises nothing, what is just beyond it does. */
import { describe, expect, it } from 'vitest';
import { aboveCeiling, aboveDatasheet, together } from '../../src/statistics/validity/above-ceiling.js';
import { detectFlags, notChecked } from '../../src/statistics/validity/index.js';
import { peakMoved } from '../../src/statistics/validity/peak-moved.js';
import type { FlagName } from '../../src/statistics/validity/types.js';
import type { NvmlTelemetry } from '../../src/telemetry/gpu.js';
import type { Observation, Telemetry, ThreadTelemetry } from '../../src/telemetry/types.js';
import {
  normalFrom,
  QUIET_TELEMETRY,
  QUIET_THREAD,
  quietObservation,
  randomFrom,
  series,
} from './support.js';

const raises = (flag: FlagName, observation: Observation): boolean =>
  detectFlags(observation).some(({ name }) => name === flag);

const withTelemetry = (changes: Partial<Telemetry>, rest: Partial<Observation> = {}): Observation =>
  quietObservation({ ...rest, telemetry: { ...QUIET_TELEMETRY, ...changes } });

/** So many threads on as many CPUs, the first of them changed, in a window of 2 s. */
const withThreads = (
  count: number,
  first: Partial<ThreadTelemetry>,
  rest: Partial<Observation> = {},
  more: Partial<Telemetry> = {},
): Observation => {
  const threads = Array.from({ length: count }, (_, i) => ({
    ...QUIET_THREAD,
    tid: i,
    ...(i === 0 ? first : {}),
  }));
  return withTelemetry(
    { threads, allowedCpus: count, onlineCpus: count, ...more },
    { threads: count, ...rest },
  );
};

/** The first so many of 1,400 repetitions of 1.4 ms. */
const first = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const short = (count: number) => series(count, (i) => 1.4e-3 * (1 + (i % 7) / 1000));

/** Repetitions of 1 s of which the last are so many times as long. */
const slow = (all: number, count: number, times: number) =>
  quietObservation({ samples: series(all, (i) => (i >= all - count ? times : 1)), disturbed: null });

/** Repetitions that end so much slower than they began, hardly any noise beside. */
const rising = (times: number): Observation => {
  const normal = normalFrom(randomFrom(1));
  return quietObservation({
    samples: series(1400, (i) => 1 + (times * (i + normal() / 10)) / 1400),
    disturbed: null,
  });
};

/** The first hundred of 1,400 that are so much slower. */
const cold = (times: number): Observation => {
  const normal = normalFrom(randomFrom(1));
  return quietObservation({
    samples: series(1400, (i) => (i < 100 ? times : 1) * (1 + normal() / 1e4)),
    disturbed: null,
  });
};

const few = (samples: readonly number[]): Observation => quietObservation({ samples, disturbed: null });

const withNvml = (nvml: Partial<NvmlTelemetry>, rest: Partial<Observation> = {}): Observation =>
  withTelemetry({ gpu: { clock: null, nvml: { problem: null, readings: 30, ...nvml } } }, rest);

/** Readings of a GPU's clock whose last half is so many times as high. */
const clocks = (readings: number, times: number): Observation =>
  withNvml({
    series: Array.from({ length: readings }, (_, i) => [i, i < readings / 2 ? 2e9 : 2e9 * times]),
  });

const processes = (count: number) => Array.from({ length: count }, (_, pid) => ({ pid, bytes: null }));
const besideHere = (before: number, after: number, own: number): Observation =>
  withNvml(
    { processesBefore: processes(before), processesAfter: processes(after) },
    { beside: own, besideHere: own },
  );

const WHOLE: Partial<Telemetry> = { threads: [QUIET_THREAD, { ...QUIET_THREAD, tid: 101 }] };

type Limit = readonly [flag: FlagName, what: string, within: Observation, beyond: Observation];

const LIMITS: readonly Limit[] = [
  [
    'preempted',
    'a hundredth of the threads’ time was waiting for a CPU',
    withThreads(1, { runDelay: 0.0195 }),
    withThreads(1, { runDelay: 0.0205 }),
  ],
  [
    'preempted',
    'a twentieth of the time of one of many threads was',
    withThreads(128, { runDelay: 0.099 }),
    withThreads(128, { runDelay: 0.101 }),
  ],
  [
    // -ln(1 - 0.13) and -ln(1 - 0.145) in 1.4 ms are 99 and 112.
    'preempted',
    '105 repetitions a second lost a CPU',
    quietObservation({ disturbed: first(182) }),
    quietObservation({ disturbed: first(203) }),
  ],
  [
    // Four times as many: 402 and 440.
    'preempted',
    'as many of each pair of threads did',
    withThreads(8, {}, { disturbed: first(602) }),
    withThreads(8, {}, { disturbed: first(644) }),
  ],
  [
    'preempted',
    'ten did, and not only many of few',
    quietObservation({ samples: short(40), disturbed: first(9) }),
    quietObservation({ samples: short(40), disturbed: first(10) }),
  ],
  [
    'preempted',
    'a tenth of the time was off the CPU, where nothing else is known',
    withThreads(1, { runDelay: null, cpuTime: 1.81 }, { disturbed: null }),
    withThreads(1, { runDelay: null, cpuTime: 1.79 }, { disturbed: null }),
  ],
  [
    'preempted',
    'ticks of a second and more tell that',
    withThreads(1, { runDelay: null, cpuTime: 0.5 }, { disturbed: null }, { window: 0.99 }),
    withThreads(1, { runDelay: null, cpuTime: 0.5 }, { disturbed: null }, { window: 1.01 }),
  ],
  [
    'stolen',
    'a hundredth of the threads’ time was stolen',
    withTelemetry({ steal: 0.099, window: 10 }),
    withTelemetry({ steal: 0.101, window: 10 }),
  ],
  [
    'stolen',
    'of all threads that had a CPU',
    withThreads(2, {}, { threads: 3 }, { steal: 0.199, window: 10 }),
    withThreads(2, {}, { threads: 3 }, { steal: 0.201, window: 10 }),
  ],
  ['stolen', 'five ticks were', withTelemetry({ steal: 0.049 }), withTelemetry({ steal: 0.051 })],
  ['clock-not-settled', 'a GPU’s clock rose by 2 %', clocks(30, 1.019), clocks(30, 1.021)],
  ['clock-not-settled', 'a GPU’s clock fell by 2 %', clocks(30, 0.981), clocks(30, 0.979)],
  ['clock-not-settled', 'nine readings tell of it', clocks(8, 1.5), clocks(9, 1.5)],
  ['outlying', 'one repetition took five times as long', slow(1400, 1, 4.9), slow(1400, 1, 5.1)],
  ['outlying', 'a hundredth of the repetitions took far longer', slow(1400, 13, 3), slow(1400, 14, 3)],
  ['outlying', 'there are five repetitions', slow(4, 1, 100), slow(5, 1, 100)],
  [
    'contended',
    'others used a twentieth of all CPUs',
    withTelemetry({ otherCpuTime: 0.195 }),
    withTelemetry({ otherCpuTime: 0.205 }),
  ],
  [
    'contended',
    'a twentieth of a CPU where the threads leave none free',
    withTelemetry({ ...WHOLE, otherCpuTime: 0.098 }, { threads: 2 }),
    withTelemetry({ ...WHOLE, otherCpuTime: 0.102 }, { threads: 2 }),
  ],
  [
    'contended',
    'a hundredth of each CPU where these are many',
    withThreads(20, {}, {}, { otherCpuTime: 0.39 }),
    withThreads(20, {}, {}, { otherCpuTime: 0.41 }),
  ],
  [
    'contended',
    'five ticks were used',
    withTelemetry({ ...WHOLE, otherCpuTime: 0.049, window: 0.3, cpuPressure: 0 }, { threads: 2 }),
    withTelemetry({ ...WHOLE, otherCpuTime: 0.051, window: 0.3, cpuPressure: 0 }, { threads: 2 }),
  ],
  [
    'contended',
    'in a fifth of a second',
    withTelemetry({ ...WHOLE, otherCpuTime: 0.1, window: 0.19, cpuPressure: 0 }, { threads: 2 }),
    withTelemetry({ ...WHOLE, otherCpuTime: 0.1, window: 0.21, cpuPressure: 0 }, { threads: 2 }),
  ],
  ...(['cpuPressure', 'memoryPressure', 'ioPressure'] as const).map(
    (kind): Limit => [
      'contended',
      `a task waited in a tenth of the time: ${kind}`,
      withTelemetry({ [kind]: 0.195 }),
      withTelemetry({ [kind]: 0.205 }),
    ],
  ),
  [
    'contended',
    'a task waited in a fifth of a second and more',
    withTelemetry({ memoryPressure: 0.1, window: 0.19, cpuPressure: 0 }),
    withTelemetry({ memoryPressure: 0.1, window: 0.21, cpuPressure: 0 }),
  ],
  [
    'contended',
    'tasks wait that are not our own, which a quota or too many threads make wait',
    withThreads(2, {}, { threads: 3 }, { cpuPressure: 1 }),
    withThreads(2, {}, { threads: 2 }, { cpuPressure: 1 }),
  ],
  ['foreign-load', 'more were on the GPU than our own', besideHere(1, 2, 1), besideHere(2, 2, 1)],
  ['foreign-load', 'more than our own came', besideHere(1, 2, 1), besideHere(1, 3, 1)],
  [
    'clock-limited',
    'the clock takes 0.15 % of a sample',
    quietObservation({ clockOverhead: 0.00149 * 1.4e-3 }),
    quietObservation({ clockOverhead: 0.00152 * 1.4e-3 }),
  ],
  [
    'clock-limited',
    'its steps are 0.15 % of one',
    quietObservation({ clockResolution: 0.00149 * 1.4e-3 }),
    quietObservation({ clockResolution: 0.00152 * 1.4e-3 }),
  ],
  [
    'clock-limited',
    'it takes 0.15 % of a part of one',
    quietObservation({
      clockOverhead: 0.00149e-3,
      shortestPart: { what: 'the product alone', seconds: 1e-3 },
    }),
    quietObservation({
      clockOverhead: 0.00152e-3,
      shortestPart: { what: 'the product alone', seconds: 1e-3 },
    }),
  ],
  ['drifting', 'repetitions became surely 1 % slower', rising(0.0099), rising(0.0102)],
  [
    // Mann-Kendall's z of eight values, of which two or one are out of turn: 2.85 and 3.09.
    'drifting',
    'a trend is hardly chance',
    few([1, 1.1, 1.3, 1.2, 1.4, 1.6, 1.5, 1.7]),
    few([1, 1.1, 1.3, 1.2, 1.4, 1.5, 1.6, 1.7]),
  ],
  ['not-steady', 'the first repetitions took 2 % longer', cold(1.019), cold(1.021)],
  [
    'skewed',
    'ranks leave the barrier before a repetition further apart than 5 % of its time',
    quietObservation({ samples: series(100, () => 1e-6), beganApart: 0.049e-6 }),
    quietObservation({ samples: series(100, () => 1e-6), beganApart: 0.051e-6 }),
  ],
  ['crowded', 'there are more threads than CPUs', withThreads(2, {}), withThreads(2, {}, { threads: 3 })],
];

describe('a flag is raised where', () => {
  it.each(LIMITS)('%s: %s', (flag, _, within, beyond) => {
    expect([raises(flag, within), raises(flag, beyond)]).toEqual([false, true]);
  });
});

describe('where launches run beside each other on purpose', () => {
  const busy: Partial<Telemetry> = { otherCpuTime: 1.5, cpuPressure: 1, memoryPressure: 1, ioPressure: 1 };

  it('their own load is no other work, and that other work cannot be told from it is said', () => {
    const alone = withTelemetry(busy);
    const beside = withTelemetry(busy, { beside: 2 });
    expect([raises('contended', alone), raises('contended', beside)]).toEqual([true, false]);
    const whyOf = (one: Observation) => notChecked(one).find(({ flag }) => flag === 'contended')?.why;
    expect(whyOf(alone)).toBeUndefined();
    expect(whyOf(beside)).toMatch(/^2 launches ran at the same time on purpose/);
  });

  it('another campaign is other work all the same', () => {
    expect(raises('contended', quietObservation({ beside: 2, concurrentCampaign: 'a' }))).toBe(true);
  });
});

describe('a rate may pass its ceiling', () => {
  const roofline = { intensity: 1, peak: 100, bandwidth: 100, attainable: 100, share: null };
  const ofPeak = (efficiency: number) => aboveCeiling({ ...roofline, efficiency, bound: 'arithmetic' });
  const ofReading = (share: number, bound: 'arithmetic' | 'memory') =>
    aboveCeiling({ ...roofline, efficiency: 0.5, share, bound });

  it('by a hundredth or two, and by no more', () => {
    expect([ofPeak(1.019), ofReading(1.019, 'memory')]).toEqual([null, null]);
    expect(ofPeak(1.021)?.name).toBe('above-ceiling');
    expect(ofReading(1.021, 'memory')?.name).toBe('above-ceiling');
    expect(ofReading(1.021, 'arithmetic')).toBeNull();
  });
});

describe('a rate may pass what a datasheet promises', () => {
  const ofSheet = (share: number) => aboveDatasheet({ rate: 1e12, share });

  it('by a hundredth or two, and by no more', () => {
    expect([ofSheet(1.019), aboveDatasheet(null)]).toEqual([null, null]);
    expect(ofSheet(1.1)).toMatchObject({
      name: 'above-ceiling',
      reason: expect.stringMatching(/^the rate is 110\.0 % of what the datasheet/),
      evidence: { datasheetShare: 1.1, datasheetRate: 1e12 },
    });
  });

  it('and a ceiling, which is one flag with the figures of both', () => {
    const roofline = { intensity: 1, peak: 100, bandwidth: null, attainable: null, share: null, bound: null };
    const flag = together([aboveCeiling({ ...roofline, efficiency: 1.2 }), ofSheet(1.1)]);
    expect(flag?.reason).toMatch(/^the rate is 120\.0 % of the ceiling .*; the rate is 110\.0 % of what/);
    expect(flag?.evidence).toMatchObject({ efficiency: 1.2, datasheetShare: 1.1 });
    expect(together([null, null])).toBeNull();
  });
});

describe('a peak may move', () => {
  const flagOf = (...launches: readonly (readonly [peak: number, frequency: number])[]) =>
    peakMoved(
      launches.map(([peak, frequency]) => ({ peak, frequency })),
      'FLOP/s',
    );

  it('by a quarter from launch to launch, and the clock explains what is within a quarter of it', () => {
    expect(flagOf([100, 1], [124, 1])).toBeNull();
    expect(flagOf([100, 1], [126, 1])?.reason).toContain('does not explain');
    expect(flagOf([100, 1], [126, 1.02])?.reason).toContain('as the clock rate');
    expect(flagOf([100, 1], [126, 1])?.evidence.ratio).toBe(1.26);
  });
});
