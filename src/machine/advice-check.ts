/** What a piece of advice is, and a check that gives one. */
import type { AllowedCores } from './allowed-cores.js';
import type { MachineDescription } from './types.js';

export interface Advice {
  /** A stable name of what the advice is about. */
  readonly topic: string;
  /** important: results can be wrong or misleading. worthwhile: they get steadier. note: good to know. */
  readonly level: 'important' | 'worthwhile' | 'note';
  readonly seen: string;
  readonly why: string;
  /** The exact command, or what to do where no command does it. */
  readonly action: string;
}

export type Check = (machine: MachineDescription, allowed: AllowedCores) => Advice | null;

/** A container cannot change the kernel's settings. */
export function fromContainer({ container }: MachineDescription['virtualisation']): string {
  return container === null ? '' : 'on the host: ';
}

/** A guest cannot change the hardware's settings either. */
export function fromGuest(virtualisation: MachineDescription['virtualisation']): string {
  return virtualisation.guest === true ? 'on the host: ' : fromContainer(virtualisation);
}
