/** The part of the addon that is built first, alone: it measures the first command's product, and nothing else. */
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { neededPart } from '../../scripts/lib/needed-part.mjs';
import type { NativeAddon, NativeJob } from '../../src/native.js';
import { installed } from '../support/installed.js';
import {
  killAll,
  matmulRecord,
  printedRecord,
  readInspectionFile,
  root,
  start,
  until,
  withFolder,
} from '../support/pi-bench.js';
import { shortJob } from '../support/short-job.mjs';

/** That of this CPU. */
const PART = neededPart(['matmul'], false);
const NAME = PART === 'firstAvx512' ? 'pibench_first_avx512.node' : 'pibench_first_avx2.node';
const FIRST = join('build', 'Release', NAME);
const SMALL = ['--size', '64', '--threads', '1', '--reps', '50', '--inspections', '2'];

const executed = PART !== 'whole' && existsSync(join(root, FIRST));

/** pi-bench as it is installed, with no more of the addon than what is built first. */
const installFirstPart = (folder: string): string => installed(folder, { [NAME]: join(root, FIRST) });

const matmul = (launcher: string, folder: string, ...args: string[]) =>
  start(process.execPath, [launcher, 'matmul', ...SMALL, '--json', '--quiet', ...args], folder).ended;

describe.runIf(executed)('what is built first', () => {
  it('measures a float32 product as the whole addon does, and the record names it', () =>
    withFolder(async (folder) => {
      const { batches } = printedRecord(await matmul(installFirstPart(folder), folder));
      const { record } = await matmulRecord(join(folder, 'whole'), ...SMALL);
      expect(batches[0]?.verified).toBe('passed');
      expect(batches[0]?.stack.file).toBe(NAME);
      expect(record.batches[0]?.stack.file).toBe('pibench.node');
      expect(batches[0]?.stack.implementation).toBe(record.batches[0]?.stack.implementation);
    }));

  it('goes on with a campaign that it began, whatever has been built meanwhile, and nothing else does', () =>
    withFolder(async (folder) => {
      const launcher = installFirstPart(folder);
      const long = ['--size', '96', '--threads', '1', '--reps', '4000', '--inspections', '3'];
      const command = [launcher, 'matmul', ...long, '--quiet'];
      const killed = start(process.execPath, command, folder);
      const out = join(folder, 'results');
      const campaign = await until(() => {
        const [name] = existsSync(out) ? readdirSync(out) : [];
        return name !== undefined && existsSync(join(out, name, 'inspections', '0.json'))
          ? join(out, name)
          : undefined;
      }, 'the first document');
      killAll(killed.child.pid ?? 0);
      await killed.ended;
      const built = (name: string): string => join(folder, 'build', 'Release', name);
      copyFileSync(join(root, 'build', 'Release', 'pibench.node'), built('pibench.node'));
      const resume = () =>
        start(process.execPath, [launcher, 'resume', campaign, '--json', '--quiet'], folder).ended;
      const first = readFileSync(built(NAME));
      // Another build, which would measure as well.
      appendFileSync(built(NAME), 'x');
      const refused = await resume();
      expect([refused.code, refused.stdout]).toEqual([64, '']);
      expect(refused.stderr).toContain(`was begun with another build of the addon (${NAME})`);
      writeFileSync(built(NAME), first);
      const { inspections } = printedRecord(await resume()).batches[0] ?? {};
      expect(inspections).toHaveLength(3);
      const files = [0, 1, 2].map((index) => readInspectionFile(campaign, index).stack.file);
      expect(files).toEqual(files.map(() => NAME));
    }));

  it('is not enough for another product: that waits for the rest, or says why there is none', () =>
    withFolder(async (folder) => {
      // Without binding.gyp nothing can be built.
      const { code, stderr, stdout } = await matmul(installFirstPart(folder), folder, '--dtype', 'int8');
      expect([code, stdout]).toEqual([70, '']);
      expect(stderr).toContain('the native addon could not be built');
      expect(existsSync(join(folder, 'results'))).toBe(false);
    }));

  it('refuses what it has no kernel or no code for, should it be asked for it all the same', async () => {
    const addon = createRequire(import.meta.url)(join(root, FIRST)) as NativeAddon;
    const sides = { m: 8, n: 8, k: 8, transposeA: 'N', transposeB: 'N', batch: 1, prepack: 0 };
    const product = { ...sides, dtype: 'float32', threads: 1, cpus: [], isa: '', seed: 1 };
    const inspect = async (workload: string, change: NativeJob['parameters']) =>
      addon.inspect(shortJob(workload, { ...product, ...change })).result;
    const refused = (workload: string, change: NativeJob['parameters'] = {}) =>
      expect(inspect(workload, change)).rejects;
    await refused('matmul', { dtype: 'int8' }).toThrow('a product of int8 is not built yet');
    await refused('matmul', { isa: 'portable' }).toThrow('the choice of portable is not built yet');
    await refused('matmul', { interface: 'cblas', library: 'x.so' }).toThrow(
      'the interface cblas is not built yet',
    );
    await refused('memory').toThrow('the workload memory is not built yet');
  });
});
