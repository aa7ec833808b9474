/** How often flags are raised on series that nothing is wrong with, of the kinds that real launches have. */
import { describe, expect, it } from 'vitest';
import { drift } from '../../src/statistics/drift.js';
import { detectors } from '../../src/statistics/validity/index.js';
import type { FlagName } from '../../src/statistics/validity/types.js';
import type { Observation } from '../../src/telemetry/types.js';
import { normalFrom, quietObservation, randomFrom, series } from './support.js';

const LAUNCHES = 100;
const SECONDS = 1.4e-3;

const random = randomFrom(21);
const normal = normalFrom(random);

/** x(i) = rho x(i-1) + noise, standard deviation 1, from where its last value left off. */
function autoregressive(rho: number): () => number {
  let x = normal();
  return () => {
    x = rho * x + Math.sqrt(1 - rho * rho) * normal();
    return x;
  };
}

/** What a repetition takes, for a coefficient of variation. */
const kinds: Readonly<Record<string, (cv: number) => () => number>> = {
  normal: (cv) => () => SECONDS * (1 + cv * normal()),
  lognormal: (cv) => () => SECONDS * Math.exp(cv * normal()),
  'alternating as real GEMM series, lag-1 -0.35': (cv) => {
    const next = autoregressive(-0.35);
    return () => SECONDS * (1 + cv * next());
  },
  'dependent as under load, lag-1 0.5': (cv) => {
    const next = autoregressive(0.5);
    return () => SECONDS * (1 + cv * next());
  },
  'with a tail of 5 % to one side': (cv) => () =>
    SECONDS * (1 + cv * normal() + (random() < 0.05 ? -0.3 * Math.log(random()) : 0)),
};

const named = (name: FlagName): ((observation: Observation) => unknown) =>
  detectors.find((detector) => detector.name === name)?.detect ?? (() => expect.fail(`no detector ${name}`));

/** In how many quiet launches of each number of repetitions the flag is raised. */
function raisedShare(name: FlagName, nextOf: () => () => number): number {
  const detect = named(name);
  const counts = [20, 40, 100, 300, 1000];
  const raised = counts.flatMap((n) =>
    Array.from({ length: LAUNCHES }, () => {
      const next = nextOf();
      const samples = series(n, () => Math.abs(next()));
      return detect(quietObservation({ samples, disturbed: [], steady: null })) !== null;
    }),
  );
  return raised.filter(Boolean).length / raised.length;
}

describe.each(Object.keys(kinds))('quiet launches, %s', (kind) => {
  // drifting needs a slope that is surely 1 % and z of 3, not-steady 5 standard errors, quantised three clusters: rare.
  it.each(['drifting', 'not-steady', 'quantised'] as const)('are %s at most once in 30', (name) => {
    for (const cv of [0.01, 0.05, 0.2])
      expect(
        raisedShare(name, () => kinds[kind]?.(cv) ?? (() => SECONDS)),
        `spread ${cv}`,
      ).toBeLessThan(1 / 30);
  });
});

/** What one repetition has, twenty after it have too. */
function longMemory(cv: number): () => number {
  const next = autoregressive(0.9);
  return () => SECONDS * (1 + cv * next());
}

describe('quiet launches with a long memory', () => {
  it.each([0.02, 0.05, 0.2])('are drifting at most once in 30, with a spread of %d', (cv) => {
    expect(raisedShare('drifting', () => longMemory(cv))).toBeLessThan(1 / 30);
  });
});

const memories: Readonly<Record<string, (cv: number) => () => number>> = {
  ...kinds,
  'with a long memory, lag-1 0.9': longMemory,
  uniform: (cv) => () => SECONDS * (1 + cv * 3 * (random() - 0.5)),
};

describe.each(Object.keys(memories))('steady launches, %s', (kind) => {
  it.each(['stepped', 'multimodal'] as const)('are %s at most once in 100', (name) => {
    const detect = named(name);
    let [raised, all] = [0, 0];
    for (const cv of [0.02, 0.2]) {
      for (const n of [300, 600, 1500]) {
        for (let launch = 0; launch < LAUNCHES / 2; launch++) {
          const next = memories[kind]?.(cv) ?? (() => SECONDS);
          const samples = series(n, () => Math.abs(next()));
          all++;
          if (detect(quietObservation({ samples, disturbed: [], steady: null })) !== null) raised++;
        }
      }
    }
    expect(raised / all).toBeLessThan(1 / 100);
  });
});

