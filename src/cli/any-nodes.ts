/**
 * Machines that stand for nodes which are elsewhere: between them is whatever a command can ask a node for. What is here says nothing
 * of the nodes. Pure.
 */
import { gpuNamed } from '../devices/device.js';
import { describeMachine } from '../machine/describe.js';
import type { GpuDescription } from '../machine/gpus.js';
import type { MachineDescription } from '../machine/types.js';
import type { Bytes } from '../units.js';

const ENOUGH: Bytes = 2 ** 50;

const gpuOf = (ordinal: number): GpuDescription => ({
  ordinal,
  name: 'any',
  uuid: gpuNamed(ordinal),
  pciBusId: '',
  computeCapability: '9.0',
  multiprocessors: 128,
  l2Bytes: 2 ** 25,
  memoryBytes: ENOUGH,
  freeBytes: ENOUGH,
  memoryBusBits: 1,
  asyncEngines: 2,
  nvmlProblem: null,
});

function machineOf(nodes: number, cpusOfEach: number, gpus: number): MachineDescription {
  const told = { architecture: 'x64', nodeVersion: 'v20.0.0', v8Version: null, glibcVersion: null };
  const bare = describeMachine(() => null, { ...told, getconf: () => null, env: {} });
  const numaNodes = Array.from({ length: nodes }, (_, node) => ({
    node,
    cpus: `${node * cpusOfEach}-${(node + 1) * cpusOfEach - 1}`,
    total: ENOUGH,
    available: ENOUGH,
  }));
  return {
    ...bare,
    memory: { ...bare.memory, available: ENOUGH, numaNodes },
    limits: { ...bare.limits, allowedCpus: `0-${nodes * cpusOfEach - 1}` },
    gpus: {
      problem: null,
      cuda: null,
      library: null,
      devices: Array.from({ length: gpus }, (_, ordinal) => gpuOf(ordinal)),
    },
  };
}

/** A small one, for what takes few ranks, and as large as threads can be counted: of large NUMA nodes, and of many. */
export const anyNodes = (): readonly MachineDescription[] => [
  machineOf(2, 1, 2),
  machineOf(16, 256, 32),
  machineOf(64, 64, 32),
];
