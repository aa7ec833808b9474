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
/** As many launches as a verdict needs. */
const launchesOf = (ways: ReturnType<typeof way>[]) => [launch(ways), launch(ways)];

describe('the figures of a case', () => {
  const launches = launchesOf([
    way('memcpy', 2e-6),
    way('auto', 1e-6),
    way('avx2 cached', 1e-6),
    way('avx512 cached', 3e-6),
  ]);

  it('set auto against the library and against the best way of ours', () => {
    const { comparisons, rates } = figures(situation, launches);
    expect(comparisons.map(({ name, ratio, verdict }) => ({ name, ratio, verdict }))).toEqual([
      { name: 'memcpy', ratio: 2, verdict: 'holds' },
      { name: 'avx2 cached', ratio: 1, verdict: 'holds' },
    ]);
    expect(rates.auto).toBeCloseTo(65536e6, -3);
  });

  it('miss the target where auto is slower than the library, or than the best way by more than 5 %', () => {
    const slow = figures(
      situation,
      launchesOf([way('memcpy', 1e-6), way('auto', 1.1e-6), way('avx2 cached', 1e-6)]),
    );
    expect(slow.comparisons.map(({ verdict }) => verdict)).toEqual(['missed', 'missed']);
    expect(summary([slow]).filter((line) => line.startsWith('- MISSED'))).toHaveLength(2);
    const near = figures(situation, launchesOf([way('auto', 1.04e-6), way('avx2 cached', 1e-6)]));
    expect(near.comparisons.map(({ verdict }) => verdict)).toEqual(['holds']);
  });

  it('are open where the turns were disturbed', () => {
    const disturbed = { name: 'memcpy', wrong: 0, turns: Array.from({ length: 8 }, () => turn(1e-6, 1)) };
    const found = figures(situation, [launch([disturbed, way('auto', 1e-6), way('avx2 cached', 1e-6)])]);
    expect(found.comparisons[0]?.verdict).toBe('disturbed');
    expect(isOpen(found)).toBe(true);
  });

  it('are open, and no verdict, where disturbance leaves too few rounds for an interval', () => {
    const sides = [way('memcpy', 2e-6), way('auto', 1e-6), way('avx2 cached', 1e-6)];
    const short = sides.map((one) => ({ ...one, turns: one.turns.slice(0, 4) }));
    const found = figures(situation, [
      launch(short),
      launch(short.map((one) => ({ ...one, turns: one.turns.map((_, i) => turn(1e-6, i === 0 ? 1 : 0)) }))),
    ]);
    expect(found.comparisons.map(({ verdict }) => verdict)).toEqual(['few', 'few']);
    expect(isOpen(found)).toBe(true);
    expect(caseTable([found])).toContain('few |');
    expect(summary([found])[0]).toContain('By the ratio alone');
  });

  it('leave disturbed turns out of the rates and of the choice of the best way', () => {
    const [often, rare] = [way('avx2 cached', 1e-6), way('avx512 cached', 2e-6)];
    const turns = often.turns.map((one, i) => (i < 3 ? one : turn(9e-6, 1)));
    const found = figures(situation, launchesOf([way('auto', 2e-6), { ...often, turns }, rare]));
    expect(found.rates['avx2 cached']).toBeCloseTo(65536e6, -3);
    expect(found.comparisons[0]?.name).toBe('avx2 cached');
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
