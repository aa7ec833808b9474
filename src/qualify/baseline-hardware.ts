/** Hardware that a CPU's name does not tell: virtual machines call CPUs of three generations alike. Pure. */
import type { MachineDescription } from '../machine/types.js';
import { machineLabels } from '../record/labels.js';
import type { Labels } from '../record/schema.js';
import type { BaselineDevice } from './baseline-schema.js';

/** What a fault of a node or a setting of its firmware changes, and makes it no node of another kind. */
export const COUNTS = ['sockets', 'cores', 'smt', 'numa_nodes'] as const;

/** Of a record's labels, in the order in which a difference is told. */
const FACTS = ['architecture', 'cpu_vendor', 'cpu_family_model_stepping', ...COUNTS] as const;

export type Hardware = Readonly<Record<string, string | number | boolean>>;

/** A device that is to be judged, with its machine's hardware; left out: not known. */
export type DeviceHere = BaselineDevice & { readonly hardware?: Hardware };

/** Where a part of what CPUID tells is hidden nothing is known of the whole. */
const isKnown = (value: Labels[string] | undefined): value is string | number | boolean =>
  value !== undefined && value !== null && !(typeof value === 'string' && value.includes('?'));

/** @param labels of a record, or the hardware of a fleet's node */
export const hardwareIn = (labels: Labels): Hardware =>
  Object.fromEntries(
    FACTS.flatMap((name) => {
      const value = labels[name];
      return isKnown(value) ? [[name, value]] : [];
    }),
  );

export const hardwareOf = (machine: MachineDescription): Hardware =>
  hardwareIn(machineLabels(machine, { version: '', commit: null }, ''));

/** On which all of them agree who know it. */
export const commonHardware = (all: readonly Hardware[]): Hardware =>
  Object.fromEntries(
    FACTS.flatMap((name) => {
      const [value, ...others] = new Set(all.flatMap((one) => one[name] ?? []));
      return value === undefined || others.length > 0 ? [] : [[name, value]];
    }),
  );

/** What both know. */
const shared = (theirs: Hardware, here: Hardware): readonly string[] =>
  FACTS.filter((name) => theirs[name] !== undefined && here[name] !== undefined);

/** `sockets is 1 there and 2 here`; null: nothing that both know differs. */
export function hardwareDifference(
  theirs: Hardware,
  here: Hardware,
  across: readonly string[],
): string | null {
  const name = shared(theirs, here).find((one) => theirs[one] !== here[one] && !across.includes(one));
  return name === undefined ? null : `${name} is ${theirs[name]} there and ${here[name]} here`;
}

/** Whether anything could be compared. */
export const isHardwareKnown = (theirs: Hardware | undefined, here: Hardware | undefined): boolean =>
  theirs !== undefined && here !== undefined && shared(theirs, here).length > 0;
