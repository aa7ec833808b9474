/** What the pages say of the time that a tier takes is what the code allows it, and what the recipes leave it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { shippedSuite } from '../../src/cli/qualification/suites.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { TIERS } from '../../src/qualify/answer.js';
import type { Tier } from '../../src/qualify/suite-file.js';
import { requireDuration } from '../../src/quantities/parse.js';
import { gpu } from '../qualify/support.js';
import { pageOf } from '../support/documents.js';
import { machineWithGpus } from '../support/machine.js';
import { withModule } from '../support/mocked.js';
import { root } from '../support/pi-bench.js';

/** As where the kernels for GPUs are built, which they need not be here. */
const gpuKernels = mkdtempSync(join(tmpdir(), 'pi-bench-kernels-'));
writeFileSync(join(gpuKernels, 'any.fatbin'), '');
afterAll(() => rmSync(gpuKernels, { recursive: true }));
const { budgetHere } = await withModule(
  'src/native.ts',
  { gpuKernels },
  () => import('../../src/cli/qualification/batches-here.js'),
);

/** A node without NCCL, whose budget is the larger one, as it divides what is left by fewer cases. */
function nodeWith(gpus: number): MachineDescription {
  const { gpus: survey, ...machine } = machineWithGpus(
    ...Array.from({ length: gpus }, (_, ordinal) => gpu({ ordinal, freeBytes: 1e11 })),
  );
  const memory = { ...machine.memory, available: 1e12, total: 1e12 };
  return gpus === 0 ? { ...machine, memory } : { ...machine, memory, gpus: survey };
}
const budgetWith = (tier: Tier, gpus: number): number =>
  budgetHere(shippedSuite(tier), nodeWith(gpus)) ?? Number.NaN;

describe('the table of tiers', () => {
  const rows = new Map(
    [...pageOf('docs/qualify.md').matchAll(/^\| (t\d) \| [^|]+ \|([^|]*)\|/gm)].map(([, tier, told = '']) => [
      tier,
      told.trim(),
    ]),
  );

  it('has each tier', () => {
    expect([...rows.keys()]).toEqual(TIERS);
    expect(pageOf('docs/qualify.md')).toContain('budget with 0, 1, 8 GPUs');
  });

  it.each(
    TIERS.filter((tier) => tier !== 't0'),
  )('says of %s what its budget is with 0, 1 and 8 GPUs', (tier) => {
    const [, numbers = '', unit = ''] = /^([\d, ]+) (min|h)$/.exec(rows.get(tier) ?? '') ?? [];
    const told = numbers.split(', ').map((one) => requireDuration(`${one}${unit}`, tier));
    const budgets = [0, 1, 8].map((gpus) => budgetWith(tier, gpus));
    const step = requireDuration(`1${unit}`, tier);
    expect(told).toEqual(budgets.map((budget) => Math.ceil(budget / step) * step));
  });
});

describe('a recipe that limits the time', () => {
  const of = (path: string): string => readFileSync(join(root, 'docs', 'recipes', path), 'utf8');
  const HOUR = 3600;

  it('leaves t2 its budget with eight GPUs, and says what t3 takes', () => {
    const limits = [...of('slurm/qualify.sbatch').matchAll(/--time=(\d+):00:00/g)].map(([, hours]) =>
      Number(hours),
    );
    expect(limits).toHaveLength(2);
    expect(Math.min(...limits) * HOUR).toBeGreaterThan(budgetWith('t2', 8));
    expect(Math.max(...limits) * HOUR).toBeGreaterThan(budgetWith('t3', 8));
  });

  it('leaves t1 its budget before a job', () => {
    const text = of('kubernetes/pre-flight.yaml');
    const [, deadline = ''] = /--deadline, (\w+)/.exec(text) ?? [];
    const [, withGpus = ''] = /as (\w+) for t1 with eight/.exec(text) ?? [];
    expect(requireDuration(deadline, 'deadline')).toBeGreaterThan(budgetWith('t1', 0));
    expect(requireDuration(withGpus, 'deadline')).toBeGreaterThan(budgetWith('t1', 8));
  });

  it('leaves a submission of t2 its budget', () => {
    const limits = [
      ...pageOf('docs/many-nodes.md').matchAll(/submit slurm .*--time (\d+) qualify --tier t2/g),
    ].map(([, minutes]) => Number(minutes));
    expect(limits.length).toBeGreaterThan(1);
    expect(Math.min(...limits) * 60).toBeGreaterThan(budgetWith('t2', 8));
  });
});
