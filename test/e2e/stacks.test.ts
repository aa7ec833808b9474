/** Matrix products on libraries: those that are here, tiny ones that go wrong in every way, and what is recorded of them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHANNEL_FD } from '../../src/inspection/job.js';
import { parseCpuinfo } from '../../src/machine/cpuinfo.js';
import { sha256 } from '../../src/record/digest.js';
import { type PiBenchRecord, type RecordBatch, written } from '../../src/record/schema.js';
import type { Survey } from '../../src/stacks/survey.js';
import type { Telemetry } from '../../src/telemetry/types.js';
import { buildsHere, foreignCopy, sharedLibxsmm, tinyLibrary } from '../support/libraries.js';
import {
  campaignFolder,
  journalOf,
  matmulRecord,
  piBench,
  piBenchIn,
  printedRecord,
  readInspectionFile,
  withFolder,
} from '../support/pi-bench.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-bench-libraries-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BRIEF = ['--size', '48', '--reps', '30', '--warmup', '5'];
const SMALL = [...BRIEF, '--inspections', '1'];
const TWO_CPUS = cpus().length > 1;

/**
 * What oneDNN can do depends on the CPU: without VNNI it adds two products of int8 in 16 bits, which saturates, and its
 * bfloat16 needs AVX-512.
 */
const CPU_FLAGS = new Set(parseCpuinfo(readFileSync('/proc/cpuinfo', 'utf8'))?.flags);
const HAS_VNNI = CPU_FLAGS.has('avx512_vnni') || CPU_FLAGS.has('avx_vnni');
const ONEDNN_TYPES = [
  'float32',
  ...(CPU_FLAGS.has('avx512bw') ? ['bfloat16'] : []),
  ...(HAS_VNNI ? ['int8'] : []),
];

const batchOn = ({ batches }: PiBenchRecord, path: string): RecordBatch => {
  const found = batches.find(({ asked }) => asked.stack.variant === path || asked.stack.provider === path);
  if (found === undefined) throw new Error(`no batch on ${path}`);
  return found;
};

describe('a library by its path', () => {
  it('is measured, verified and identified: its file, its name, its checksum', () =>
    withFolder(async (out) => {
      const path = tinyLibrary(folder, 'sound');
      const args = [...SMALL, '--threads', '1', '--stack', `cblas:${path}`];
      process.env.OMP_PROC_BIND = 'true';
      const { run, record } = await matmulRecord(out, ...args).finally(() => {
        delete process.env.OMP_PROC_BIND;
      });
      expect(run.stderr).toBe('');
      expect(run.code).toBe(0);
      expect(written.record.safeParse(record).error).toBeUndefined();
      const [batch] = record.batches;
      expect(batch?.verified).toBe('passed');
      expect(batch?.stack).toMatchObject({
        provider: 'cblas',
        variant: path,
        path,
        file: 'libsound.so',
        soname: 'libsound.so.1',
        sha256: sha256(readFileSync(path)),
        package: null,
        version: null,
        implementation: 'cblas_sgemm',
        threadBinding: 'each',
      });
      // As the launch itself saw it.
      expect(batch?.stack.environment).toMatchObject({ OMP_NUM_THREADS: '1' });
      expect(batch?.stack.environment).not.toHaveProperty('OMP_PROC_BIND');
      expect(record.kpis[0]?.labels).toMatchObject({ stack: 'cblas', stack_variant: path });
    }));

  it('multiplies operands however they lie, also in a batch', () =>
    withFolder(async (out) => {
      const path = tinyLibrary(folder, 'sound');
      const ways = ['NN', 'NT', 'TN', 'TT'];
      const shape = ['--m', '7', '--n', '19', '--k', '33', '--batch', '3', '--transpose', ways.join(',')];
      const few = ['--reps', '5', '--inspections', '1', '--warmup', '2', '--threads', '1'];
      const args = ['sweep', 'matmul', ...shape, ...few, '--stack', `cblas:${path}`];
      const run = await piBench(...args, '--json', '--quiet', '--out', out);
      if (run.stdout === '') throw new Error(run.stderr);
      const { batches } = printedRecord(run);
      expect(batches.map(({ verified, case: { parameters } }) => [parameters.transpose, verified])).toEqual(
        ways.map((way) => [way, 'passed']),
      );
    }));

  it('may have integers of 64 bits and a prefix, under the names that such builds have', () =>
    withFolder(async (out) => {
      const paths = [
        tinyLibrary(folder, 'ilp64', 'ILP64'),
        tinyLibrary(folder, 'prefixed', 'ILP64', 'PREFIXED'),
      ];
      const stacks = paths.map((path) => `cblas:${path}`).join(',');
      const { record } = await matmulRecord(out, ...SMALL, '--threads', '1', '--stack', stacks);
      expect(record.batches.map(({ verified }) => verified)).toEqual(['passed', 'passed']);
      expect(record.batches.map(({ stack }) => stack.implementation)).toEqual([
        'cblas_sgemm64_',
        'scipy_cblas_sgemm64_',
      ]);
    }));
});

