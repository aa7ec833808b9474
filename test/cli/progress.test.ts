/** The live line of a campaign: what changes is seen in any terminal. */
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../src/campaign/conduct.js';
import { liveLine } from '../../src/cli/progress.js';

const progress: Progress = {
  planned: 200,
  ended: 99,
  title: 'matmul 512 x 512 x 512 float32, 2 threads, pinned',
  phase: 'measure',
  taken: 1000,
  repetitions: 2000,
  secondsLeft: 119,
};

describe('the live line', () => {
  it('of 80 columns has the percentage, the launch and the time left before all else', () => {
    const line = liveLine(progress, 80);
    expect(line).toMatch(
      /^ 49% {2}launch 100 of 200, 1 min 59 s left {2}█{5}░{5} {2}repetition 1000 of 2000 {2}/,
    );
    expect(line).toHaveLength(80);
    expect(line.endsWith('…')).toBe(true);
  });

  it('leaves the title whole where there is room for it, and ends within any width', () => {
    expect(liveLine(progress, 200).endsWith(`  ${progress.title}`)).toBe(true);
    for (let width = 1; width < 130; width++)
      expect(liveLine(progress, width).length).toBeLessThanOrEqual(width);
  });

  it('says no time where nothing tells it, and never passes 100 %', () => {
    const late = { ...progress, secondsLeft: null, ended: 3, planned: 2 };
    expect(liveLine(late, 80)).toMatch(/^100% {2}launch 2 of 2 {2}█{10} {2}repetition/);
  });
});
