/** What becomes of a cancel and of what is asked before, with programs of Slurm's that only say whether they did it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { NoAnswer } from '../../src/submit/no-answer.js';
import { batchConnection } from '../../src/submit/slurm-batch.js';
import { srunConnection } from '../../src/submit/slurm-srun.js';
import { withFolder } from '../support/pi-bench.js';
import { resultOf, taskOf } from './support.js';

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

const SILENT =
  'echo "scancel: error: Kill job error on job id 17: Unable to contact slurm controller" >&2; exit 1';

/** Programs that come first in PATH, in a folder that is a submission's, too. */
function context(folder: string, programs: Readonly<Record<string, string>>) {
  const all = { squeue: 'echo "17|pi-bench-a-n1.1|PENDING||Priority"', sinfo: ':', ...programs };
  for (const [name, script] of Object.entries(all))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  process.env.PATH = `${folder}${delimiter}${path}`;
  return { settings: {}, folder, label: 'pi-bench-a' };
}

describe('a job that is given up', () => {
  it.each([
    ['sbatch', batchConnection],
    ['srun', srunConnection],
  ] as const)('through %s is so only where scancel did it', (_, connect) =>
    withFolder(async (folder) => {
      const job = { target: 'n1', job: '99999999' };
      const failing = await connect(context(folder, { scancel: SILENT }));
      await expect(failing.cancel(job, 1)).rejects.toThrow(
        /^scancel refuses: .*Unable to contact slurm controller; run it on a login node/,
      );
      const working = await connect(context(folder, { scancel: 'exit 0' }));
      await expect(working.cancel(job, 1)).resolves.toBeUndefined();
    }));

  it('because it cannot be bound to its node is said to be left where it cannot be cancelled', () =>
    withFolder(async (folder) => {
      const programs = { sbatch: 'echo 17', scontrol: 'echo "no such node" >&2; exit 1', scancel: SILENT };
      await expect(batchConnection(context(folder, programs)).submit([taskOf()])).rejects.toThrow(
        /bind the jobs to their nodes: no such node; job 17 is left there, held \(scancel refuses: /,
      );
      const cancelled = { ...programs, scancel: 'exit 0' };
      await expect(batchConnection(context(folder, cancelled)).submit([taskOf()])).rejects.toThrow(
        /bind the jobs to their nodes: no such node$/,
      );
    }));
});

describe('jobs of which scontrol does not answer whether they are bound to their nodes', () => {
  const programs = { sbatch: 'echo 17', scontrol: 'exec sleep 5' };
  const refusal = (folder: string, more: Readonly<Record<string, string>>): Promise<unknown> =>
    batchConnection(context(folder, { ...programs, ...more }), () => 50)
      .submit([taskOf()])
      .then(
        () => null,
        (error: unknown) => error,
      );

  it('are cancelled, and named where they are left', () =>
    withFolder(async (folder) => {
      const [left, cancelled] = [
        await refusal(folder, { scancel: SILENT }),
        await refusal(folder, { scancel: 'exit 0' }),
      ];
      // Not refused: whoever reads that must not take it for gone.
      expect([left, cancelled].map((error) => error instanceof NoAnswer)).toEqual([true, true]);
      expect(String(left)).toMatch(/scontrol does not answer; job 17 is left there \(scancel refuses: /);
      expect(String(cancelled)).toMatch(/scontrol does not answer; job 17 was cancelled$/);
    }));

  it('are waited for longer the more there are: scontrol asks the controller for each', () =>
    withFolder(async (folder) => {
      const asked: number[] = [];
      const patience = (tasks: number): number => {
        asked.push(tasks);
        return 60_000;
      };
      const tasks = ['n1', 'n2', 'n3'].map((target) => taskOf({ target }));
      const answering = context(folder, { ...programs, scontrol: 'exit 0' });
      await batchConnection(answering, patience).submit(tasks);
      expect(asked).toEqual([3]);
    }));
});

it.each([
  ['sbatch', batchConnection],
  ['srun', srunConnection],
] as const)('what %s is only asked, and does not answer, is refused: nothing was handed over', (program, connect) =>
  withFolder(async (folder) => {
    // So ends one of which nobody waits any longer.
    const connection = await connect(context(folder, { [program]: 'kill -KILL $$' }));
    const submitted = connection.submit([taskOf()]);
    await expect(submitted).rejects.toThrow(`${program} does not answer`);
    await expect(submitted).rejects.not.toBeInstanceOf(NoAnswer);
  }));

it('what a batch job printed is in its log, where a node could put nothing else', () =>
  withFolder(async (folder) => {
    const connection = batchConnection(context(folder, {}));
    const job = { target: 'n1', job: '17_0' };
    expect(await connection.output(job, 1)).toBe('');
    mkdirSync(join(folder, 'jobs'));
    writeFileSync(join(folder, 'jobs', 'slurm-17_0.out'), resultOf('n1'));
    expect(await connection.output(job, 1)).toBe(resultOf('n1'));
  }));

describe('jobs of an attempt that nobody noted', () => {
  const adopted = (listed: string) =>
    withFolder(async (folder) => {
      const found = await batchConnection(context(folder, { squeue: `echo "${listed}"` })).find([taskOf()]);
      expect(found).toEqual(/\|n1\|/.test(listed) ? [{ target: 'n1', job: '17_0' }] : []);
    });

  it.each([
    ['that could not be bound to its node and was cancelled', '17_0|pi-bench-a-1|CANCELLED||None'],
    ['the same, as other versions of Slurm write it', '17_0|pi-bench-a-1|CANCELLED|(null)|None'],
    ['that was refused at once', '17_0|pi-bench-a-1|FAILED||None'],
  ])('is none %s: it is handed over again', (_, listed) => adopted(listed));

  it.each([
    ['runs', '17_0|pi-bench-a-1|RUNNING|n1|None'],
    ['was cancelled on its node', '17_0|pi-bench-a-1|CANCELLED|n1|None'],
  ])('is one that %s', (_, listed) => adopted(listed));
});
