/** The registry of frameworks' adapters: a new one is its file and its line here, and its stack in src/stacks. */

import type { FrameworkJob } from '../inspection/job.js';
import { plural } from '../quantities/format.js';
import type { OpenedFramework, OpenFramework } from './adapter.js';
import { findPackages } from './packages.js';

const ADAPTERS: Readonly<Record<FrameworkJob['provider'], () => Promise<{ readonly open: OpenFramework }>>> =
  {
    tfjs: () => import('./tfjs.js'),
    onnxruntime: () => import('./onnxruntime.js'),
  };

/** @throws Error where its packages are missing, cannot be loaded, or another backend answers */
export async function openFramework({
  provider,
  backend,
  packages,
  threads,
}: FrameworkJob): Promise<OpenedFramework> {
  const found = findPackages(packages);
  if ('missing' in found) {
    throw new Error(
      `${plural(found.missing.length, 'npm package')} not installed: ${found.missing.join(', ')}`,
    );
  }
  const { open } = await ADAPTERS[provider]();
  return open(found, backend, threads);
}
