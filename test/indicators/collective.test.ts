import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { collective } from '../../src/indicators/collective.js';
import {
  busFactor,
  type Collective,
  countOf,
  ELEMENT_NAMES,
  ELEMENTS,
  fittingBytes,
  OPERATIONS,
  type Operation,
  operandBytes,
  readCollective,
} from '../../src/indicators/collective-cases.js';
import type { GpuDescription, GpuSurvey } from '../../src/machine/gpus.js';
import type { MpiPlace } from '../../src/mpi/place.js';
import { machineOf } from '../support/machine.js';
import { withModule } from '../support/mocked.js';

afterEach(() => void vi.unstubAllEnvs());

/** Bytes of a rank's operands, as the table of native/collective/problem.h has them; rank 0 is the root. */
function operandsOf(one: Collective, rank: number): number {
  const count = countOf(one);
  const [all, atRoot] = [one.ranks * count, rank === 0];
  const table: Readonly<Record<Operation, readonly [gives: number, gets: number, sharing: boolean]>> = {
    'all-reduce': [count, count, true],
    reduce: [count, atRoot ? count : 0, atRoot],
    broadcast: [atRoot ? count : 0, count, atRoot],
    'all-gather': [count, all, true],
    gather: [count, atRoot ? all : 0, atRoot],
    'reduce-scatter': [all, count, true],
    scatter: [atRoot ? all : 0, count, atRoot],
    'all-to-all': [all, all, true],
    'send-recv': [count, count, false],
    barrier: [0, 0, false],
  };
  const [gives, gets, sharing] = table[one.operation];
  return (one.inPlace && sharing ? Math.max(gives, gets) : gives + gets) * ELEMENTS[one.dtype];
}

const casesOf = (flags: Record<string, unknown>) => collective.fromFlags(flags, machineOf());

