/** The policy by which a process takes its memory, as numa_maps of Linux 6.18 wrote it for each mode. */
import { describe, expect, it } from 'vitest';
import { readLimits } from '../../src/machine/limits.js';
import { readMemoryPolicy } from '../../src/machine/linux/memory-policy.js';
import { readerOf } from './fixtures/reader-of.js';

const mapsOf = (policy: string) => ({
  '/proc/self/numa_maps': `5653eb9de000 ${policy} file=/usr/bin/node mapped=2 N0=2 kernelpagesize_kB=4\n5653eb9df000 ${policy} anon=1 dirty=1 N0=1 kernelpagesize_kB=4\n`,
});
const policyOf = (policy: string) => readMemoryPolicy(readerOf(mapsOf(policy)));

describe('a policy for memory', () => {
  it.each([
    ['bind:0-1', 'bind', '0-1'],
    ['bind=static:1', 'bind', '1'],
    ['bind=balancing:0', 'bind', '0'],
    ['prefer:1', 'prefer', '1'],
    ['prefer (many):0-1', 'prefer (many)', '0-1'],
    ['interleave:0,2', 'interleave', '0,2'],
    ['weighted interleave:0-3', 'weighted interleave', '0-3'],
  ])('is found: %s', (text, mode, nodes) => {
    expect(policyOf(text)).toEqual({ mode, nodes });
  });

  it.each(['default', 'local'])('is none that names nodes: %s', (text) => {
    expect(policyOf(text)).toBeNull();
  });

  it('is not known where the kernel has no such file', () => {
    expect(readMemoryPolicy(() => null)).toBeNull();
  });
});

describe('the nodes from which memory may be taken', () => {
  const limitsOf = (policy: string) =>
    readLimits(readerOf({ '/proc/self/status': 'Mems_allowed_list:\t0-1\n', ...mapsOf(policy) }));

  it('are those of the cpuset to which a policy binds', () => {
    expect(limitsOf('bind:1-2')).toMatchObject({ allowedNodes: '1', memoryPolicy: 'bind:1-2' });
    expect(limitsOf('default').allowedNodes).toBe('0-1');
    expect(limitsOf('default')).not.toHaveProperty('memoryPolicy');
  });

  it('are all of it under a policy that prefers some, or takes turns', () => {
    expect(limitsOf('interleave:0-1')).toMatchObject({ allowedNodes: '0-1', memoryPolicy: 'interleave:0-1' });
  });
});