describe('a library that goes wrong', () => {
  it('ends its own stack only, with the reason in the record', () =>
    withFolder(async (out) => {
      const sound = tinyLibrary(folder, 'sound');
      const paths = {
        noSymbol: tinyLibrary(folder, 'nosymbol', 'NO_SYMBOL'),
        crashes: tinyLibrary(folder, 'crashes', 'CRASHES'),
        talks: tinyLibrary(folder, 'talks', `TALKS_TO=${CHANNEL_FD}`),
        wrong: tinyLibrary(folder, 'wrong', 'WRONG'),
        disobeys: tinyLibrary(folder, 'disobeys', 'DISOBEYS'),
        foreign: foreignCopy(sound, join(folder, 'libforeign.so')),
      };
      const stacks = [sound, ...Object.values(paths)].map((path) => `cblas:${path}`).join(',');
      const { run, record } = await matmulRecord(out, ...SMALL, '--threads', '1', '--stack', stacks);
      expect(run.code).toBe(3);
      expect(batchOn(record, sound)).toMatchObject({ measured: 1, verified: 'passed' });
      const endOf = (path: string): string => {
        const batch = batchOn(record, path);
        expect(batch.rate).toBeNull();
        expect(batch.stack.sha256).toMatch(/^[0-9a-f]{64}$/);
        const [only] = batch.inspections;
        return `${only?.status}: ${only?.reason}`;
      };
      expect(endOf(paths.noSymbol)).toMatch(/^failed: the library has no cblas_sgemm/);
      expect(endOf(paths.crashes)).toMatch(
        /^crashed: crashed with SIGABRT, last heard of in phase start of libcrashes.so/,
      );
      expect(endOf(paths.talks)).toMatch(/^failed: something else wrote to the file .*: "x"$/);
      expect(endOf(paths.wrong)).toMatch(/^wrong: the output is wrong/);
      expect(endOf(paths.disobeys)).toMatch(/^failed: .*told to use 1 threads and says that it uses 7/);
      expect(endOf(paths.foreign)).toMatch(/^failed: .*libforeign.so was built for (arm64|x86-64)/);
    }));

  it('is refused where it is not what it is called, and taken where it is', () =>
    withFolder(async (out) => {
      const sound = tinyLibrary(folder, 'sound');
      const openblas = tinyLibrary(folder, 'asopenblas', 'AS_OPENBLAS');
      const stacks = ['openblas', 'blis', 'mkl'].map((name) => `${name}:${sound}`);
      const args = [...SMALL, '--threads', '1', '--stack', [...stacks, `openblas:${openblas}`].join(',')];
      const { run, record } = await matmulRecord(out, ...args);
      expect(run.code).toBe(2);
      const ends = record.batches.map(({ inspections: [only] }) => `${only?.status}: ${only?.reason}`);
      expect(ends).toEqual([
        `failed: ${sound} is not OpenBLAS: it has no openblas_get_config; name it cblas:${sound}`,
        `failed: ${sound} is not BLIS: it has no bli_info_get_version_str; name it cblas:${sound}`,
        `failed: ${sound} is not oneMKL: it has no MKL_Get_Version_String; name it cblas:${sound}`,
        'measured: null',
      ]);
      expect(batchOn(record, openblas).stack.version).toBe('OpenBLAS 0.0.0 for tests');
    }));

  it('has no rate where it is faster than the CPU: it did not do what was asked', () =>
    withFolder(async (out) => {
      const path = tinyLibrary(folder, 'remembers', 'REMEMBERS=1');
      const args = ['--size', '256', '--reps', '50', '--inspections', '1', '--warmup', '3', '--threads', '1'];
      const { run, record } = await matmulRecord(out, ...args, '--stack', `cblas:${path}`);
      expect(run.code).toBe(2);
      const [batch] = record.batches;
      expect(batch).toMatchObject({ measured: 0, rate: null, verified: 'not-run' });
      expect(batch?.inspections[0]).toMatchObject({ status: 'failed', rate: null });
      expect(batch?.inspections[0]?.reason).toMatch(/% above the peak of one thread/);
    }));

  it('is wrong where it keeps a result for the call after', () =>
    withFolder(async (out) => {
      const path = tinyLibrary(folder, 'keeps', 'REMEMBERS=0');
      const { run, record } = await matmulRecord(out, ...SMALL, '--threads', '1', '--stack', `cblas:${path}`);
      expect(run.code).toBe(3);
      const verification = record.batches[0]?.inspections[0]?.verification;
      expect(verification?.firstWrong).toMatch(/^of one call alone: C\[0\]\[0\] is /);
    }));

  it.each([
    ['A', 'CLEARS=0'],
    ['B', 'CLEARS=1'],
  ])('is wrong where it writes to %s, however right the product of what it left there', (name, macro) =>
    withFolder(async (out) => {
      const path = tinyLibrary(folder, `clears${name}`, macro);
      const { run, record } = await matmulRecord(out, ...SMALL, '--threads', '1', '--stack', `cblas:${path}`);
      expect(run.code).toBe(3);
      expect(record.batches[0]?.inspections[0]?.verification).toMatchObject({
        method: 'operands',
        firstWrong: `element 0 of ${name}, which a call only reads, was changed by one`,
      });
    }));

  it('is wrong where its result is not there when its call returns', () =>
    withFolder(async (out) => {
      const path = tinyLibrary(folder, 'early', 'RETURNS_EARLY=20000');
      const { run, record } = await matmulRecord(out, ...SMALL, '--threads', '1', '--stack', `cblas:${path}`);
      expect(run.code).toBe(3);
      const verification = record.batches[0]?.inspections[0]?.verification;
      expect(verification?.firstWrong).toMatch(
        /^(of one call alone: )?(C\[0\]\[0\] is nan|element 0 was written only after)/,
      );
    }));

  it('is refused before anything is launched where there is no such file', async () => {
    const run = await piBench('matmul', '--stack', 'cblas:/no/such/lib.so');
    expect(run.code).toBe(64);
    expect(run.stderr).toMatch(/^pi-bench: --stack cblas:\/no\/such\/lib.so: there is no such file/);
  });
});

