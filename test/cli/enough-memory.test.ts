/** What is said where a launch would need more memory than there is. */
import { expect, it } from 'vitest';
import { checkMemory } from '../../src/cli/enough-memory.js';
import { findIndicator } from '../../src/indicators/index.js';
import type { BatchSpec } from '../../src/record/schema.js';
import { matmulCase } from '../support/batch.js';
import { specOf } from '../support/campaign.js';
import { machineOf } from '../support/machine.js';

const checked = (sampling: BatchSpec['sampling'], size = 64) => {
  const shape = { m: size, n: size, k: size };
  const one = matmulCase({ transpose: 'NN', batch: 1, prepack: false, pin: false, threads: 1, ...shape });
  return () => checkMemory(findIndicator('matmul'), specOf({ case: one, sampling }), machineOf());
};

it('names what an indicator has beside a size, where that makes the need', () => {
  const latency = { order: 'random', bytes: 2 ** 20, stride: 64, threads: 1, pin: true } as const;
  const under = (load: number, loadBytes: number) => () =>
    checkMemory(
      findIndicator('latency'),
      specOf({ case: { indicator: 'latency', parameters: { ...latency, load, loadBytes } } }),
      machineOf(),
    );
  expect(under(3, 8 * 2 ** 30)).toThrow(/is free: ask for fewer with --load$/);
  expect(under(1, 2 ** 30)).not.toThrow();
});

it('names what makes the need: the size, or how long or how often a launch repeats', () => {
  const day = { kind: 'budget', seconds: 86_400, least: 5, most: 345_600_000 } as const;
  expect(checked(day)).toThrow(
    /needs 20\.6 GiB of memory and 16\.0 GiB is free: most of that is for 345,600,000 samples, so give a shorter --duration$/,
  );
  expect(checked({ kind: 'fixed', repetitions: 300_000_000 })).toThrow(/ask for fewer with --reps$/);
  expect(checked({ kind: 'fixed', repetitions: 10 }, 100_000)).toThrow(/is free: choose a smaller size$/);
  expect(checked({ kind: 'fixed', repetitions: 10 })).not.toThrow();
});
