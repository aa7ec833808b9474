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
import { root } from '../support/pi-bench.js';

const RECIPES = join(root, 'docs', 'recipes');
const files = readdirSync(RECIPES, { recursive: true, encoding: 'utf8' });
const scripts = files.filter((name) => /\.(sh|sbatch)$/.test(name));
const folder = mkdtempSync(join(tmpdir(), 'pi-bench-recipes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Stands where pi-bench would, and says what it is told to. */
function standIn(line: string, status: number): string {
  const path = join(folder, `pi-bench-${status}`);
  writeFileSync(path, `#!/bin/sh\necho '${line}'\necho more\nexit ${status}\n`);
  chmodSync(path, 0o755);
  return path;
}

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
    [0, 0, ''],
    [1, 1, 'pi-bench: FAIL slow cpu\n'],
    [2, 0, ''],
  ])('of a verdict with exit code %s ends with %s', (verdict, expected, said) => {
    const { status, stderr } = run('slurm/prolog.sh', { PI_BENCH: standIn('FAIL slow cpu', verdict) });
    expect(status).toBe(expected);
    expect(stderr).toBe(said);
  });

  it('is strict where it is told to be, and lets jobs run where pi-bench is not there', () => {
    expect(run('slurm/prolog.sh', { PI_BENCH: standIn('no verdict', 2), PI_BENCH_STRICT: '1' }).status).toBe(
      1,
    );
    expect(run('slurm/prolog.sh', { PI_BENCH: '/nowhere' }).status).toBe(0);
  });
});

describe('the epilog', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 0],
  ])('of exit code %s ends with %s, and keeps the record of a no alone', (verdict, expected) => {
    const out = mkdtempSync(join(folder, 'epilog-'));
    const { status } = run('slurm/epilog.sh', { PI_BENCH: standIn('it', verdict), PI_BENCH_OUT: out });
    expect(status).toBe(expected);
    expect(readdirSync(out)).toHaveLength(verdict === 1 ? 1 : 0);
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

  it('says where pi-bench is to leave its metrics', () => {
    const path = join(folder, 'pi-bench-telling');
    writeFileSync(path, '#!/bin/sh\necho "$@" >&2\n');
    chmodSync(path, 0o755);
    const { stderr } = run('node-exporter/textfile.sh', {
      PI_BENCH: path,
      PI_BENCH_TEXTFILES: '/t',
      PI_BENCH_OUT: '/o',
    });
    expect(stderr).toBe('qualify --tier t1 --quiet --out /o --format prom=/t/pi-bench.prom\n');
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
    ) as { pluginConfig: { max_output_length: number }; rules: { args: string[] }[] };
    expect(pluginConfig.max_output_length).toBeGreaterThanOrEqual(80);
    expect(rules[0]?.args[0]).toBe('verdict');
  });
});