describe('several stacks in one command', () => {
  it('become a batch each, and their launches take turns', () =>
    withFolder(async (out) => {
      const path = tinyLibrary(folder, 'sound');
      const stacks = `embedded,cblas:${path}`;
      const args = [...BRIEF, '--inspections', '2', '--threads', '1', '--stack', stacks];
      const { run, record, folder: results } = await matmulRecord(out, ...args);
      expect(run.code).toBe(0);
      expect(record.batches.map(({ asked }) => asked.stack.provider)).toEqual(['embedded', 'cblas']);
      const batchOf = (index: unknown) =>
        record.batches.findIndex(({ inspections }) => inspections.some((one) => one.index === index));
      const order = journalOf(results)
        .filter(({ event }) => event === 'started')
        .map(({ index }) => batchOf(index));
      for (const round of [0, 2]) expect(order.slice(round, round + 2).toSorted()).toEqual([0, 1]);
    }));
});

describe.each(['openblas', 'blis', 'onednn', 'mkl'])('%s', (provider) => {
  const [path] = buildsHere(provider);

  it('is measured in every data type that it has, on one thread and on two', async (context) => {
    if (path === undefined) return context.skip(`${provider} is not installed here`);
    const dtypes = provider === 'onednn' ? ONEDNN_TYPES.join(',') : 'float32,float64';
    await withFolder(async (out) => {
      const args = ['--size', '96', '--dtype', dtypes, '--threads', TWO_CPUS ? '1,2' : '1'];
      const more = ['--reps', '40', '--inspections', '1', '--warmup', '10', '--stack', provider];
      const run = await piBench('sweep', 'matmul', ...args, ...more, '--json', '--quiet', '--out', out);
      expect(run.stderr).toBe('');
      expect(run.code).toBe(0);
      const record = printedRecord(run);
      expect(record.batches).toHaveLength(dtypes.split(',').length * (TWO_CPUS ? 2 : 1));
      for (const { verified, stack, inspections, asked } of record.batches) {
        expect(verified).toBe('passed');
        expect(stack).toMatchObject({ provider, path, threadBinding: 'each' });
        expect(stack.version).toMatch(/\d+\.\d+/);
        expect(stack.chose).not.toBe('');
        expect(inspections[0]?.ceilings?.arithmetic?.rate).toBeGreaterThan(0);
        const document = readInspectionFile(join(out, record.campaign.id), inspections[0]?.index ?? -1);
        expect(document.cpus).toHaveLength(Number(asked.case.parameters.threads));
      }
    });
  });
});

