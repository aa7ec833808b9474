import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawBox, drawViolin } from '../../src/readers/terminal/violin.js';

const densities = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 200 });
/** Dots of a braille character. */
const dots = (char: string): number => {
  let bits = (char.codePointAt(0) ?? 0) - 0x2800;
  let count = 0;
  for (; bits > 0; bits >>= 1) count += bits & 1;
  return count;
};

describe('a violin in the terminal', () => {
  it('has the size that was asked for, whatever the density', () => {
    fc.assert(
      fc.property(
        densities,
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 5 }),
        (density, width, rows) => {
          const lines = drawViolin(density, width, rows);
          expect(lines).toHaveLength(rows);
          for (const line of lines) expect([...line]).toHaveLength(width);
        },
      ),
    );
  });

  it('is thickest where the density is, and full there', () => {
    const density = Array.from({ length: 64 }, (_, i) => Math.exp(-((i - 20) ** 2) / 20));
    const lines = drawViolin(density, 32, 2);
    const columns = Array.from({ length: 32 }, (_, x) =>
      lines.reduce((sum, line) => sum + dots([...line][x] ?? ''), 0),
    );
    expect(columns.indexOf(Math.max(...columns))).toBe(10);
    expect(Math.max(...columns)).toBeGreaterThanOrEqual(14);
  });

  it('does not miss a mode that is narrower than a column', () => {
    const density = Array.from({ length: 1000 }, (_, i) => (i === 333 ? 1 : 0));
    expect(drawViolin(density, 10, 1).join('')).not.toBe('\u2800'.repeat(10));
  });
});

describe('the box under it', () => {
  it('stands on the same axis', () => {
    expect(drawBox({ low: 0, high: 10, scale: 'linear' }, { q1: 2, median: 5, q3: 8 }, 11)).toBe('  ├──┃──┤');
  });
  it('follows a logarithmic axis', () => {
    expect(drawBox({ low: 1, high: 100, scale: 'log' }, { q1: 1, median: 10, q3: 100 }, 11)).toBe(
      '├────┃────┤',
    );
  });
  it('keeps to the ends of the axis when the quartiles are beyond', () => {
    expect(drawBox({ low: 4, high: 5, scale: 'linear' }, { q1: 1, median: 4.5, q3: 9 }, 5)).toBe('├─┃─┤');
  });
});
