/** What is easily forgotten: a pod has the GPUs that it asks for, and no others. Pure. */
import { asksForGpu } from '../devices/device.js';
import { argumentOf } from '../mpi/rendezvous.js';
import type { Settings } from './scheduler.js';

/** By its own words; what is in a file that it names is not looked at. */
const isForGpus = (command: readonly string[]): boolean =>
  asksForGpu(argumentOf(command, '--device') ?? '') ||
  /(?:^|,)\s*gpu\s*=\s*0*[1-9]/.test(argumentOf(command, '--expect') ?? '');

/** Devices are resources that somebody has added to a cluster, as `nvidia.com/gpu`; those of Kubernetes itself have no domain. */
const asksForDevices = ({ limits }: Settings): boolean =>
  Array.isArray(limits) && limits.some((pair: string) => pair.slice(0, pair.indexOf('=')).includes('/'));

/** null: there is nothing to say. */
export const gpuHint = (settings: Settings, command: readonly string[]): string | null =>
  isForGpus(command) && !asksForDevices(settings)
    ? 'this command is for GPUs, and most clusters show a pod none that it does not ask for: --limits nvidia.com/gpu=8 asks for eight'
    : null;
