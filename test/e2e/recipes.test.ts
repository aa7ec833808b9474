/** The recipes for Slurm in a real one, with a program in pi-bench's place that gives the verdict that it is told to give. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/store/atomic.js';
import { root, until } from '../support/pi-bench.js';
import { type Slurm, startSlurm } from '../support/slurm.js';

const folder = mkdtempSync(join(tmpdir(), 'pi-bench-recipes-'));
/** For each node: what its verdict is now. */
const verdictOf = (node: string): string => join(folder, `verdict.${node}`);
/** Whole or not at all: somebody reads it every second. */
const setVerdict = (node: string, status: number): void => writeFileAtomic(verdictOf(node), String(status));

function executable(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, ['#!/bin/bash', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

let slurm: Slurm | null = null;
let why = '';

beforeAll(async () => {
  chmodSync(folder, 0o755);
  const standIn = (name: string, of: string): string =>
    executable(
      name,
      `status=$(cat "${folder}/verdict.${of}")`,
      // As `pi-bench verdict` begins its line.
      'case $status in 0) said=qualified ;; 1) said=not-qualified ;; *) said=inconclusive ;; esac',
      'echo "$said verdict of $SLURMD_NODENAME"',
      'exit "$status"',
    );
  const recipe = (name: string, piBench: string, slurmFolder: string): string =>
    executable(
      name,
      // slurm.conf is not where Slurm's programs would look for it, and what Slurm runs is not told.
      `SLURM_CONF=${slurmFolder}/slurm.conf PI_BENCH=${piBench} exec ${join(root, 'docs/recipes/slurm', name)}`,
    );
  for (const name of ['n1', 'n2', 'prolog']) setVerdict(name, 0);
  const started = await startSlurm({
    nodes: 2,
    configuration: (slurmFolder) => [
      `HealthCheckProgram=${recipe('health-check.sh', standIn('pi-bench', '$SLURMD_NODENAME'), slurmFolder)}`,
      'HealthCheckInterval=2',
      'HealthCheckNodeState=ANY',
      `Prolog=${recipe('prolog.sh', standIn('pi-bench-of-prolog', 'prolog'), slurmFolder)}`,
    ],
  });
  if (typeof started === 'string') why = started;
  else slurm = started;
});
afterAll(async () => {
  await slurm?.stop();
  rmSync(folder, { recursive: true });
});

describe('in a real Slurm', () => {
  it('the lines that qualify.sbatch shows give each node a job of its own', async ({ skip }) => {
    if (slurm === null) return skip(why);
    const script = join(root, 'docs/recipes/slurm/qualify.sbatch');
    const [lines = ''] = /^# +for node[\s\S]*?^# +done$/m.exec(readFileSync(script, 'utf8')) ?? [];
    const typed = lines
      .replaceAll(/^# +/gm, '')
      .replace('n[1-16]', 'n[1-2]')
      .replace(' --reservation=new-rack --gres=gpu:8', '')
      .replace('qualify.sbatch', script);
    const rack = join(folder, 'rack');
    mkdirSync(rack);
    const ran = join(rack, 'ran');
    const program = executable('pi-bench-of-rack', `echo "$SLURMD_NODENAME $*" >>"${ran}"`);
    execFileSync('bash', ['-ec', typed], { cwd: rack, env: { ...slurm.env, PI_BENCH: program } });
    const said = await until(() => {
      const told = existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n') : [];
      return told.length === 2 ? told.toSorted() : undefined;
    }, 'both jobs');
    const asked = `qualify --tier t2 --out ${rack}/results --expect gpu=8`;
    expect(said).toEqual([`n1 ${asked}`, `n2 ${asked}`]);
  });

  it('the health check drains a node whose verdict is no, with the verdict as reason, and takes it back', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { command } = slurm;
    const node = (): string => command('sinfo', '--noheader', '--nodes=n2', '--format=%T|%E').trim();
    setVerdict('n2', 1);
    await until(
      () => (/^drained\|pi-bench: not-qualified verdict of n2/.test(node()) ? true : undefined),
      'the drain',
    );
    setVerdict('n2', 0);
    await until(() => (node().startsWith('idle|') ? true : undefined), 'the node to be taken back');
  });

  it('the prolog lets a job run where the verdict is yes, and where it is no keeps it for another node', async ({
    skip,
  }) => {
    if (slurm === null) return skip(why);
    const { command } = slurm;
    expect(command('srun', '--nodelist=n1', 'echo', 'runs')).toBe('runs\n');
    setVerdict('prolog', 1);
    const job = command('sbatch', '--parsable', '--nodelist=n1', '--output=/dev/null', '--wrap=true').trim();
    const state = (): string =>
      `${command('sinfo', '--noheader', '--nodes=n1', '--format=%T|%E').trim()} ${command('squeue', '--noheader', `--jobs=${job}`, '--format=%r').trim()}`;
    await until(
      () => (/^drained\|.*[Pp]rolog.* launch failed requeued held$/.test(state()) ? true : undefined),
      'the prolog',
    );
    setVerdict('prolog', 0);
    command('scancel', job);
  });

  it('the health check leaves alone what somebody else drained', async ({ skip }) => {
    if (slurm === null) return skip(why);
    const { command } = slurm;
    command('scontrol', 'update', 'NodeName=n2', 'State=DRAIN', 'Reason=a fan');
    // With a yes it is not given back, and with a no it keeps its reason, which is what a later yes goes by.
    for (const verdict of [0, 1, 0]) {
      setVerdict('n2', verdict);
      await new Promise((resolve) => setTimeout(resolve, 2500));
      expect(command('sinfo', '--noheader', '--nodes=n2', '--format=%T|%E').trim()).toMatch(
        /^drained\*?\|a fan$/,
      );
    }
    command('scontrol', 'update', 'NodeName=n2', 'State=RESUME');
  });
});
