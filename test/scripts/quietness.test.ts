/** Whether a node stayed quiet while it was qualified: what check:qualify says of verdicts rests on it. */
import { describe, expect, it } from 'vitest';
import { between, ticksOf, wasQuiet, watched } from '../../scripts/check-qualify/quietness.mjs';

const stat = (ticks: string) => `cpu  ${ticks} 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n`;
const self = '7 (a (b) c) S 1 7 7 0 -1 4194304 900 0 0 0 100 20 3 4 20 0 1';

describe('what others did meanwhile', () => {
  it('is read of the kernel’s counts of ticks, also where a name has brackets and blanks', () => {
    expect(ticksOf(stat('100 10 50 800 20 1 2 17'), self)).toEqual({
      all: 1000,
      busy: 163,
      stolen: 17,
      own: 127,
    });
  });

  it('is what this process and its children did not use themselves', () => {
    const before = { all: 1000, busy: 100, stolen: 0, own: 50 };
    expect(between(before, { all: 2000, busy: 700, stolen: 5, own: 640 })).toEqual({
      stolen: 0.005,
      others: 0.01,
    });
    expect(between(before, { all: 2000, busy: 600, stolen: 0, own: 560 }).others).toBe(0);
  });

  it('is quiet to within what a system does by itself', () => {
    expect(wasQuiet({ stolen: 0.01, others: 0.02 })).toBe(true);
    expect(wasQuiet({ stolen: 0.011, others: 0 })).toBe(false);
    expect(wasQuiet({ stolen: 0, others: 0.021 })).toBe(false);
  });

  it('stands beside what the command returned', () => {
    expect(watched(() => ({ status: 3 }))).toEqual({
      status: 3,
      stolen: expect.any(Number),
      others: expect.any(Number),
    });
  });
});
