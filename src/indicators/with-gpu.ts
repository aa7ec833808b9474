/** An indicator that means other cases on a GPU than on the CPU: the same name and numbers, parameters of its own. */
import { asksForGpu } from '../devices/device.js';
import type { Bytes } from '../units.js';
import type { Indicator, Parameters } from './indicator.js';

/** What differs on a GPU. */
export interface GpuSide
  extends Pick<
    Indicator,
    'fromFlags' | 'check' | 'work' | 'memory' | 'dtype' | 'title' | 'rateUnit' | 'nativeWorkload'
  > {
  gpuMemory(parameters: Parameters, l2: Bytes): Bytes;
  /** Threads of the host that a case keeps busy; absent: one. */
  threads?(parameters: Parameters): number;
}

/** A case without threads is one of a GPU. */
const isGpuCase = ({ threads }: Parameters): boolean => threads === undefined;

/** @param cpu the indicator as the CPU has it */
export function withGpu(cpu: Indicator, gpu: GpuSide): Indicator {
  const side = (parameters: Parameters): GpuSide | Indicator => (isGpuCase(parameters) ? gpu : cpu);
  return {
    ...cpu,
    fromFlags: (flags, machine) =>
      (asksForGpu(String(flags.device ?? 'cpu')) ? gpu : cpu).fromFlags(flags, machine),
    check: (parameters) => side(parameters).check(parameters),
    work: (parameters) => side(parameters).work(parameters),
    memory: (parameters) => side(parameters).memory(parameters),
    gpuMemory: (parameters, l2) => (isGpuCase(parameters) ? gpu.gpuMemory(parameters, l2) : 0),
    threads: (parameters) =>
      isGpuCase(parameters) ? (gpu.threads?.(parameters) ?? 1) : cpu.threads(parameters),
    dtype: (parameters) => side(parameters).dtype(parameters),
    title: (parameters) => side(parameters).title(parameters),
    rateUnit: (parameters) => side(parameters).rateUnit(parameters),
    nativeWorkload: (parameters, placement, variant, seed) =>
      side(parameters).nativeWorkload(parameters, placement, variant, seed),
  };
}