describe('the cases of a collective', () => {
  it('of all-reduce without flags: from the smallest to past the caches, on every CPU', () => {
    const cases = casesOf({ operation: 'all-reduce' });
    expect(cases).toHaveLength(24);
    expect(cases.map(({ bytes }) => bytes).slice(0, 3)).toEqual([8, 16, 32]);
    expect(cases.at(-1)?.bytes).toBe(64 * 2 ** 20);
    expect(cases[0]).toMatchObject({
      ranks: 2,
      pin: true,
      redop: 'sum',
      root: -1,
      sync: 'barrier',
      inputs: 'fresh',
    });
  });

  it('without flags begin with the smallest of the usual sizes that the operation can have', () => {
    const least = (operation: string, dtype = 'float32') =>
      casesOf({ operation, dtype, ranks: '64' })[0]?.bytes;
    expect(least('all-reduce')).toBe(8);
    expect(least('broadcast', 'float64')).toBe(8);
    expect(least('all-gather')).toBe(64 * 4);
    expect(least('all-to-all', 'int8')).toBe(64);
    expect(casesOf({ operation: 'barrier', ranks: '64' }).map(({ bytes }) => bytes)).toEqual([0]);
  });

  it('are those that flags name', () => {
    const flags = {
      operation: 'reduce',
      bytes: '8,1KiB..4KiB',
      dtype: 'int8,float64',
      root: '1',
      redop: 'max',
    };
    expect(casesOf(flags).map(({ dtype, bytes, root, redop }) => [dtype, bytes, root, redop])).toEqual([
      ['float64', 8, 1, 'max'],
      ['float64', 1024, 1, 'max'],
      ['float64', 2048, 1, 'max'],
      ['float64', 4096, 1, 'max'],
      ['int8', 8, 1, 'max'],
      ['int8', 1024, 1, 'max'],
      ['int8', 2048, 1, 'max'],
      ['int8', 4096, 1, 'max'],
    ]);
  });

  describe('of a broadcast in place may run into each other: it overwrites no input', () => {
    const runsOn = { inPlace: true, sync: 'none', inputs: 'clean' };

    it('over shm', () => {
      const flags = { operation: 'broadcast', transport: 'shm', sync: 'none', 'in-place': true };
      expect(casesOf(flags)[0]).toMatchObject(runsOn);
    });

    it('over mpi, which has no other', () => {
      // What is asked for a case is the launcher's version and the library's file: no rank is started.
      const folder = mkdtempSync(join(tmpdir(), 'pi-bench-mpi-'));
      const [launcher, library] = [join(folder, 'mpirun'), join(folder, 'libmpi.so.40')];
      writeFileSync(launcher, '#!/bin/sh\necho "mpirun (Open MPI) 4.1.4"\n', { mode: 0o755 });
      writeFileSync(library, '');
      const flags = {
        operation: 'broadcast',
        transport: 'mpi',
        sync: 'none',
        launcher,
        'mpi-library': library,
      };
      expect(casesOf(flags)[0]).toMatchObject(runsOn);
      rmSync(folder, { recursive: true });
    });
  });

  it('with a block for each rank have equal blocks of whole elements', () => {
    expect(casesOf({ operation: 'all-gather', ranks: '3', bytes: '1MiB' })[0]?.bytes).toBe(
      Math.floor(2 ** 20 / 12) * 12,
    );
    const sizes = fc.integer({ min: 1, max: 2 ** 30 });
    const ranks = fc.integer({ min: 1, max: 256 });
    fc.assert(
      fc.property(
        fc.constantFrom(...OPERATIONS),
        fc.constantFrom(...ELEMENT_NAMES),
        sizes,
        ranks,
        (operation, dtype, elements, n) => {
          const asked = elements * n * ELEMENTS[dtype];
          const bytes = fittingBytes(asked, { operation, dtype, ranks: n });
          const one = {
            ...readCollective(casesOf({ operation: 'all-reduce', bytes: '8' })[0] ?? {}),
            operation,
            dtype,
            ranks: n,
            bytes,
          };
          expect(bytes).toBe(operation === 'barrier' ? 0 : asked);
          expect(Number.isInteger(countOf(one))).toBe(true);
          for (const inPlace of operation === 'send-recv' ? [false] : [false, true]) {
            const all = Array.from({ length: n }, (_, rank) => operandsOf({ ...one, inPlace }, rank));
            expect(operandBytes({ ...one, inPlace })).toBe(all.reduce((sum, some) => sum + some, 0));
          }
        },
      ),
    );
  });

  it('have a rank for each CPU, and no more than a case can have on a machine of many', () => {
    const ranksOn = (allowedCpus: string) =>
      collective.fromFlags({ operation: 'all-reduce', bytes: '1MiB' }, machineOf({ allowedCpus }))[0];
    expect(ranksOn('0-255')).toMatchObject({ ranks: 256, pin: true });
    expect(ranksOn('0-511')).toMatchObject({ ranks: 256, pin: true });
  });

  it('of more ranks than a case can have are refused by who started them', () => {
    vi.stubEnv('OMPI_COMM_WORLD_RANK', '0');
    vi.stubEnv('OMPI_COMM_WORLD_SIZE', '384');
    const says = 'openmpi has started 384 ranks, and a collective takes at most 256: start no more';
    const meeting = { device: 'cuda:0', rendezvous: 'tcp:host:4000' };
    for (const flags of [{ transport: 'mpi' }, meeting])
      expect(() => casesOf({ operation: 'all-reduce', ...flags })).toThrow(says);
  });

  it.each([
    [{}, /say which collective: all-reduce/],
    [{ operation: 'all-reduces' }, /there is no collective all-reduces; there is all-reduce, all-gather/],
    [{ operation: 'all-reduce', ranks: '0' }, /--ranks takes a whole number of at least 1/],
    [{ operation: 'all-reduce', ranks: '300' }, /--ranks takes at most 256/],
    [{ operation: 'barrier', ranks: '1' }, /barrier of one rank makes no sense/],
    [{ operation: 'send-recv', ranks: '1', bytes: '8' }, /send-recv of one rank makes no sense/],
    [{ operation: 'all-reduce', bytes: '7' }, /--bytes 7 is no multiple of an element of float32/],
    [{ operation: 'all-reduce', bytes: 'x' }, /--bytes takes sizes such as 8, 4KiB/],
    [
      { operation: 'all-gather', ranks: '4', bytes: '8' },
      /--bytes 8 is too small: all-gather of float32 on 4 ranks takes 16/,
    ],
    [{ operation: 'broadcast', root: '2' }, /--root 2 is none of broadcast's 2 ranks: it takes 0 to 1/],
    [{ operation: 'broadcast', root: 'x' }, /--root takes the number of a rank/],
    [{ operation: 'all-reduce', root: '1' }, /all-reduce has no root/],
    [{ operation: 'broadcast', redop: 'sum' }, /broadcast reduces nothing/],
    [{ operation: 'all-reduce', redop: 'mul' }, /--redop mul is unknown; there is sum, prod, min, max, avg/],
    [{ operation: 'all-reduce', redop: 'sum,max' }, /--redop takes one of/],
    [{ operation: 'all-reduce', dtype: 'float8' }, /--dtype float8 is unknown/],
    [
      { operation: 'all-reduce', dtype: 'float32,tf32' },
      /--dtype tf32 is how a product rounds .* use --dtype float32/,
    ],
    [
      { operation: 'all-reduce', redop: 'avg', dtype: 'float8_e4m3', ranks: '17' },
      /cannot be checked: use at most 16/,
    ],
    [{ operation: 'all-reduce', pattern: 'ring' }, /all-reduce has no pattern/],
    [{ operation: 'send-recv', pattern: 'pairs', ranks: '3' }, /takes an even number of ranks/],
    [{ operation: 'send-recv', 'in-place': true }, /send-recv has no in-place form/],
    [{ operation: 'all-reduce', 'in-place': true, inputs: 'clean' }, /--in-place overwrites its inputs/],
    [{ operation: 'all-reduce', sync: 'none', inputs: 'fresh' }, /--sync none runs calls into each other/],
    [{ operation: 'all-reduce', pin: true, ranks: '8' }, /--pin needs a CPU for each of 8 ranks/],
    [{ operation: 'barrier', bytes: '8' }, /a barrier moves no data: leave --bytes out/],
    [{ operation: 'barrier', dtype: 'int8' }, /a barrier moves no data: leave --dtype out/],
    [
      { operation: 'all-reduce', redop: 'avg', dtype: 'int8', ranks: '200' },
      /cannot be checked: use at most 127/,
    ],
  ])('refuse %j', (flags, says) => {
    expect(() => casesOf(flags)).toThrow(says);
  });
});

describe('one rank', () => {
  const workOf = (flags: Record<string, unknown>) =>
    casesOf({ operation: 'broadcast', bytes: '64MiB', ...flags }).map((one) => collective.work(one).bytes);

  it('in place does no work, as a barrier: nothing has to move, and a call may do nothing', () => {
    expect(workOf({ ranks: '1', 'in-place': true })).toEqual([0]);
    expect(workOf({ ranks: '1', operation: 'all-reduce', 'in-place': true })).toEqual([0]);
    expect(workOf({ ranks: '1' })).toEqual([64 * 2 ** 20]);
    expect(workOf({ ranks: '2', 'in-place': true })).toEqual([64 * 2 ** 20]);
  });
});

describe('how long a rank is waited for', () => {
  const patience = (flags: Record<string, unknown>) => {
    const [one] = casesOf({ operation: 'all-reduce', ...flags });
    const job = collective.nativeWorkload(one ?? {}, { cpus: [], gpu: null }, null, 1);
    return job.parameters.patienceSeconds;
  };

  it('grows with what is exchanged: an exchange that is slow for its size is no loss', () => {
    expect(patience({ bytes: '1MiB' })).toBe(10);
    // Over 1 Gbit/s this takes half a minute or more.
    expect(patience({ bytes: '4GiB', ranks: '2' })).toBe(10 + Math.round((2 * 2 ** 32) / 1e8));
    expect(patience({ bytes: '64MiB', ranks: '2', sync: 'none' })).toBe(
      10 + Math.round((20 * 2 ** 27) / 1e8),
    );
  });
});

describe('the cases of MPI in a scheduler’s step', () => {
  const STEP = { SLURM_PROCID: '0', SLURM_STEP_ID: '0', SLURM_STEP_NUM_TASKS: '1', SLURM_JOB_ID: '7' };

  /** On a system with a launcher and a library. */
  const casesIn = (environment: Readonly<Record<string, string>>, flags: Record<string, unknown> = {}) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const chosen = (_: unknown, place: MpiPlace | null) => ({
      library: '/usr/lib/libmpi.so.40',
      launcher: place === null ? '/usr/bin/mpirun' : `within ${place.launcher}`,
    });
    const here = { chooseMpiHere: chosen, startsOnlyHere: () => false };
    return withModule('src/mpi/here.ts', here, async () => {
      const module = await import('../../src/indicators/collective.js');
      return module.collective.fromFlags(
        { operation: 'all-reduce', transport: 'mpi', ...flags },
        machineOf(),
      );
    });
  };

  it.each([
    ['Slurm', STEP],
    ['Flux', { FLUX_TASK_RANK: '0', FLUX_JOB_SIZE: '1' }],
  ])('of one task of %s have ranks of their own: a shell in a job is such a step', async (_, environment) => {
    expect((await casesIn(environment))[0]).toMatchObject({ ranks: 2, launcher: '/usr/bin/mpirun' });
    expect((await casesIn({}, { ranks: '4' }))[0]).toMatchObject({ ranks: 4, launcher: '/usr/bin/mpirun' });
  });

  it('of several tasks have these, and no others', async () => {
    const several = { ...STEP, SLURM_STEP_NUM_TASKS: '2' };
    expect((await casesIn(several))[0]).toMatchObject({ ranks: 2, launcher: 'within slurm' });
    await expect(casesIn({}, { ranks: '4' })).rejects.toThrow('slurm has started 2: leave --ranks out');
  });
});

