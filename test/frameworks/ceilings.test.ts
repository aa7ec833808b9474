import { describe, expect, it } from 'vitest';
import { ceilingsOf } from '../../src/frameworks/ceilings.js';
import type { NativeCeilings } from '../../src/native.js';

/** Peaks one after the other, the last of them for ever; null: wrong sums. */
function looking(...peaks: readonly (number | null)[]) {
  const state = { looks: 0 };
  const look = (): NativeCeilings => {
    const rate = peaks[Math.min(state.looks++, peaks.length - 1)] ?? null;
    const memory = rate === null ? null : { rate, bytes: 4096 };
    return { arithmetic: rate === null ? null : { rate, isa: 'fake' }, memory };
  };
  return { state, look };
}

describe('the ceilings of a framework', () => {
  it('are measured once where no rate is above them, or nobody told the operations', () => {
    for (const operations of [1e9, 0]) {
      const { state, look } = looking(1e9, 2e9);
      expect(ceilingsOf(look, operations, 1).arithmetic?.rate).toBe(1e9);
      expect(state.looks).toBe(1);
    }
  });

  it('that were measured too low are measured until no rate is above them', () => {
    const { state, look } = looking(1e9, 3e9, 2e9, 5e9, 6e9);
    expect(ceilingsOf(look, 4e9, 1)).toEqual({
      arithmetic: { rate: 5e9, isa: 'fake' },
      memory: { rate: 5e9, bytes: 4096 },
    });
    expect(state.looks).toBe(4);
  });

  it('that stay below a rate are told with the best of them, and the looking ends', () => {
    const { state, look } = looking(1e9, 3e9, 2e9);
    expect(ceilingsOf(look, 4e9, 1).arithmetic?.rate).toBe(3e9);
    expect(state.looks).toBeGreaterThan(3);
  });

  it('that were looked at again keep what their peak leaves unused', () => {
    const { look } = looking(1e9, 5e9);
    const told = (): NativeCeilings => ({ ...look(), unusedInstructions: [] });
    expect(ceilingsOf(told, 4e9, 1)).toMatchObject({ arithmetic: { rate: 5e9 }, unusedInstructions: [] });
  });

  it('are unknown where a second look finds wrong sums', () => {
    expect(ceilingsOf(looking(1e9, null).look, 4e9, 1)).toEqual({ arithmetic: null, memory: null });
  });
});
