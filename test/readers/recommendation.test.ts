/** What a sweep of repetitions answers: of several answers each says what it is of. */
import { describe, expect, it } from 'vitest';
import { recommendationTexts } from '../../src/readers/recommendation.js';
import type { Recommendation, RecordBatch } from '../../src/record/schema.js';

const batch = (title: string, variant: string | null = null) =>
  ({ title, asked: { stack: { provider: 'embedded', variant } } }) as unknown as RecordBatch;
const answer = (first: number, why: string) =>
  ({ batches: [first, first + 1], why, launches: [] }) as unknown as Recommendation;

describe('recommendations', () => {
  it('of one case are a sentence', () => {
    const record = { batches: [batch('a'), batch('a')], recommendations: [answer(0, '50 will do')] };
    expect(recommendationTexts(record)).toEqual(['50 will do']);
    expect(recommendationTexts({ batches: record.batches })).toEqual([]);
  });

  it('say of a plan of a thousand launches or more that it may take more, however many were measured', () => {
    const launches = [
      { target: 0.01, launches: 1201 },
      { target: 0.02, launches: 1000 },
      { target: 0.05, launches: 999 },
    ];
    const record = { batches: [batch('a')], recommendations: [{ ...answer(0, '50 will do'), launches }] };
    expect(recommendationTexts(record)).toEqual([
      '50 will do; with these, 1,201 launches or more for ±1.0 %, 1,000 launches or more for ±2.0 %, 999 launches for ±5.0 %',
    ]);
  });

  it('of several cases say which', () => {
    const batches = [batch('a'), batch('a'), batch('b'), batch('b')];
    const recommendations = [answer(0, '50 will do'), answer(2, '100 will')];
    expect(recommendationTexts({ batches, recommendations })).toEqual(['a: 50 will do', 'b: 100 will']);
  });

  it('of several stacks say on which', () => {
    const batches = [batch('a', 'avx2'), batch('a', 'avx2'), batch('a', 'portable'), batch('a', 'portable')];
    const recommendations = [answer(0, '50 will do'), answer(2, '100 will')];
    expect(recommendationTexts({ batches, recommendations })).toEqual([
      'a on embedded:avx2: 50 will do',
      'a on embedded:portable: 100 will',
    ]);
  });
});
