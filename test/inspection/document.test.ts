/** What an inspection's document says of the environment that it was measured in, and of what threads read beside it. */
import { expect, it } from 'vitest';
import { makeDocument } from '../../src/inspection/document.js';
import type { Job } from '../../src/inspection/job.js';
import { written } from '../../src/record/schema.js';
import { matmulCase } from '../support/batch.js';

const STACK = { provider: 'embedded', variant: null, version: '0.0.0', file: null, sha256: null };
const NOTHING = { at: 0, files: {} };

type Outcome = Parameters<typeof makeDocument>[1];

/** Of a launch in which nothing else happened. */
function documentOf(
  told: Partial<Outcome>,
  environment: Readonly<Record<string, string>> = {},
  more: Partial<Job> = {},
) {
  const job = {
    campaign: 'c',
    case: matmulCase(),
    stack: STACK,
    ownFolders: [],
    allowedCpus: [0],
    cpus: [],
    native: {},
    ...more,
  } as unknown as Job;
  const outcome = {
    library: null,
    implementation: 'avx2',
    spans: [],
    threadIds: [],
    before: NOTHING,
    after: NOTHING,
    samples: { seconds: new Float64Array(), disturbed: null },
    clock: {},
    warmup: { seconds: new Float64Array() },
    verification: null,
    ...told,
  } as unknown as Outcome;
  const moments = { environment, loaded: [] } as unknown as Parameters<typeof makeDocument>[2];
  return makeDocument(job, outcome, moments, { file: 'f', sha256: 's' });
}

function stackOf(
  library: Outcome['library'],
  environment: Readonly<Record<string, string>>,
  more: Partial<Job> = {},
) {
  const { stack } = documentOf({ library }, environment, more);
  expect(written.inspection.shape.stack.safeParse(stack).error).toBeUndefined();
  return stack;
}

it('has the environment of a library', () => {
  const library = { version: '1', chose: 'Haswell', binding: 'none' } as const;
  expect(stackOf(library, { OMP_NUM_THREADS: '2' })).toMatchObject({
    version: '1',
    chose: 'Haswell',
    environment: { OMP_NUM_THREADS: '2' },
  });
});

it('has that of our own kernels too: the C library’s allocator and the loader serve them as well', () => {
  const environment = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };
  expect(stackOf(null, environment)).toEqual({ ...STACK, implementation: 'avx2', environment });
});

it('has the MPI library of its ranks, whose calls are measured by ours', () => {
  const mpi = { version: 'Open MPI 4.1.4', path: '/usr/lib/libmpi.so.40', sha256: 'abc' };
  expect(stackOf(null, {}, { mpi })).toMatchObject({ provider: 'embedded', version: '0.0.0', mpi });
  expect(stackOf(null, {})).not.toHaveProperty('mpi');
});

it('says of Gloo’s version whose it is: the headers’ that its plugin was built with', () => {
  const library = { version: 'Gloo 0.5.0', chose: null, binding: 'none' } as const;
  const stack = { ...STACK, provider: 'gloo' };
  expect(stackOf(library, {}, { stack }).version).toBe('Gloo 0.5.0, by its plugin’s headers');
  expect(stackOf(library, {}).version).toBe('Gloo 0.5.0');
});

it('has the rate at which threads read beside the repetitions, of whole bytes, where there were any', () => {
  const told = { threads: 3, bytes: 1000.4, seconds: 0.5, by: 'avx2' };
  const { traffic } = documentOf({ traffic: told });
  expect(traffic).toEqual({ threads: 3, bytes: 1000, seconds: 0.5, rate: 2000, by: 'avx2' });
  expect(written.inspection.shape.traffic.safeParse(traffic).error).toBeUndefined();
  for (const none of [null, undefined]) {
    const outcome = none === undefined ? {} : { traffic: none };
    expect(documentOf(outcome)).not.toHaveProperty('traffic');
  }
});
