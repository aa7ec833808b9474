/** How many candidates are tried until enough of them can be measured. */
import { describe, expect, it } from 'vitest';
import { explore } from '../../src/cli/exploration.js';
import { parseStackFile } from '../../src/stacks/own/stack-file.js';

const FILE = 'stacks.yaml';
const hooks = { onStep: () => {} };

/** Of `possible` candidates, of which those can be measured that `works` says, tried in their order. */
async function explored(possible: number, count: number | null, works: (tried: number) => boolean) {
  const values = Array.from({ length: possible }, (_, i) => i);
  const stacks = parseStackFile(
    JSON.stringify({ stacks: [{ name: 'own', stack: 'embedded', environment: { OMP_SCHEDULE: values } }] }),
    FILE,
  );
  let tried = 0;
  const made = await explore(
    { file: FILE, stacks, strategy: 'all', count, seed: 1 },
    async () => {
      tried++;
      if (!works(tried)) throw new Error('it cannot be made');
    },
    hooks,
  );
  return { ...made, tried };
}

describe('an exploration', () => {
  it('tries until it has as many as are wanted', async () => {
    const { taken, skipped, tried, gaveUp } = await explored(2000, 3, (one) => one % 100 === 0);
    expect([taken.length, skipped.length, tried, gaveUp]).toEqual([3, 297, 300, false]);
  });

  it('gives up after 500 candidates that cannot be measured: each may take its time', async () => {
    const { taken, tried, gaveUp } = await explored(2000, 3, (one) => one === 7);
    expect([taken.length, tried, gaveUp]).toEqual([1, 501, true]);
  });

  it('tries all where no count is wanted', async () => {
    const { taken, tried, gaveUp } = await explored(500, null, () => false);
    expect([taken.length, tried, gaveUp]).toEqual([0, 500, false]);
  });
});
