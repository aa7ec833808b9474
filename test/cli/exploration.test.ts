/** How many candidates are tried until enough of them can be measured. */
import { describe, expect, it } from 'vitest';
import { explore } from '../../src/cli/exploration.js';
import { parseStackFile } from '../../src/stacks/own/stack-file.js';

const FILE = 'stacks.yaml';
const hooks = { onStep: () => {} };

/** Of `possible` candidates, of which those can be measured that `works` says, tried in their order. */
async function explored(
  possible: number,
  count: number | null,
  works: (tried: number) => boolean,
  batchesOf = () => 1,
) {
  const values = Array.from({ length: possible }, (_, i) => i);
  const stacks = parseStackFile(
    JSON.stringify({ stacks: [{ name: 'own', stack: 'embedded', environment: { OMP_SCHEDULE: values } }] }),
    FILE,
  );
  let tried = 0;
  const made = await explore(
    { file: FILE, stacks, strategy: 'all', count, seed: 1, batchesOf },
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

  it('refuses what would make too many batches before it makes any candidate', async () => {
    const made: number[] = [];
    const works = (tried: number): boolean => made.push(tried) > 0;
    await expect(explored(2000, 101, works, () => 100)).rejects.toThrow(
      /make 10100 batches or more; a campaign has at most 10000: ask for fewer/,
    );
    await expect(explored(20_000, 15_000, works)).rejects.toThrow(/make 15000 batches or more/);
    expect(made).toEqual([]);
    expect((await explored(2000, 100, works, () => 100)).taken).toHaveLength(100);
  });

  it('counts no batches of candidates that cannot be asked for: they are skipped', async () => {
    const refuse = (): number => {
      throw new Error('it cannot be asked for');
    };
    expect((await explored(400, null, () => false, refuse)).skipped).toHaveLength(400);
  });
});