it('a run, a comparison and doctor say that OpenBLAS was asked for code below what the CPU has', async (context) => {
  if (buildsHere('openblas').length === 0) return context.skip('OpenBLAS is not installed here');
  if (!CPU_FLAGS.has('avx2') || !CPU_FLAGS.has('fma')) return context.skip('this CPU has nothing better');
  await withFolder(async (out) => {
    const where = { env: { ...process.env, OPENBLAS_CORETYPE: 'Prescott' } };
    const stacks = ['--threads', '1', '--stack', 'openblas,embedded', '--out', out, '--quiet'];
    const run = await piBenchIn(where, 'matmul', ...BRIEF, '--inspections', '2', ...stacks);
    const compared = await piBench('compare', campaignFolder(out));
    const doctor = await piBenchIn(where, 'doctor');
    const texts = [run, compared, doctor].map(({ stdout }) => stdout.replaceAll(/\s+/g, ' '));
    const said =
      /chose its code for "Prescott" on a CPU with AVX(2|-512), as OPENBLAS_CORETYPE=Prescott asks\b.* in the environment makes it take those kernels/;
    expect(texts.filter((text) => !said.test(text))).toEqual([]);
  });
});

it('MKL has GNU’s OpenMP before its first product, where its layer over that was linked without it', async (context) => {
  if (!TWO_CPUS) return context.skip('there is one CPU');
  await withFolder(async (out) => {
    const args = [...SMALL, '--threads', '2', '--stack', `mkl:${tinyLibrary(folder, 'mkl', 'AS_MKL')}`];
    const { record } = await matmulRecord(out, ...args);
    expect(record.batches[0]?.verified).toBe('passed');
  });
});

it('without a warm-up threads that a library makes for its first product are bound to none, and looked at all the same', async (context) => {
  if (!TWO_CPUS) return context.skip('there is one CPU');
  await withFolder(async (out) => {
    const args = ['--size', '48', '--reps', '30', '--warmup', '0', '--inspections', '1', '--threads', '2'];
    const stack = `cblas:${tinyLibrary(folder, 'keeps', 'KEEPS_A_THREAD')}`;
    const { record } = await matmulRecord(out, ...args, '--stack', stack);
    const [batch] = record.batches;
    expect(batch).toMatchObject({ verified: 'passed', stack: { threadBinding: 'together' } });
    const { telemetry } = readInspectionFile(campaignFolder(out), 0);
    expect((telemetry as unknown as Telemetry).threads).toHaveLength(2);
    const whys = batch?.inspections[0]?.notChecked.map(({ why }) => why) ?? [];
    expect(whys.filter((why) => why.includes('could not be read'))).toEqual([]);
  });
});

