/** What the self-test takes for caught, on a machine where other work happens, too. */
import { describe, expect, it } from 'vitest';
import { AT, slowCaught } from '../../src/cli/self-test.js';
import { detectFlags } from '../../src/statistics/validity/index.js';
import { quietObservation, series } from '../statistics/support.js';

const USUAL = 50e-6;
const MADE_SLOW = 50e-3;

/** Of repetitions of which some took longer, by their index. */
function caughtIn(slow: Readonly<Record<number, number>>): string | null {
  const samples = series(300, (i) => slow[i] ?? USUAL * (1 + (i % 7) / 100));
  const flags = detectFlags(quietObservation({ samples }));
  return slowCaught(
    flags.map(({ name, reason, evidence }) => ({ name, reason, evidence: { ...evidence } })),
    samples,
  );
}

describe('a repetition that was made slow', () => {
  it('is caught, with what is said of it', () => {
    expect(caughtIn({ [AT]: MADE_SLOW })).toMatch(new RegExp(`index ${AT}`));
  });

  it('is caught although the machine stalled for longer in another one', () => {
    expect(caughtIn({ [AT]: MADE_SLOW, 30: 0.2, 31: 0.1 })).toMatch(/3 of 300/);
  });

  it('is not caught where only others are slow, nor where none is', () => {
    expect(caughtIn({ 30: 0.2 })).toBeNull();
    expect(caughtIn({})).toBeNull();
  });
});
