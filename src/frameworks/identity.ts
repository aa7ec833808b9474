/** What a framework is: by the files of its packages, and by what it says once it is loaded. */
import { readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { FrameworkJob, Job } from '../inspection/job.js';
import type { HostedThreads } from '../native.js';
import { plural } from '../quantities/format.js';
import { sha256 } from '../record/digest.js';
import type { StackIdentity } from '../record/schema.js';
import type { OpenedFramework, PreparedProduct } from './adapter.js';
import type { FrameworkOutcome } from './outcome.js';

/** Of a file whose code computes. */
export function binaryIdentity(path: string): Pick<StackIdentity, 'file' | 'path' | 'sha256'> {
  const real = realpathSync(path);
  return { file: basename(real), path: real, sha256: sha256(readFileSync(real)) };
}

/** What the launch knows better than the campaign that asked for it. */
export function identityInUse(
  { case: { parameters }, stack, native }: Job,
  framework: FrameworkJob,
  { version, chose, binary }: OpenedFramework,
  { implementation, timed }: PreparedProduct,
  { ids, binding }: HostedThreads,
): Pick<FrameworkOutcome, 'implementation' | 'library' | 'identity'> {
  const asked = Number(native.parameters.threads ?? parameters.threads);
  // How many of them compute nobody sees.
  const there = Math.min(framework.threads, ids.length);
  const fewer = there < asked ? `, ${there} of ${plural(asked, 'thread')} there` : '';
  return {
    implementation: `${implementation}${fewer}`,
    library: { version, chose, binding },
    identity: {
      // Hashing a large library again in each launch would be time for nothing.
      ...(realpathSync(binary) === stack.path ? {} : binaryIdentity(binary)),
      timed,
      threads: { set: framework.threads, found: ids.length },
    },
  };
}