it('oneDNN brings B into its own layout before the repetitions', async (context) => {
  if (buildsHere('onednn').length === 0) return context.skip('oneDNN is not installed here');
  await withFolder(async (out) => {
    const dtype = HAS_VNNI ? 'int8' : 'float32';
    const args = [...SMALL, '--prepack', '--dtype', dtype, '--threads', '1', '--stack', 'onednn'];
    const { record } = await matmulRecord(out, ...args);
    expect(record.batches[0]?.verified).toBe('passed');
  });
});

it('oneDNN’s int8 is found wrong on a CPU without VNNI', async (context) => {
  if (buildsHere('onednn').length === 0) return context.skip('oneDNN is not installed here');
  if (HAS_VNNI) return context.skip('this CPU has VNNI');
  await withFolder(async (out) => {
    const args = [...SMALL, '--dtype', 'int8', '--threads', '1', '--stack', 'onednn'];
    const { run, record } = await matmulRecord(out, ...args);
    expect(run.code).toBe(3);
    expect(record.batches[0]?.verified).toBe('failed');
  });
});

it('builds of BLIS that make their threads in each call are not pressed onto one CPU', async (context) => {
  const path = buildsHere('blis').find((one) => one.includes('pthread'));
  if (path === undefined) return context.skip('BLIS with POSIX threads is not installed here');
  if (!TWO_CPUS) return context.skip('there is one CPU');
  await withFolder(async (out) => {
    const args = ['--size', '128', '--reps', '10', '--inspections', '1', '--warmup', '3', '--threads', '2'];
    const { record } = await matmulRecord(out, ...args, '--stack', `blis:${path}`);
    expect(record.batches[0]).toMatchObject({ verified: 'passed', stack: { threadBinding: 'together' } });
  });
});

it('libxsmm multiplies with a kernel made for the shape', async (context) => {
  const path = buildsHere('libxsmm')[0] ?? sharedLibxsmm(folder);
  if (path === null) return context.skip('libxsmm is not installed here');
  await withFolder(async (out) => {
    const args = [...SMALL, '--threads', '1', '--stack', `libxsmm:${path}`];
    const { record } = await matmulRecord(out, ...args);
    expect(record.batches[0]).toMatchObject({ verified: 'passed', stack: { provider: 'libxsmm' } });
    expect(record.batches[0]?.stack.implementation).toMatch(/^generated/);
  });
});

describe('pi-bench stacks', () => {
  it('asks a BLIS that a variable tells what to take', async (context) => {
    if (buildsHere('blis').length === 0) return context.skip('BLIS is not installed here');
    process.env.BLIS_ARCH_TYPE = '3';
    const run = await piBench('stacks', '--json').finally(() => {
      delete process.env.BLIS_ARCH_TYPE;
    });
    const { here } = JSON.parse(run.stdout) as Survey;
    const builds = here.filter(({ identity }) => identity.provider === 'blis');
    expect(builds.map(({ problem }) => problem)).toEqual(builds.map(() => null));
  });

  it('lists what is here with its identity, and says how to get the others', async () => {
    const run = await piBench('stacks', '--json');
    expect(run.code).toBe(0);
    const { here, missing } = JSON.parse(run.stdout) as Survey;
    expect(here[0]).toMatchObject({ stack: 'embedded', problem: null });
    for (const provider of ['openblas', 'blis', 'mkl', 'onednn', 'libxsmm']) {
      const builds = here.filter(({ identity }) => identity.provider === provider);
      expect(builds.map(({ identity }) => identity.path)).toEqual(buildsHere(provider));
      for (const { problem, identity, dtypes } of builds) {
        expect(problem).toBeNull();
        expect(identity.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(dtypes).toContain('float32');
      }
      expect(missing.some((one) => one.provider === provider)).toBe(builds.length === 0);
    }
    const text = await piBench('stacks');
    expect(text.stdout).toMatch(/^--stack embedded/);
  });
});
