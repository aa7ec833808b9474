/** What is known of a framework's threads: what it says itself, and how many are there. */
import { describe, expect, it } from 'vitest';
import type { OpenedFramework, Packages, PreparedProduct } from '../../src/frameworks/adapter.js';
import { identityInUse } from '../../src/frameworks/identity.js';
import type { FrameworkJob, Job } from '../../src/inspection/job.js';
import type { HostedThreads } from '../../src/native.js';
import { withModule } from '../support/mocked.js';

/** A process in which every library is that is looked for. */
const withLibraries = <T>(load: () => Promise<T>): Promise<T> =>
  withModule('src/frameworks/mapped.ts', { mappedFile: () => process.execPath }, load);

const packagesOf = (loaded: object): Packages => ({ load: () => loaded, folder: () => '/packages' });

describe('the threads that a framework was told', () => {
  it('are not what it says of itself: ONNX Runtime does not tell', async () => {
    const { open } = await withLibraries(() => import('../../src/frameworks/onnxruntime.js'));
    const opened = await open(packagesOf({ env: { versions: { common: '1.0.0' } } }), 'cpu', 2);
    expect(opened.threads).toBeNull();
  });

  it('are not what it says of itself: libtensorflow does not tell', async () => {
    const { open } = await withLibraries(() => import('../../src/frameworks/tfjs.js'));
    const tf = { setBackend: async () => true, getBackend: () => 'tensorflow', version: {} };
    expect((await open(packagesOf(tf), 'tensorflow', 2)).threads).toBeNull();
  });
});

it('of the threads that were asked for it is said how many are there, and not how many compute', () => {
  const implementationOf = (found: readonly number[]) =>
    identityInUse(
      {
        case: { parameters: { threads: 2 } },
        stack: { path: process.execPath },
        native: { parameters: {} },
      } as unknown as Job,
      { threads: 2 } as FrameworkJob,
      { version: '1', chose: null, binary: process.execPath } as OpenedFramework,
      { implementation: 'MatMul', timed: 'nothing' } as PreparedProduct,
      { ids: found, binding: 'together', watched: false } as unknown as HostedThreads,
    ).implementation;
  expect(implementationOf([1])).toBe('MatMul, 1 of 2 threads there');
  expect(implementationOf([1, 2])).toBe('MatMul');
});