describe('the cases of MPI whose ranks a launcher has started', () => {
  const byMpi = (flags: Record<string, unknown> = {}) =>
    casesOf({
      operation: 'all-reduce',
      bytes: '1MiB',
      transport: 'mpi',
      'mpi-library': process.execPath,
      ...flags,
    });

  it('have as many on this host as it says', () => {
    vi.stubEnv('OMPI_COMM_WORLD_RANK', '0');
    vi.stubEnv('OMPI_COMM_WORLD_SIZE', '32');
    vi.stubEnv('OMPI_COMM_WORLD_LOCAL_RANK', '0');
    vi.stubEnv('OMPI_COMM_WORLD_LOCAL_SIZE', '2');
    const [one] = byMpi();
    expect(one).toMatchObject({ ranks: 32, perHost: 2, pin: true });
    expect(collective.threads(one ?? {})).toBe(2);
  });

  it('may have the root among those of this host, however few they are', () => {
    vi.stubEnv('OMPI_COMM_WORLD_RANK', '0');
    vi.stubEnv('OMPI_COMM_WORLD_SIZE', '32');
    vi.stubEnv('OMPI_COMM_WORLD_LOCAL_RANK', '0');
    vi.stubEnv('OMPI_COMM_WORLD_LOCAL_SIZE', '1');
    const gigabytes = (operation: string) =>
      Math.floor(collective.memory(byMpi({ operation, bytes: '8GiB' })[0] ?? {}) / 2 ** 30);
    // The root's output is 8 GiB, its input a block of them; beside them the ceiling has 1 GiB.
    expect(gigabytes('gather')).toBe(9);
    expect(gigabytes('all-gather')).toBe(9);
    expect(gigabytes('reduce')).toBe(17);
  });

  it('have no number on this host where it does not say, and nothing is refused for what is not known', () => {
    vi.stubEnv('PMI_RANK', '0');
    vi.stubEnv('PMI_SIZE', '32');
    const [one] = byMpi({ pin: true });
    expect(one).toMatchObject({ ranks: 32, pin: true });
    expect(one).not.toHaveProperty('perHost');
    expect(byMpi()[0]).toMatchObject({ pin: false });
    const memory = collective.memory(one ?? {});
    expect(memory).toBe(0);
    expect(collective.threads(one ?? {})).toBe(1);
  });
});

