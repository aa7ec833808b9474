import { describe, expect, it } from 'vitest';
import { RESERVE, requireTimeToMeasure } from '../../src/cli/qualification/least-deadline.js';
import type { BatchSpec } from '../../src/record/schema.js';

const lasting = (seconds: number, warmup: BatchSpec['warmup']): Pick<BatchSpec, 'sampling' | 'warmup'> => ({
  sampling: { kind: 'budget', seconds, least: 1, most: 1000 },
  warmup,
});
const SUITE = [
  lasting(3, { kind: 'auto' }),
  lasting(1, { kind: 'time', seconds: 0.5 }),
  lasting(2, { kind: 'time', seconds: 0.5 }),
];
const COUNTED = { sampling: { kind: 'fixed', repetitions: 10 }, warmup: { kind: 'auto' } } as const;

describe('a deadline', () => {
  it.each([
    3,
    RESERVE,
    RESERVE + 1.5,
  ])('of %d s, by which no launch could end, is refused in one line', (seconds) => {
    expect(() => requireTimeToMeasure(seconds, 't1', SUITE)).toThrow(
      /^--deadline [\d.]+ s leaves no time to measure anything: 4 s of it are kept to end what hangs and to write the record, and the shortest launch of suite t1 takes 1\.5 s; give more than 5\.5 s, or --tier t0 in place of the suite, which measures nothing$/,
    );
  });

  it('by which the shortest launch could end is taken, and so is none', () => {
    expect(() => requireTimeToMeasure(RESERVE + 1.6, 't1', SUITE)).not.toThrow();
    expect(() => requireTimeToMeasure(null, 't1', SUITE)).not.toThrow();
  });

  it('has to leave more than what is kept where nobody knows how long repetitions are', () => {
    expect(() => requireTimeToMeasure(RESERVE, 'own', [COUNTED, ...SUITE])).toThrow(
      /write the record; give more than 4 s,/,
    );
    expect(() => requireTimeToMeasure(RESERVE + 0.1, 'own', [COUNTED, ...SUITE])).not.toThrow();
  });

  it('is as short as one likes where nothing is measured', () => {
    expect(() => requireTimeToMeasure(1, 't0', [])).not.toThrow();
  });
});
