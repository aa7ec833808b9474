/** Which machine it was, for a person: by the labels of its record. Pure. */
import { limitIsRequest } from '../readers/terminal/imported.js';
import type { PiBenchRecord } from '../record/schema.js';

export type MachineRow = readonly [name: string, text: string];

const MACHINE: readonly (readonly [name: string, label: string])[] = [
  ['CPU', 'cpu_model'],
  ['CPUs', 'cpus'],
  ['GPUs', 'gpus'],
  ['GPU driver', 'gpu_driver'],
  ['architecture', 'architecture'],
  ['quota of CPUs', 'cgroup_cpu_quota'],
  ['hypervisor', 'hypervisor'],
  ['container', 'container'],
  ['system', 'os'],
  ['kernel', 'kernel'],
  ['governor', 'governor'],
  ['clock', 'clocksource'],
  ['host', 'hostname'],
  ['machine id', 'machine'],
];

/** null: not known. */
export const textLabel = ({ labels }: PiBenchRecord, name: string): string | null =>
  labels[name] == null ? null : String(labels[name]);

export function machineOf(record: PiBenchRecord): readonly MachineRow[] {
  const requested = limitIsRequest(record);
  return MACHINE.flatMap(([name, label]) => {
    const value = textLabel(record, label);
    if (value === null) return [];
    return [[requested && label === 'cgroup_cpu_quota' ? 'CPUs requested' : name, value] as const];
  });
}