describe('the cases of a collective between GPUs', () => {
  const gpu = (ordinal: number) => ({ ordinal }) as GpuDescription;
  const machine = { ...machineOf(), gpus: { devices: [gpu(0), gpu(1), gpu(2)] } as unknown as GpuSurvey };
  const onGpus = (flags: Record<string, unknown>) =>
    collective.fromFlags({ operation: 'all-reduce', bytes: '8', device: 'cuda:0', ...flags }, machine);

  it('have a rank for each GPU from the one that is named on, and NCCL as their stack', () => {
    expect(onGpus({})).toMatchObject([{ transport: 'nccl', ranks: 3, workers: 'threads', pin: false }]);
    expect(onGpus({ device: 'cuda:1' })).toMatchObject([{ ranks: 2 }]);
    expect(onGpus({ device: 'cuda:2' })).toMatchObject([{ ranks: 1 }]);
    expect(collective.usualStack?.({ device: 'cuda:all' })).toBe('nccl');
    expect(collective.usualStack?.({ device: 'cpu' })).toBeNull();
  });

  it.each([
    [{ ranks: '4' }, /--ranks 4 takes a GPU for each from cuda:0 on, and there are 3/],
    [{ device: 'cuda:2', ranks: '2' }, /from cuda:2 on, and there is 1/],
    [{ transport: 'shm' }, /--transport shm is of ranks on the CPU: leave --device out/],
    [{ device: 'cpu', transport: 'nccl' }, /--transport nccl is of ranks on GPUs: add --device cuda:all/],
    [{ workers: 'processes' }, /ranks of --transport nccl are threads, one for each GPU/],
    [{ pin: true }, /ranks of --transport nccl are GPUs: leave --pin out/],
    [{ algorithm: 'lines' }, /NCCL chooses its algorithms itself/],
    [{ operation: 'barrier', bytes: undefined }, /NCCL has no barrier: use --transport shm/],
    [{ operation: 'all-to-all', bytes: '24', 'in-place': true }, /NCCL has no all-to-all in place/],
  ])('refuse %j', (flags, says) => {
    expect(() => onGpus(flags)).toThrow(says);
  });
});

