/** What a batch says that its launches executed. */
import { describe, expect, it } from 'vitest';
import { executedByAll, executedTexts } from '../../src/record/executed.js';

describe('what the launches of a batch executed', () => {
  it('is one text where all did the same', () => {
    expect(executedByAll(['avx512', 'avx512'])).toBe('avx512');
  });

  it('is every text where they differ, the most frequent first', () => {
    const told = ['avx512', 'avx2, chose cached stores', 'avx2, chose cached stores', null];
    const text = executedByAll(told);
    expect(text).toBe('avx2, chose cached stores or avx512');
    expect(executedTexts(text)).toEqual(['avx2, chose cached stores', 'avx512']);
  });

  it('is not known where none told', () => {
    expect(executedByAll([null, null])).toBeNull();
    expect(executedByAll([])).toBeNull();
    expect(executedTexts(null)).toEqual([]);
  });
});
