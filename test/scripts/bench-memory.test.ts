/** bench:memory's pure parts: flags, figures, tables. Nothing here measures. */
import { describe, expect, it } from 'vitest';
import { readOptions } from '../../scripts/bench-memory/options.mjs';
import { caseTable, summary } from '../../scripts/bench-memory/report.mjs';
import { figures, isOpen } from '../../scripts/bench-memory/results.mjs';

const situation = { pass: 'copy', threads: 1, bytes: 65536 };
const turn = (seconds: number, disturbed = 0) => ({ median: seconds, min: seconds, count: 1, disturbed });
const way = (name: string, seconds: number, wrong = 0) => ({
  name,
  wrong,
  turns: Array.from({ length: 8 }, () => turn(seconds)),
});
const launch = (ways: ReturnType<typeof way>[], auto = 'avx2 cached') => ({ moved: 65536, auto, ways });

describe('the figures of a case', () => {
  const launches = [
    launch([way('memcpy', 2e-6), way('auto', 1e-6), way('avx2 cached', 1e-6), way('avx512 cached', 3e-6)]),
  ];

  it('set auto against the library and against the best way of ours', () => {
    const { comparisons, rates } = figures(situation, launches);
    expect(comparisons.map(({ name, ratio, holds }) => ({ name, ratio, holds }))).toEqual([
      { name: 'memcpy', ratio: 2, holds: true },
      { name: 'avx2 cached', ratio: 1, holds: true },
    ]);
    expect(rates.auto).toBeCloseTo(65536e6, -3);
  });

  it('miss the target where auto is slower than the library, or than the best way by more than 5 %', () => {
    const slow = figures(situation, [
      launch([way('memcpy', 1e-6), way('auto', 1.1e-6), way('avx2 cached', 1e-6)]),
    ]);
    expect(slow.comparisons.map(({ holds }) => holds)).toEqual([false, false]);
    expect(summary([slow]).filter((line) => line.startsWith('- MISSED'))).toHaveLength(2);
    const near = figures(situation, [launch([way('auto', 1.04e-6), way('avx2 cached', 1e-6)])]);
    expect(near.comparisons.map(({ holds }) => holds)).toEqual([true]);
  });

  it('are open where the turns were disturbed', () => {
    const disturbed = { name: 'memcpy', wrong: 0, turns: Array.from({ length: 8 }, () => turn(1e-6, 1)) };
    const found = figures(situation, [launch([disturbed, way('auto', 1e-6), way('avx2 cached', 1e-6)])]);
    expect(found.comparisons[0]?.holds).toBeNull();
    expect(isOpen(found)).toBe(true);
  });

  it('name every choice, and what was wrong', () => {
    const wrong = launch([way('auto', 1e-6, 3), way('avx2 cached', 1e-6)], 'avx512 cached');
    const found = figures(situation, [launch([way('auto', 1e-6), way('avx2 cached', 1e-6)]), wrong]);
    expect(found.chosen).toEqual(['avx2 cached', 'avx512 cached']);
    expect(summary([found])).toContain('- WRONG copy of 64.0 KiB: auto left 3 elements wrong');
    expect(caseTable([found])).toContain('avx2 cached, avx512 cached');
  });
});

it('the flags take lists and ranges', () => {
  const options = readOptions([
    '--pass',
    'copy,read',
    '--size',
    '16KiB..64KiB',
    '--threads',
    '2',
    '--rounds',
    '3',
  ]);
  expect(options).toMatchObject({
    passes: ['read', 'copy'],
    sizes: [16384, 32768, 65536],
    threads: [2],
    rounds: 3,
    launches: 3,
  });
});
