/** The truths of the coverage benchmark are true, and its count of misses allows for chance. */
import { describe, expect, it } from 'vitest';
import { naiveCovers } from '../../scripts/bench-coverage/others.mjs';
import { heading, misses, replayedInShort } from '../../scripts/bench-coverage/report.mjs';
import { drawLaunch, EFFECTS, NOISES, truthOf } from '../../scripts/bench-coverage/series.mjs';
import { commandGiven } from '../../scripts/lib/machine-lines.mjs';
import { launchQuantile } from '../../src/statistics/quantile-interval.js';
import { normalFrom, randomFrom } from '../statistics/support.js';

const uniform = randomFrom(95);
const random = { uniform, normal: normalFrom(uniform) };
const quiet = EFFECTS.none;

describe('the synthetic launches', () => {
  it.each(
    Object.entries(NOISES),
  )('have the quantiles and the mean that are taken for true: %s', (_, noise) => {
    const samples = drawLaunch(noise, quiet, 200_000, random);
    const truth = truthOf(noise, quiet);
    const sorted = samples.slice().sort();
    // In units of the noise; a strongly dependent series of 200,000 is worth 10,000.
    for (const [p, value] of [
      [0.05, truth.p5],
      [0.5, truth.median],
      [0.95, truth.p95],
    ] as const) {
      expect(Math.abs(launchQuantile(sorted, p) - value) / 0.03, `${p}`).toBeLessThan(0.08);
    }
    const mean = samples.reduce((sum, value) => sum + value / samples.length, 0);
    expect(Math.abs(mean - truth.mean) / 0.03).toBeLessThan(0.06);
  });

  it.each(Object.entries(EFFECTS))('differ as they are said to: %s', (name, effect) => {
    const levels = Array.from({ length: 20_000 }, () => effect.draw(random)).sort((a, b) => a - b);
    const truth = (truthOf(NOISES.independent, effect).median - 1) / 0.005;
    const below = levels.filter((level) => level < truth).length / levels.length;
    if (name === 'none') expect(truth).toBeCloseTo(0, 5);
    else expect(Math.abs(below - 0.5)).toBeLessThan(0.015);
  });
});

describe('a coverage', () => {
  it('misses the target when chance does not explain it', () => {
    // One standard error of 2,000 trials is 0.5 points.
    expect(misses(0.925, 2000)).toBe(false);
    expect(misses(0.91, 2000)).toBe(true);
    expect(misses(0.975, 2000)).toBe(false);
    expect(misses(0.985, 2000)).toBe(true);
    expect(misses(0.91, 100)).toBe(false);
    expect(misses(1, 10)).toBe(false);
  });

  it('of the naive interval is counted by ranks: 400 values reach 20 to either side of the 200th', () => {
    // 1.96 x sqrt(400) / 2 = 19.6.
    expect([180, 181, 219, 220].map((count) => naiveCovers(count, 400))).toEqual([false, true, true, false]);
  });
});

it('the summary has a real campaign beside the series that are made up, by launches as they came', () => {
  const counts = [
    { k: 6, random: 0.947, consecutive: 0.913, naive: 0.116 },
    { k: 8, random: 0.971, consecutive: 0.948, naive: 0.11 },
    { k: 12, random: 0.95, consecutive: 0.91, naive: 0.081 },
  ];
  expect(replayedInShort({ title: 'matmul', machine: 'a CPU', launches: 200, counts })).toBe(
    'real launches, consecutive ones, as a campaign has them: 91.0 to 94.8 % for 6 to 12 of 200 (matmul, a CPU); drawn at random: 94.7 to 97.1 %; naive: 8.1 to 11.6 %',
  );
});

it('the head of a table has the command as it was given, words in place of paths', () => {
  const args = ['--quick', '--record', 'results/one', '--seed', '7', '--markdown=tables.md'];
  const command = commandGiven('bench:coverage', { 'results/one': 'DIR', 'tables.md': 'FILE' }, args);
  expect(command).toBe('npm run bench:coverage -- --quick --record DIR --seed 7 --markdown=FILE');
  expect(heading({ trials: 150, repetitions: 60, seed: 7 }, command)).toContain(`\`${command}\``);
  expect(commandGiven('bench:gemm', {}, ['--only', 'onednn 3'])).toBe(
    'npm run bench:gemm -- --only "onednn 3"',
  );
  expect(commandGiven('bench:memory', {}, [])).toBe('npm run bench:memory');
});
