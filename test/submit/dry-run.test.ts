/** What a dry run prints is what is begun: typed into a shell it starts the very same, as launchers that print what they are given see it. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { detachedState } from '../../src/submit/detached.js';
import { mpi } from '../../src/submit/mpi.js';
import type { Scheduler, Settings } from '../../src/submit/scheduler.js';
import { slurm } from '../../src/submit/slurm.js';
import { until, withFolder } from '../support/pi-bench.js';
import { taskOf } from './support.js';

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

/** Says what it was given, and whether it has a folder for what is temporary that is nobody else's. */
const TELLS = 'for word; do echo "<$word>"; done; case "$TMPDIR" in */tmp.*) echo apart;; esac';

const PROGRAMS: Readonly<Record<string, string>> = {
  sinfo: 'echo "n1|idle|48|bench*|64000||(null)|none"; echo "n2|idle|64|bench*|64000||(null)|none"',
  squeue: ':',
  srun: `case "$1" in --test-only) exit 0;; esac; ${TELLS}`,
  mpirun: `case "$1" in --version) echo "mpirun (Open MPI) 4.1.4"; exit 0;; esac; ${TELLS}`,
};

/** What was begun for each task, and what is begun by what a dry run prints of them. */
async function begun(scheduler: Scheduler, settings: Settings) {
  let both: readonly (readonly string[])[] = [];
  await withFolder(async (folder) => {
    for (const [name, script] of Object.entries(PROGRAMS))
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    process.env.PATH = `${folder}${delimiter}${path}`;
    const context = { settings, folder, label: 'pi-bench-a' };
    // Quotes, blanks and brackets of a task have to come through a shell.
    const tasks = ['n1', 'n2'].map((target) =>
      taskOf({ target, command: ['matmul', '--labels', "a='b c'"] }),
    );
    const connection = await scheduler.connect(context);
    const jobs = await connection.submit(tasks);
    const hasEnded = ({ target, job }: (typeof jobs)[number]): boolean =>
      detachedState(folder, target, 1, job).phase === 'ended';
    await until(() => (jobs.every(hasEnded) ? true : undefined), 'what was begun');
    const outputs = await Promise.all(jobs.map((job) => connection.output(job, 1)));
    const lines = (await scheduler.dryRun(context, tasks)).trimEnd().split('\n');
    both = [outputs, lines.map((line) => execFileSync('sh', ['-c', line], { encoding: 'utf8' }))];
  });
  return { handedOver: both[0] ?? [], printed: both[1] ?? [] };
}

describe('a dry run prints what is handed over', () => {
  it('by srun, with the CPUs of each node', async () => {
    const { handedOver, printed } = await begun(slurm, { via: 'srun', exclusive: true });
    expect(handedOver.map((text) => /<--cpus-per-task=(\d+)>/.exec(text)?.[1])).toEqual(['48', '64']);
    expect(printed).toEqual(handedOver);
  });

  it('by mpirun, with a folder of its own for each launcher', async () => {
    const { handedOver, printed } = await begun(mpi, { mpirun: 'mpirun', hosts: ['n1', 'n2'] });
    expect(handedOver.map((text) => text.endsWith('\napart\n'))).toEqual([true, true]);
    expect(printed).toEqual(handedOver);
  });
});
