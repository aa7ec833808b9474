/** A machine of two CPUs, and nothing else that matters to who asks it. */
import { describeMachine, type MachineDeps } from '../../src/machine/describe.js';
import type { GpuDescription, GpuSurvey } from '../../src/machine/gpus.js';
import type { CacheDescription, MachineDescription } from '../../src/machine/types.js';

const KIB = 1024;
const MIB = 1024 * KIB;

export const cache = (
  level: number,
  size: number,
  sharedBy: number,
  instances: number,
): CacheDescription => ({
  level,
  type: level === 1 ? 'data' : 'unified',
  size,
  line: 64,
  sharedBy,
  instances,
});

export const CACHES = [cache(1, 32 * KIB, 1, 2), cache(2, MIB, 1, 2), cache(3, 32 * MIB, 2, 1)];

/** A process of which nothing is known. */
export const NOTHING_TOLD: MachineDeps = {
  architecture: 'x64',
  nodeVersion: 'v24.0.0',
  v8Version: null,
  glibcVersion: null,
  getconf: () => null,
  env: {},
};

export function machineOf(limits: Partial<MachineDescription['limits']> = {}): MachineDescription {
  const bare = describeMachine(() => null, NOTHING_TOLD);
  return {
    ...bare,
    cpu: { ...bare.cpu, caches: CACHES, cachesFrom: 'kernel', threads: 2, cores: 2 },
    memory: { ...bare.memory, available: 16 * 1024 * MIB },
    limits: { ...bare.limits, allowedCpus: '0-1', cgroupTold: true, ...limits },
  };
}

/** The same with these GPUs, whose driver tells of nothing wrong. */
export const machineWithGpus = (...devices: readonly GpuDescription[]) => ({
  ...machineOf(),
  gpus: { problem: null, cuda: '13.0', library: 'libcuda.so.1', devices } satisfies GpuSurvey,
});
