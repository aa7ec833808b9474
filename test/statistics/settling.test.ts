import { describe, expect, it } from 'vitest';
import { compareLaunches, verdictOf } from '../../src/statistics/compare.js';
import { isLook, MOST_ROUNDS, nextLook, settled } from '../../src/statistics/settling.js';
import { normalFrom, randomFrom } from './support.js';

const MARGIN = 0.02;

interface Trial {
  readonly verdict: string;
  readonly rounds: number;
}

/** Rounds until the comparison is settled; each side's launches spread by `spread`. */
function trial(normal: () => number, spread: number, ratio: number, comparisons = 1): Trial {
  const [reference, candidate]: [number[], number[]] = [[], []];
  for (let rounds = 1; rounds <= MOST_ROUNDS; rounds++) {
    reference.push(Math.exp(spread * normal()));
    candidate.push(ratio * Math.exp(spread * normal()));
    if (!isLook(rounds, MOST_ROUNDS)) continue;
    const end = settled(reference, candidate, MARGIN, comparisons);
    if (end !== null) return { verdict: end.verdict, rounds };
  }
  return { verdict: 'cannot tell', rounds: MOST_ROUNDS };
}

function shareOf(verdict: string, spread: number, ratio: number, trials: number): number {
  const normal = normalFrom(randomFrom(41));
  const ends = Array.from({ length: trials }, () => trial(normal, spread, ratio).verdict);
  return ends.filter((end) => end === verdict).length / trials;
}

describe('a comparison that is looked at on the way', () => {
  it('calls a stack the same as itself in 95 of 100, at spreads from 0.5 to 2 %', () => {
    for (const spread of [0.005, 0.01, 0.02]) {
      expect(shareOf('same', spread, 1, 400)).toBeGreaterThanOrEqual(0.95);
    }
  });

  it('finds 3 % in 90 of 100, at spreads up to 3 %', () => {
    for (const spread of [0.005, 0.02, 0.03]) {
      expect(shareOf('slower', spread, 1.03, 200)).toBeGreaterThanOrEqual(0.9);
    }
  });

  it('calls what differs by the margin the same in no more than 5 of 100, however often it is looked at', () => {
    expect(shareOf('same', 0.02, 1 + MARGIN, 400)).toBeLessThanOrEqual(0.05);
  });

  it('takes few rounds where launches lie close, and more where they do not', () => {
    const rounds = (spread: number) => trial(normalFrom(randomFrom(5)), spread, 1).rounds;
    expect(rounds(0.003)).toBe(10);
    expect(rounds(0.03)).toBeGreaterThan(20);
  });

  it('asks more of a difference among many comparisons', () => {
    const reference = Array.from({ length: 10 }, (_, i) => 1 + (i % 3) / 1000);
    const slower = reference.map((value, i) => value * (1.05 + (i % 4) / 1000));
    expect(settled(reference, slower, MARGIN, 1)?.verdict).toBe('slower');
    expect(settled(reference, slower, MARGIN, 20)).toBeNull();
  });

  it('goes on while a sure difference seems to lie inside of the margin', () => {
    const reference = Array.from({ length: 10 }, (_, i) => 1 + (i % 3) / 1000);
    // All ten are slower, by less than the margin but for two.
    const slower = reference.map((value, i) => value * (i % 5 === 0 ? 1.06 : 1.012 + (i % 4) / 1000));
    const { p, ratio } = compareLaunches(reference, slower, MARGIN, { rounds: true, looked: true });
    expect(verdictOf({ ratio, equivalence: null }, p, MARGIN)).toBe('slower');
    expect(ratio).toBeGreaterThan(1 / (1 + MARGIN));
    expect(settled(reference, slower, MARGIN, 1)).toBeNull();
  });

  it.each([14, 20, 28])('goes on where of %i rounds all but one tie at the step of the clock', (rounds) => {
    const tied = Array<number>(rounds).fill(1e-5);
    expect(settled(tied, [...tied.slice(1), 1.05e-5], MARGIN, 1)).toBeNull();
    expect(settled(tied, [...tied.slice(1).fill(1.05e-5), 1.1e-5], MARGIN, 1)).toBeNull();
  });

  it('says nothing of fewer rounds than the first look has', () => {
    expect(settled([1, 1.001, 1.002], [2, 2.001, 2.002], MARGIN, 1)).toBeNull();
  });

  it('has its looks where they are due, the last at the end', () => {
    const looks = Array.from({ length: 60 }, (_, i) => i + 1).filter((rounds) => isLook(rounds, 50));
    expect(looks).toEqual([10, 14, 20, 28, 40, 50, 56]);
    expect([nextLook(0, 50), nextLook(10, 50), nextLook(45, 50), nextLook(50, 50)]).toEqual([10, 14, 50, 50]);
  });
});
