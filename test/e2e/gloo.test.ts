/** Gloo from the command to the record, where it is installed; what it cannot do is said anywhere. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { brokenRules } from '../../src/record/check.js';
import { written } from '../../src/record/schema.js';
import { type GlooHere, glooHere } from '../support/gloo.js';
import { expectOneLine } from '../support/met-ranks.js';
import {
  piBenchEach,
  piBenchIn,
  printedRecord,
  root,
  startPiBench,
  withFolder,
} from '../support/pi-bench.js';

const SHORT = ['--reps', '30', '--warmup', '5', '--inspections', '1', '--no-wait', '--quiet'];
const GLOO = ['collective', 'all-reduce', '--transport', 'gloo', '--ranks', '2'];

const leftovers = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('pi-bench-gloo-'));

describe('Gloo', () => {
  let here: GlooHere | string;
  beforeAll(() => {
    here = glooHere();
  });

  it('computes what every operation, type and operator asks for, and its faults are caught', ({ skip }) => {
    if (typeof here === 'string') return skip(here);
    const before = leftovers();
    const program = join(root, 'test/support/gloo-operations.mjs');
    const said = execFileSync(process.execPath, [program, here.library, here.plugin], { encoding: 'utf8' });
    const { count, wrong, faults } = JSON.parse(said) as {
      count: number;
      wrong: readonly unknown[];
      faults: Readonly<Record<string, string>>;
    };
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(130);
    expect(faults['corrupt-rank']).toMatch(/element \d+ of what rank \d got is .*, expected/);
    expect(faults['absent-rank']).toMatch(/rank 1 did not arrive within 2 s; rank 0 waited for it/);
    expect(faults['lost-rank']).toMatch(/rank 1 of 2 was killed by signal 9/);
    expect(leftovers()).toEqual(before);
  });

  it('is a stack: the record names its file, its package and how its ranks were connected', ({ skip }) => {
    if (typeof here === 'string') return skip(here);
    const { library, env } = here;
    return withFolder(async (out) => {
      const run = await piBenchIn({ env }, ...GLOO, '--bytes', '8,64KiB', '--json', '--out', out, ...SHORT);
      expect(run.code).toBe(0);
      const record = printedRecord(run);
      expect(written.record.safeParse(record).error).toBeUndefined();
      expect(brokenRules(record)).toEqual([]);
      expect(record.batches).toHaveLength(2);
      for (const { stack, verified, ranks } of record.batches) {
        expect(verified).toBe('passed');
        expect(ranks?.ranks).toHaveLength(2);
        expect(stack).toMatchObject({ provider: 'gloo', path: library, soname: 'libgloo.so.0' });
        expect(stack.version).toMatch(/^Gloo \d+\.\d+\.\d+, by its plugin’s headers$/);
        expect(stack.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(stack.implementation).toBe('TCP at 127.0.0.1, 2 processes, default');
      }
    });
  });

  it('without what calls it is not there: one line says how to have it', ({ skip }) => {
    if (typeof here === 'string') return skip(here);
    const env = { ...process.env, PIBENCH_GLOO_PLUGIN: '/nowhere/gloo.so' };
    return withFolder(async (out) => {
      const run = await startPiBench([...GLOO, '--bytes', '8', '--out', out], undefined, env).ended;
      expect(run.code).toBe(64);
      expect(run.stderr.trim().split('\n')).toHaveLength(1);
      expect(run.stderr).toMatch(
        /--stack gloo: what calls it is not built \(\/nowhere\/gloo\.so\)\. .*node \/.*\/scripts\/build-plugins\.mjs/,
      );
      expect(existsSync(out) ? readdirSync(out) : []).toEqual([]);
    });
  });

  const refused: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['--stack', 'embedded'], /--transport gloo is executed by --stack gloo, not embedded/],
    [
      ['--rendezvous', 'tcp:node1:29500', '--rank', '0'],
      /ranks of --transport gloo are processes of this machine: .* to --transport nccl/,
    ],
  ];
  it('with another stack, or with ranks that meet elsewhere, is refused in one line', async () => {
    const runs = await piBenchEach(refused.map(([args]) => [...GLOO, '--bytes', '8', ...args]));
    for (const [i, [, says]] of refused.entries()) expectOneLine(runs[i], 64, says);
  });
});
