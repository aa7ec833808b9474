import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitAlphaBeta } from '../../src/statistics/alpha-beta.js';

const SIZES = Array.from({ length: 24 }, (_, i) => 8 * 2 ** i);

const noise = (i: number): number => 1 + 0.01 * Math.sin(i * 12.9898);

describe('latency and bandwidth over sizes', () => {
  it('are found where one line holds for all of them', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-7, max: 1e-4, noNaN: true }),
        fc.double({ min: 1e-11, max: 1e-9, noNaN: true }),
        (alpha, beta) => {
          const points = SIZES.map((bytes, i) => ({ bytes, seconds: (alpha + beta * bytes) * noise(i) }));
          const pieces = fitAlphaBeta(points);
          expect(pieces).toHaveLength(1);
          expect(pieces[0]?.alpha).toBeGreaterThan(alpha * 0.9);
          expect(pieces[0]?.alpha).toBeLessThan(alpha * 1.1);
          expect(pieces[0]?.beta).toBeGreaterThan(beta * 0.9);
          expect(pieces[0]?.beta).toBeLessThan(beta * 1.1);
        },
      ),
    );
  });

  it('change at a knee, which is named by the first size beyond it', () => {
    const knee = 64 * 1024;
    const points = SIZES.map((bytes, i) => ({
      bytes,
      seconds: (bytes < knee ? 1e-6 + bytes / 20e9 : 40e-6 + bytes / 5e9) * noise(i),
    }));
    const pieces = fitAlphaBeta(points);
    expect(pieces).toHaveLength(2);
    expect(pieces[1]?.from).toBe(knee);
    expect(1 / (pieces[0]?.beta ?? 1)).toBeGreaterThan(15e9);
    expect(1 / (pieces[1]?.beta ?? 1)).toBeLessThan(6e9);
  });

  it('are never negative, whatever the times are', () => {
    const times = fc.array(fc.double({ min: 1e-7, max: 1, noNaN: true }), { minLength: 3, maxLength: 24 });
    fc.assert(
      fc.property(times, (seconds) => {
        const pieces = fitAlphaBeta(seconds.map((value, i) => ({ bytes: SIZES[i] ?? 1, seconds: value })));
        for (const { alpha, beta } of pieces) expect(alpha >= 0 && beta >= 0).toBe(true);
        expect(pieces[0]?.from).toBe(SIZES[0]);
        expect(pieces.at(-1)?.to).toBe(SIZES[seconds.length - 1]);
      }),
    );
  });

  it('are not fitted to fewer than three sizes', () => {
    expect(
      fitAlphaBeta([
        { bytes: 8, seconds: 1 },
        { bytes: 16, seconds: 1 },
      ]),
    ).toEqual([]);
  });
});
