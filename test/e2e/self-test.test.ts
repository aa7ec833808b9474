/** `pi-bench doctor --self-test`: apart from the other commands that a person types, because it measures and waits (`npm run check:package`). */
import { expect, it } from 'vitest';
import { piBench } from '../support/pi-bench.js';

it('doctor --self-test catches a wrong element, calls that do nothing, a slow repetition, a stall, a crash, an altered contribution and a lost rank', async () => {
  const run = await piBench('doctor', '--self-test');
  expect(run.stdout).not.toContain('MISSED');
  expect(run.stdout.match(/caught/g)?.length).toBeGreaterThanOrEqual(8);
  expect(run.code).toBe(0);
});
