/** Whether launches find the memory that they take, looked at before anything is allocated. */
import { asksForNode } from '../devices/cpu-parts.js';
import { isGpu, ordinalOf } from '../devices/device.js';
import { machineOn } from '../devices/machine-on-part.js';
import { UserError } from '../errors.js';
import { findIndicator } from '../indicators/index.js';
import type { Indicator } from '../indicators/indicator.js';
import { availableMemory } from '../machine/capacity.js';
import type { MachineDescription } from '../machine/types.js';
import { formatBytes, plural } from '../quantities/format.js';
import { groupsOf } from '../record/at-once.js';
import type { BatchSpec } from '../record/schema.js';

/** Of a worker besides its operands: Node.js and the addon. */
const PROCESS_BYTES = 80 * 2 ** 20;
/** Bytes that a sample takes in the addon and in JavaScript together. */
const SAMPLE_BYTES = 64;

/** What a launch has a place for from the start. */
const mostSamples = ({ sampling }: BatchSpec): number =>
  sampling.kind === 'fixed' ? sampling.repetitions : sampling.most;

/** @throws UserError when a launch would need more memory than there is; on a NUMA node, than that has: the rest would be another's. */
export function checkMemory(indicator: Indicator, batch: BatchSpec, machine: MachineDescription): void {
  const { device, sampling, case: one } = batch;
  const operands = indicator.memory(one.parameters);
  const samples = mostSamples(batch) * SAMPLE_BYTES;
  const needed = operands + samples;
  const there = availableMemory(machineOn(device, machine));
  if (there === null || needed <= there) return;
  const where = asksForNode(device) ? ` on ${device}` : '';
  const fewer = sampling.kind === 'fixed' ? 'ask for fewer with --reps' : 'give a shorter --duration';
  const remedy =
    samples > operands
      ? `most of that is for ${plural(mostSamples(batch), 'sample')}, so ${fewer}`
      : (indicator.lessMemory?.(one.parameters) ?? 'choose a smaller size');
  throw new UserError(
    `${indicator.title(one.parameters)} needs ${formatBytes(needed)} of memory and ${formatBytes(there)} is free${where}: ${remedy}`,
  );
}

/** @throws UserError when a launch would need more memory than its GPU has. */
export function checkGpuMemory(
  indicator: Indicator,
  { device, case: one }: BatchSpec,
  machine: MachineDescription,
): void {
  if (!isGpu(device)) return;
  const gpu = machine.gpus?.devices.find(({ ordinal }) => ordinal === ordinalOf(device));
  if (gpu === undefined) return;
  const needed = indicator.gpuMemory?.(one.parameters, gpu.l2Bytes) ?? 0;
  if (needed <= gpu.memoryBytes) return;
  throw new UserError(
    `${indicator.title(one.parameters)} needs ${formatBytes(needed)} of memory on ${device}, which has ${formatBytes(gpu.memoryBytes)}: choose a smaller size`,
  );
}

/** @throws UserError when launches at once would need more memory than there is. */
export function checkMemoryAtOnce(batches: readonly BatchSpec[], machine: MachineDescription): void {
  const there = availableMemory(machine);
  groupsOf(batches).forEach((group, i) => {
    if (group[0] !== i || group.length < 2 || there === null) return;
    const all = group.flatMap((member) => batches[member] ?? []);
    const needed = all.reduce(
      (sum, batch) =>
        sum +
        findIndicator(batch.case.indicator).memory(batch.case.parameters) +
        mostSamples(batch) * SAMPLE_BYTES +
        PROCESS_BYTES,
      0,
    );
    if (needed <= there) return;
    throw new UserError(
      `--at-once: ${plural(group.length, 'launch', 'launches')} at the same time need ${formatBytes(needed)} of memory and ${formatBytes(there)} is free: choose a smaller size`,
    );
  });
}