describe('launches that something is wrong with', () => {
  const launchesOf = (value: (i: number) => number): readonly Observation[] => {
    // The same whatever ran before.
    const own = normalFrom(randomFrom(22));
    return Array.from({ length: LAUNCHES }, () => {
      const samples = series(1000, (i) => SECONDS * value(i) * (1 + 0.03 * own()));
      return quietObservation({ samples, disturbed: [], steady: null });
    });
  };
  const shareOf = (name: FlagName, launches: readonly Observation[]): number =>
    launches.filter((launch) => named(name)(launch) !== null).length / launches.length;
  const share = (name: FlagName, value: (i: number) => number): number => shareOf(name, launchesOf(value));

  it('are drifting 9 times in 10 when they become 3 % slower, spread 3 %', () => {
    expect(share('drifting', (i) => 1 + (0.03 * i) / 1000)).toBeGreaterThan(0.9);
  });

  it.each([
    ['ever more slowly', (x: number) => (1 - Math.exp(-3 * x)) / (1 - Math.exp(-3))],
    ['ever faster', (x: number) => x * x],
  ] as const)('are drifting 9 times in 10 when they become slower by a twentieth, %s, however quiet they are', (_, rise) => {
    for (const spread of [0.002, 0.01]) {
      for (const n of [100, 300]) {
        const launches = Array.from({ length: LAUNCHES }, () => {
          const samples = series(n, (i) => SECONDS * (1 + 0.05 * rise(i / n)) * (1 + spread * normal()));
          return quietObservation({ samples, disturbed: [], steady: null });
        });
        expect(shareOf('drifting', launches), `${n} repetitions, spread ${spread}`).toBeGreaterThan(0.9);
      }
    }
  });

  // A clock that heats and settles. What such a trend leaves of itself is smooth, so that it looks like a memory.
  it.each([
    ['a twentieth', 0.8, 0.05],
    ['a twentieth, later', 0.6, 0.05],
    ['a tenth', 0.8, 0.1],
  ])('are drifting when they become slower by a fifth and then turn back by %s, the more surely the more is known', (_, turn, back) => {
    const own = normalFrom(randomFrom(23));
    const clock = (x: number): number =>
      x < turn ? (0.2 * x) / turn : 0.2 - (back * (x - turn)) / (1 - turn);
    for (const spread of [0.005, 0.0005]) {
      for (const n of [100, 500, 5000, 20_000]) {
        const launches = Array.from({ length: 10 }, () => {
          const samples = series(n, (i) => SECONDS * (1 + clock(i / n)) * (1 + spread * own()));
          return quietObservation({ samples, disturbed: [], steady: null });
        });
        expect(shareOf('drifting', launches), `${n} repetitions, spread ${spread}`).toBe(1);
      }
    }
  });

  it('are not drifting when the trend is certain but below 1 %', () => {
    const samples = series(2000, (i) => SECONDS * (1 + (0.006 * i) / 2000 + 0.002 * normal()));
    expect(Math.abs(drift(samples)?.z ?? 0)).toBeGreaterThan(10);
    expect(named('drifting')(quietObservation({ samples }))).toBeNull();
  });

  it('are stepped 9 times in 10 when they become 5 % slower at 3 of 5, spread 3 %', () => {
    expect(share('stepped', (i) => (i < 600 ? 1 : 1.05))).toBeGreaterThan(0.9);
  });

  it('are multimodal 9 times in 10 when each fifth takes 30 % longer, spread 3 %', () => {
    expect(share('multimodal', (i) => (i % 5 === 0 ? 1.3 : 1))).toBeGreaterThan(0.9);
  });

  // One cause, one flag: what the others make of it says nothing more.
  const CAUSES: readonly (readonly [string, FlagName, (i: number) => number])[] = [
    ['a step at 3 of 10', 'stepped', (i) => (i < 300 ? 1 : 1.1)],
    ['a step in the middle', 'stepped', (i) => (i < 500 ? 1.3 : 1)],
    ['a slow stretch and back', 'stepped', (i) => (i > 300 && i < 700 ? 1.2 : 1)],
    ['a trend of 10 %', 'drifting', (i) => 1 + (0.1 * i) / 1000],
    ['a beginning of 50 that is 20 % slower', 'not-steady', (i) => (i < 50 ? 1.2 : 1)],
    ['two modes by turns', 'multimodal', (i) => (i % 3 === 0 ? 1.4 : 1)],
  ];
  it.each(CAUSES)('of %s are %s and nothing else of that kind, 9 times in 10', (_, name, value) => {
    const launches = launchesOf(value);
    for (const other of ['drifting', 'stepped', 'not-steady', 'multimodal', 'quantised'] as const) {
      if (other === name) expect(shareOf(other, launches), other).toBeGreaterThan(0.9);
      else expect(shareOf(other, launches), other).toBeLessThan(0.1);
    }
  });

  it('are neither stepped nor multimodal because their beginning decays from 50 %', () => {
    const launches = launchesOf((i) => 1 + 0.5 * Math.exp(-i / 30));
    for (const name of ['stepped', 'multimodal'] as const) expect(shareOf(name, launches)).toBeLessThan(0.05);
  });

  it('are not-steady 9 times in 10 when the first 50 take 10 % longer, spread 3 %', () => {
    expect(share('not-steady', (i) => (i < 50 ? 1.1 : 1))).toBeGreaterThan(0.9);
  });
});