describe('averages between GPUs', () => {
  const machine = (gpus: number) => {
    const devices = Array.from({ length: gpus }, (_, ordinal) => ({ ordinal }) as GpuDescription);
    return { ...machineOf(), gpus: { devices } as unknown as GpuSurvey };
  };
  const averaged = (dtype: string, gpus: number) => () =>
    collective.fromFlags(
      { operation: 'all-reduce', redop: 'avg', dtype, bytes: '64', device: 'cuda:0' },
      machine(gpus),
    );

  it('are measured unless they round so much that a missing rank could not be seen', () => {
    const most = { float32: 256, float64: 256, bfloat16: 10, float16: 31, float8_e4m3: 2, int32: 256 };
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(most) as (keyof typeof most)[])),
        fc.integer({ min: 1, max: 256 }),
        (dtype, gpus) => {
          const whole = Number.isInteger(Math.log2(gpus));
          const fits = gpus <= (whole ? (dtype === 'float8_e4m3' ? 16 : 256) : most[dtype]);
          if (fits) expect(averaged(dtype, gpus)()).toHaveLength(1);
          else expect(averaged(dtype, gpus)).toThrow(/could not be checked|cannot be checked/);
        },
      ),
    );
    expect(averaged('float16', 33)).toThrow(/NCCL multiplies by 1\/33 before it adds.* use --redop sum/);
  });
});

describe('the cases of a collective by Gloo', () => {
  const byGloo = (flags: Record<string, unknown>) =>
    casesOf({ operation: 'all-reduce', bytes: '64', transport: 'gloo', ...flags });

  it('have processes as ranks, and Gloo as their stack', () => {
    expect(byGloo({})).toMatchObject([{ transport: 'gloo', workers: 'processes', algorithm: 'auto' }]);
    expect(collective.usualStack?.({ transport: 'gloo' })).toBe('gloo');
    const [one] = byGloo({});
    expect(collective.title(one ?? {})).toBe('all-reduce float32 sum 64 B, 2 ranks (Gloo), pinned');
  });

  it('of reduce-scatter are in place, as Gloo has it', () => {
    expect(byGloo({ operation: 'reduce-scatter' })).toMatchObject([{ inPlace: true }]);
    expect(byGloo({})).toMatchObject([{ inPlace: false }]);
  });

  it.each([
    [{ workers: 'threads' }, /ranks of --transport gloo are processes: leave --workers out/],
    [{ redop: 'avg' }, /Gloo has no average: use --redop sum/],
    [{ dtype: 'bfloat16' }, /Gloo cannot compute with bfloat16: use float16/],
    [{ dtype: 'float8_e4m3' }, /Gloo cannot compute with float8_e4m3/],
    [{ operation: 'all-to-all', 'in-place': true }, /Gloo has no all-to-all in place/],
    [{ operation: 'reduce-scatter', 'in-place': false }, /Gloo’s reduce-scatter works in place/],
    [
      { operation: 'reduce-scatter', sync: 'none' },
      /^reduce-scatter of --transport gloo overwrites its inputs/,
    ],
    [{ algorithm: 'lines' }, /no algorithm lines for all-reduce: it has ring, bcube, halving-doubling/],
    [{ operation: 'broadcast', algorithm: 'ring' }, /no algorithm ring for broadcast: leave --algorithm out/],
    [{ algorithm: 'halving-doubling' }, /Gloo’s halving-doubling works in place: add --in-place/],
    [{ operation: 'reduce-scatter', bytes: '2GiB' }, /counts bytes in 32 bits: 2147483648 are too many/],
    [
      { transport: 'shm', algorithm: 'ring' },
      /--algorithm ring is of --transport gloo; shm has lines, direct/,
    ],
    [{ device: 'cuda:0' }, /--transport gloo is of ranks on the CPU: leave --device out/],
  ])('refuse %j', (flags, says) => {
    expect(() => byGloo(flags)).toThrow(says);
  });
});

describe('the bus factor', () => {
  it('is that of nccl-tests', () => {
    expect(busFactor('all-reduce', 4)).toBe(1.5);
    for (const operation of ['all-gather', 'reduce-scatter', 'all-to-all', 'gather', 'scatter'] as const)
      expect(busFactor(operation, 4)).toBe(0.75);
    for (const operation of ['broadcast', 'reduce', 'send-recv'] as const)
      expect(busFactor(operation, 4)).toBe(1);
  });
  it('is not known for one rank, which uses no bus', () => {
    for (const operation of OPERATIONS) expect(busFactor(operation, 1)).toBeNull();
  });
});
