/** What a submission refuses before anything is handed over, with launchers and schedulers that only say who they are. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { piBenchIn, type Run, startPiBench, withFolder } from '../support/pi-bench.js';

const LIMIT_MS = 60_000;

/** Programs that print a text and end with a code, in a folder that comes first in PATH. */
function programsIn(folder: string, programs: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
}

/** As MPICH's launcher says it; what it is to start it notes, and starts nothing. */
const MPIRUN =
  'echo "HYDRA build details:"\n[ "$1" = --version ] || echo "$@" >>"$(dirname "$0")/handed-over"';

/** Refused in one line, and nothing was handed over, nor is a folder left. */
function expectRefusal({ code, stderr, stdout }: Run, folder: string, words: string): void {
  expect(stderr).toMatch(/^pi-bench: [^\n]*\n$/);
  expect(stderr).toContain(words);
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(existsSync(join(folder, 'handed-over'))).toBe(false);
  expect(existsSync(join(folder, 'results')) ? readdirSync(join(folder, 'results')) : []).toEqual([]);
}

describe('before anything is handed over', () => {
  it.each([
    [
      'a folder that nobody can make',
      ['--out', '/proc/pi-bench', 'qualify', '--tier', 't0'],
      'cannot write to',
    ],
    ['retries that are none', ['--retries', '-1', 'matmul'], '--retries takes a whole number from 0 to 100'],
    ['a value of the nodes’ command', ['matmul', '--size', 'five'], '--size takes a whole number'],
    ['a folder of the nodes’ own', ['--', 'matmul', '--out', '/x'], '--out: a node'],
    ['a file that it names', ['qualify', '--suite', 'nofile.yaml'], 'cannot read'],
    [
      'a check that needs earlier runs of the node',
      ['qualify', '--tier', 't1', '--require', 'floor,history'],
      'suite t1 requires the check history, which no node of a submission can judge',
    ],
    [
      'the same in a dry run',
      ['--dry-run', 'qualify', '--baseline', 'nofile.json'],
      'cannot read the baseline',
    ],
  ])('%s: one line, with exit code 64', (_, words, line) =>
    withFolder(async (folder) => {
      const env = programsIn(folder, { mpirun: MPIRUN });
      const running = startPiBench(['submit', 'mpi', '--hosts', 'localhost', ...words], folder, env);
      const late = setTimeout(() => running.child.kill('SIGKILL'), LIMIT_MS);
      const run = await running.ended;
      clearTimeout(late);
      expectRefusal(run, folder, line);
    }));

  it('a Slurm that is not there: its own words and what to do, of which the help of a dry run tells', () =>
    withFolder(async (folder) => {
      const env = programsIn(folder, {
        sinfo: 'echo "sinfo: fatal: Could not establish a configuration source" >&2; exit 1',
      });
      const words = ['submit', 'slurm', '--nodes', '40', '--dry-run', 'qualify'];
      const refused = 'sinfo refuses: Could not establish a configuration source; run it on a login node';
      expectRefusal(await piBenchIn({ cwd: folder, env }, ...words), folder, refused);
      const { stdout } = await piBenchIn({}, 'submit', 'slurm', '--help');
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain('hand over nothing; needs a live controller');
    }));

  it('a sweep is for the nodes as any other command, and measures nothing here', () =>
    withFolder(async (folder) => {
      const env = programsIn(folder, { mpirun: MPIRUN });
      const words = ['submit', 'mpi', '--hosts', 'n1', '--dry-run', 'sweep', 'matmul', '--size', '16,32'];
      const { code, stdout } = await piBenchIn({ cwd: folder, env }, ...words);
      expect(stdout).toContain('"command":["sweep","matmul","--size","16,32"]');
      expect(code).toBe(0);
      expect(existsSync(join(folder, 'results'))).toBe(false);
    }));
});
