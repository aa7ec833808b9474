/** The recipes of docs/recipes: their scripts are sound, and answer a verdict as they say. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readLines } from '../../src/fleet/read-fleet.js';
import { OUTCOME_TEXT } from '../../src/qualify/wording.js';
import { root } from '../support/pi-bench.js';
import { aboutSeconds, recordOf, writeRecord } from '../support/records.js';

const RECIPES = join(root, 'docs', 'recipes');
const files = readdirSync(RECIPES, { recursive: true, encoding: 'utf8' });
const scripts = files.filter((name) => /\.(sh|sbatch)$/.test(name));
const folder = mkdtempSync(join(tmpdir(), 'pi-bench-recipes-'));
afterAll(() => rmSync(folder, { recursive: true }));

function executable(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Stands where pi-bench would, and says what it is told to. */
const standIn = (line: string, status: number): string =>
  executable(`pi-bench-${status}`, `echo '${line}'`, 'echo more', `exit ${status}`);

/** What Node prints, with 1, where it cannot load a program; a warning may stand before an answer. */
const BROKEN = 'node:internal/modules/run_main:123';
const WARNED = `(node:1) Warning: something'; echo '`;
const NO = 'not-qualified t1 2 h ago: quota cpu-quota';

function run(script: string, env: NodeJS.ProcessEnv) {
  // As bare as Slurm's.
  const { status, stderr } = spawnSync(join(RECIPES, script), {
    env: { PATH: '/usr/bin:/bin', ...env },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, stderr };
}

describe('scripts of the recipes', () => {
  it('are there', () => {
    expect(scripts.length).toBeGreaterThanOrEqual(5);
  });

  it.each(scripts)('%s is sound shell', (script) => {
    const path = join(RECIPES, script);
    expect(spawnSync('bash', ['-n', path], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it('leave shellcheck nothing to say', ({ skip }) => {
    const paths = scripts.map((script) => join(RECIPES, script));
    const { error, status, stdout } = spawnSync('shellcheck', ['--shell=bash', ...paths], {
      encoding: 'utf8',
    });
    if (error !== undefined) return skip('shellcheck is not installed');
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it.each(scripts.filter((name) => name.endsWith('.sh')))('%s can be executed', (script) => {
    expect(existsSync(join(RECIPES, script))).toBe(true);
    expect(readFileSync(join(RECIPES, script), 'utf8')).toMatch(/^#!\/bin\/bash\n/);
    expect(spawnSync('test', ['-x', join(RECIPES, script)]).status).toBe(0);
  });
});

describe('the prolog', () => {
  it.each([
    [0, 0, 'qualified t1 2 h ago: 24 checks', ''],
    [1, 1, NO, `pi-bench: ${NO}\n`],
    [1, 1, `${WARNED}${NO}`, `pi-bench: ${NO}\n`],
    [1, 0, BROKEN, ''],
    [2, 0, 'inconclusive: no verdict yet', ''],
  ])('of a verdict with exit code %s ends with %s: %s', (verdict, expected, line, said) => {
    const { status, stderr } = run('slurm/prolog.sh', { PI_BENCH: standIn(line, verdict) });
    expect(status).toBe(expected);
    expect(stderr).toBe(said);
  });

  it.each([
    ['slurm/prolog.sh', {}, 'verdict --max-age 24h --tier t1'],
    ['slurm/health-check.sh', {}, 'verdict --max-age 24h --tier t1'],
    ['kubernetes/verdict.sh', {}, 'verdict --max-age 24h --tier t1'],
    ['slurm/prolog.sh', { PI_BENCH_TIER: 't2' }, 'verdict --max-age 24h --tier t2'],
    ['slurm/prolog.sh', { PI_BENCH_TIER: '' }, 'verdict --max-age 24h'],
  ])('as %s with %j asks for a yes of a tier, which an epilog’s quick look is not', (script, env, asked) => {
    const told = join(folder, 'arguments');
    const program = executable('pi-bench-asked', `echo "$@" >'${told}'`, 'exit 2');
    run(script, { PI_BENCH: program, SLURMD_NODENAME: 'n1', ...env });
    expect(readFileSync(told, 'utf8')).toBe(`${asked}\n`);
  });

  it('is strict where it is told to be, and lets jobs run where pi-bench is not there', () => {
    expect(run('slurm/prolog.sh', { PI_BENCH: standIn('no verdict', 2), PI_BENCH_STRICT: '1' }).status).toBe(
      1,
    );
    expect(run('slurm/prolog.sh', { PI_BENCH: '/nowhere' }).status).toBe(0);
  });
});

describe('the health check', () => {
  /** Stands where Slurm's command would: a node as it shows it, and what it was told to update. */
  function check(line: string, verdict: number, node: string): { status: number | null; updates: string } {
    const [programs, updates] = [mkdtempSync(join(folder, 'slurm-')), join(folder, 'updates')];
    writeFileSync(updates, '');
    const scontrol = executable(
      'scontrol',
      `case "$1" in update) echo "$@" >>'${updates}' ;; *) ${node === '' ? 'exit 1' : `echo '${node}'`} ;; esac`,
    );
    // The script has a path of its own: it is told where Slurm's command is by a function.
    const { status } = spawnSync(
      'bash',
      [
        '-c',
        `scontrol() { '${scontrol}' "$@"; }; export -f scontrol; "$0"`,
        join(RECIPES, 'slurm/health-check.sh'),
      ],
      {
        env: {
          PATH: '/usr/bin:/bin',
          PI_BENCH: standIn(line, verdict),
          SLURMD_NODENAME: 'n1',
          HOME: programs,
        },
        encoding: 'utf8',
        timeout: 30_000,
      },
    );
    return { status, updates: readFileSync(updates, 'utf8').trim() };
  }
  const shown = (state: string, reason: string | null): string =>
    `NodeName=n1 Arch=x86_64 OS=Linux State=${state} ThreadsPerCore=1${reason === null ? '' : ` Reason=${reason} [root@2026-11-21T10:00:00]`}`;
  const drain = `update NodeName=n1 State=DRAIN Reason=pi-bench: ${NO}`;
  const resume = 'update NodeName=n1 State=RESUME';
  const yes = 'qualified t1 2 h ago: 24 checks';

  it.each([
    ['drains a node that works', NO, 1, shown('IDLE', null), drain],
    ['drains one with a reason that lies there from before', NO, 1, shown('IDLE', 'old'), drain],
    ['says anew why it drained', NO, 1, shown('IDLE+DRAIN', 'pi-bench: not-qualified t0'), drain],
    ['leaves one that somebody else drained', NO, 1, shown('IDLE+DRAIN', 'a fan'), ''],
    ['leaves one that drains for somebody else', NO, 1, shown('MIXED+DRAIN', 'a fan'), ''],
    ['leaves one that is down for another reason', NO, 1, shown('DOWN', 'Not responding'), ''],
    ['leaves a node that Slurm does not tell of', NO, 1, '', ''],
    ['takes no failure of Node for a no', BROKEN, 1, shown('IDLE', null), ''],
    ['takes back what it drained', yes, 0, shown('IDLE+DRAIN', 'pi-bench: not-qualified t0'), resume],
    ['takes nothing else back', yes, 0, shown('IDLE+DRAIN', 'a fan'), ''],
    ['does nothing without a verdict', 'inconclusive: no verdict yet', 2, shown('IDLE', null), ''],
  ])('%s', (_, line, verdict, node, expected) => {
    expect(check(line, verdict, node)).toEqual({ status: 0, updates: expected });
  });
});

describe('the epilog', () => {
  const answers = Object.values(OUTCOME_TEXT);
  it.each([
    [0, 0, `${answers[0]}  n1`],
    [1, 1, `${answers[1]}  n1`],
    [1, 0, BROKEN],
    [2, 0, `${answers[2]}  n1`],
  ])('of exit code %s ends with %s, and keeps the record of a no alone: %s', (verdict, expected, line) => {
    const out = mkdtempSync(join(folder, 'epilog-'));
    const { status } = run('slurm/epilog.sh', { PI_BENCH: standIn(line, verdict), PI_BENCH_OUT: out });
    expect(status).toBe(expected);
    expect(readdirSync(out)).toHaveLength(expected);
  });

  it.each([
    [{}, 'qualify --tier t0 --quiet'],
    [{ PI_BENCH_EXPECT: 'gpu=8' }, 'qualify --tier t0 --expect gpu=8 --quiet'],
  ])('with %j asks for what has to be there, as Slurm may hide a GPU from a job', (env, asked) => {
    const told = join(folder, 'epilog-arguments');
    const program = executable('pi-bench-after', `echo "$@" >'${told}'`, 'exit 2');
    run('slurm/epilog.sh', { PI_BENCH: program, PI_BENCH_OUT: folder, ...env });
    expect(readFileSync(told, 'utf8')).toMatch(new RegExp(`^${asked} --out `));
  });
});

it('the epilog looks at the GPUs of the node, whichever Slurm says are the job’s', () => {
  const told = join(folder, 'epilog-devices');
  const program = executable('pi-bench-devices', `echo "\${CUDA_VISIBLE_DEVICES-all}" >'${told}'`, 'exit 2');
  run('slurm/epilog.sh', { PI_BENCH: program, PI_BENCH_OUT: folder, CUDA_VISIBLE_DEVICES: '1' });
  expect(readFileSync(told, 'utf8')).toBe('all\n');
});

describe('the job that qualifies a node', () => {
  const script = join(RECIPES, 'slurm/qualify.sbatch');
  const job = (cwd: string, piBench: string, node: string, ...args: readonly string[]) =>
    spawnSync('bash', [script, ...args], {
      cwd,
      env: { PATH: '/usr/bin:/bin', PI_BENCH: piBench, SLURMD_NODENAME: node },
      encoding: 'utf8',
    });

  it.each([
    [0, 0],
    [1, 0],
    [2, 0],
    [70, 1],
  ])('of exit code %s ends with %s, as an answer is a result', (answer, expected) => {
    const { status, stdout } = job(folder, standIn('it', answer), 'n1');
    expect([status, stdout]).toEqual([expected, `it\nmore\nn1: exit code ${answer}\n`]);
  });

  it('hands on what stands behind its name, and leaves nodes where the command that it shows finds each of them', () => {
    const cwd = mkdtempSync(join(folder, 'rack-'));
    for (const node of ['n1', 'n2'])
      writeRecord(cwd, recordOf({ id: `of-${node}`, batches: [{ launches: aboutSeconds(1) }] }));
    const program = executable(
      'pi-bench-rack',
      `echo "$@" >>'${cwd}/arguments'`,
      'while [ "$1" != --out ]; do shift; done',
      `mkdir -p "$2"; mv "${cwd}/of-$SLURMD_NODENAME" "$2/"`,
    );
    for (const node of ['n1', 'n2']) expect(job(cwd, program, node, '--expect', 'gpu=8').status).toBe(0);
    const [asked = ''] = readFileSync(join(cwd, 'arguments'), 'utf8').split('\n');
    expect(asked).toBe(`qualify --tier t2 --out ${cwd}/results --expect gpu=8`);
    const [, shown = ''] = /^# +pi-bench fleet check (\S+)$/m.exec(readFileSync(script, 'utf8')) ?? [];
    const folders = spawnSync('bash', ['-c', `printf '%s\\n' ${shown}`], { cwd, encoding: 'utf8' });
    const paths = folders.stdout.trim().split('\n');
    const nodes = readLines(paths.map((path) => join(cwd, path)));
    expect(nodes.map(({ node, problems }) => [node, problems])).toEqual([
      ['of-n1', []],
      ['of-n2', []],
    ]);
  });
});

describe('the plugin of node-problem-detector', () => {
  it.each([
    [0, 0, 'qualified t1 2 h ago: 24 checks'],
    [1, 1, NO],
    [1, 2, BROKEN],
    [2, 2, 'inconclusive: no verdict yet'],
  ])('of exit code %s ends with %s, and one line: %s', (verdict, expected, line) => {
    const { status, stdout } = spawnSync(join(RECIPES, 'kubernetes/verdict.sh'), {
      env: { PATH: '/usr/bin:/bin', PI_BENCH: standIn(line, verdict) },
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([expected, `${line}\n`]);
  });
});

describe('the textfile collector’s script', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 0],
    [70, 1],
  ])('of exit code %s ends with %s: an answer is a result', (answer, expected) => {
    const said = { PI_BENCH: standIn('it', answer), PI_BENCH_TEXTFILES: folder, PI_BENCH_OUT: folder };
    expect(run('node-exporter/textfile.sh', said).status).toBe(expected);
  });

  it.each([
    [undefined, 't1'],
    ['t2', 't2'],
  ])('says where pi-bench is to leave its metrics: each tier in a file of its own (%s)', (asked, tier) => {
    const path = join(folder, 'pi-bench-telling');
    writeFileSync(path, '#!/bin/sh\necho "$@" >&2\n');
    chmodSync(path, 0o755);
    const { stderr } = run('node-exporter/textfile.sh', {
      PI_BENCH: path,
      PI_BENCH_TEXTFILES: '/t',
      PI_BENCH_OUT: '/o',
      ...(asked === undefined ? {} : { PI_BENCH_TIER: asked }),
    });
    expect(stderr).toBe(`qualify --tier ${tier} --quiet --out /o --format prom=/t/pi-bench-${tier}.prom\n`);
  });
});

describe('documents of the recipes', () => {
  it.each(files.filter((name) => name.endsWith('.json')))('%s is JSON', (name) => {
    expect(() => JSON.parse(readFileSync(join(RECIPES, name), 'utf8'))).not.toThrow();
  });

  it.each(files.filter((name) => name.endsWith('.yaml')))('%s is YAML', (name) => {
    for (const { errors } of parseAllDocuments(readFileSync(join(RECIPES, name), 'utf8')))
      expect(errors).toEqual([]);
  });

  it('node-problem-detector waits no longer for the verdict than between two of them, and prints all of its line', () => {
    const { pluginConfig, rules } = JSON.parse(
      readFileSync(join(RECIPES, 'kubernetes/node-problem-detector.json'), 'utf8'),
    ) as { pluginConfig: { max_output_length: number }; rules: { path: string }[] };
    expect(pluginConfig.max_output_length).toBeGreaterThanOrEqual(80);
    expect(rules[0]?.path).toMatch(/\/verdict\.sh$/);
  });
});
