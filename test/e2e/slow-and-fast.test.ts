/** `pi-bench compare` of what was measured here one after the other, and has to differ: where others run meanwhile it may not. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ComparisonDocument } from '../../src/readers/comparison/document.js';
import { matmulFolder, piBench, withFolder } from '../support/pi-bench.js';

const measured = (folder: string, name: string, ...args: string[]): Promise<string> =>
  matmulFolder(join(folder, name), '--size', '96', '--reps', '60', '--warmup', '20', ...args);

const comparisonOf = (stdout: string): ComparisonDocument => JSON.parse(stdout) as ComparisonDocument;

describe('pi-bench compare', () => {
  it('tells slow from fast, in both directions, with the ratio turned over', async () => {
    await withFolder(async (folder) => {
      // Vectors hold half as many float64: on any machine the rate is about half. Without our own kernels it is lower still, so
      // that no neighbour who takes half of a CPU while the other is measured makes up for it.
      const slow = await measured(
        folder,
        'slow',
        ...['--threads', '1', '--dtype', 'float64', '--stack', 'embedded:portable'],
      );
      const fast = await measured(folder, 'fast', '--threads', '1');
      const refused = await piBench('compare', slow, fast);
      expect([refused.code, refused.stdout]).toEqual([64, '']);
      expect(refused.stderr).toMatch(
        /no case in common: the nearest differ in dtype \(float64 \/ float32\); --across dtype compares/,
      );
      const there = await piBench('compare', slow, fast, '--across', 'dtype', '--json');
      const back = await piBench('compare', fast, slow, '--across', 'dtype', '--json');
      expect([there.code, back.code, there.stderr]).toEqual([0, 1, '']);
      const [faster, slower] = [comparisonOf(there.stdout), comparisonOf(back.stdout)];
      expect([faster.answer, slower.answer]).toEqual(['faster', 'slower']);
      expect(faster.acrossLabels).toEqual([{ label: 'dtype', values: ['float64', 'float32'] }]);
      const ratioOf = ({ cases }: ComparisonDocument) => cases[0]?.comparisons[0]?.ratio ?? 0;
      expect(ratioOf(faster)).toBeGreaterThan(1.3);
      expect(ratioOf(faster) * ratioOf(slower)).toBeCloseTo(1, 9);
    });
  });
});
