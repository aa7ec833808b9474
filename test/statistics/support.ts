/** Seeded random numbers, observations of a quiet machine, and the published data, for the tests of statistics. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { sampleVariance } from 'simple-statistics';
import { drift } from '../../src/statistics/drift.js';
import { reachOf } from '../../src/statistics/student.js';
import type { Observation, Telemetry, ThreadTelemetry } from '../../src/telemetry/types.js';

/** Uniform on 0 to 1, both excluded; the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}

/** Standard normal (Box & Muller). */
export const normalFrom = (random: () => number): (() => number) => {
  return () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
};

export const series = (n: number, value: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => value(i));

/**
 * On logarithms, the width of Student's interval of the mean ratio over cases, all launches of one spread: of normal ones none is
 * narrower that covers as often.
 * @param pairs launches of both sides of each case
 */
export function studentWidth(pairs: readonly (readonly [Float64Array, Float64Array])[]): number {
  const logs = pairs.flat().map((values) => Array.from(values, Math.log));
  const degrees = logs.reduce((sum, { length }) => sum + length - 1, 0);
  const squares = logs.reduce((sum, one) => sum + sampleVariance(one) * (one.length - 1), 0);
  const ofMean = logs.reduce((sum, { length }) => sum + 1 / length, 0) / pairs.length ** 2;
  return 2 * reachOf(0.95, degrees) * Math.sqrt((squares / degrees) * ofMean);
}

/** Durations as they occur: from nanoseconds to minutes, with ties. */
export const durations = (least = 1, most = 300): fc.Arbitrary<number[]> =>
  fc.array(fc.double({ min: 1e-9, max: 600, noNaN: true }), { minLength: least, maxLength: most });

/** Property tests draw the same cases each time. */
export const SEEDED = { seed: 20_240_517, numRuns: 200 } as const;

export const QUIET_THREAD: ThreadTelemetry = {
  tid: 100,
  cpuTime: 1.999,
  runDelay: 0.0005,
  voluntarySwitches: 1,
  involuntarySwitches: 6,
  migrations: 0,
  minorFaults: 0,
  majorFaults: 0,
  cpuBefore: 0,
  cpuAfter: 0,
};

export const QUIET_TELEMETRY: Telemetry = {
  window: 2,
  allowedCpus: 2,
  onlineCpus: 2,
  threads: [QUIET_THREAD],
  processCpuTime: 2,
  cgroup: { version: 2, quotaCpus: null, period: null, periods: 0, throttledPeriods: 0, throttledTime: 0 },
  cpuPressure: 0.002,
  memoryPressure: 0,
  ioPressure: 0,
  steal: 0,
  otherCpuTime: 0.02,
  thermalThrottles: 0,
  frequency: { before: 3e9, after: 3e9 },
  temperatures: [],
  energy: [],
  missing: [],
};

/** 1,400 repetitions of 1.4 ms, 1 % apart, one of them taken off its CPU a hundred. */
export function quietObservation(changes: Partial<Observation> = {}): Observation {
  const normal = normalFrom(randomFrom(1));
  const samples = changes.samples ?? series(1400, () => 1.4e-3 * (1 + 0.01 * normal()));
  return {
    samples,
    sorted: new Float64Array(samples).sort(),
    drift: drift(samples),
    disturbed: Array.from({ length: 14 }, (_, i) => i * 100),
    wall: 1.97,
    threads: 1,
    pinned: true,
    callsPerSample: 1,
    clockOverhead: 2e-8,
    clockResolution: 1e-9,
    steady: true,
    telemetry: QUIET_TELEMETRY,
    concurrentCampaign: null,
    ...changes,
  };
}

export const DATA = fileURLToPath(new URL('../../../shared/data/thoth/', import.meta.url));

export const hasPublishedData: boolean = existsSync(DATA);

export const published = (path: string): string => readFileSync(`${DATA}${path}`, 'utf8');

/** The repetitions of each column of the published study of how many are enough. */
export const STUDIED = {
  '005k': 50,
  '01k': 100,
  '05k': 500,
  '2k': 2000,
  '4k': 4000,
  '8k': 8000,
  '16k': 16000,
  '20k': 20000,
};
