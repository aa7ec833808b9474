/**
 * Whether two descriptions are of one machine. The machine's id tells, but in containers: an image has none, or one that is the same
 * wherever it runs, and the host's name is the container's, new for each pod. What they see of the kernel and the hardware is the
 * host's. Pure.
 */
import type { Bytes } from '../units.js';
import type { MachineDescription } from './types.js';

/** `unknown`: of the same kind, and nothing tells one from another. */
export type Sameness = 'same' | 'other' | 'unknown';

/** The kernel keeps a little more or less for itself at each boot. */
const SAME_MEMORY = 0.01;

/**
 * What tells a machine from all others, at any time; null: nothing does. A container has the id of its image, which many machines run;
 * but one that is booted like a machine has its own.
 */
export const machineIdentity = (machine: MachineDescription): string | null =>
  hasIdOfImage(machine) ? null : machine.os.machineIdHash;

/** Whether /etc/machine-id is its image's, as far as it is there: that a site bound the host's into it cannot be told. */
export const hasIdOfImage = ({
  virtualisation: { container },
}: Pick<MachineDescription, 'virtualisation'>): boolean => container !== null && container !== 'lxc';

const isContainer = ({ virtualisation }: MachineDescription): boolean => virtualisation.container !== null;

/** Whether it is a process's container, whose kernel is the host's in every file, and not one that is booted like a machine. */
const hasOnlyKernelOfHost = ({
  virtualisation: { container, booted = false },
  os,
}: MachineDescription): boolean =>
  container === 'docker' ||
  container === 'podman' ||
  container === 'kubernetes' ||
  container === 'apptainer' ||
  // Its id may be its image's, but where an init makes one.
  (container === 'other' && (os.machineIdHash === null || !booted));

const differ = <T>(a: T | null, b: T | null): boolean => a !== null && b !== null && a !== b;

/** Whether by more than a boot explains. */
export function memoryDiffers(a: Bytes | null, b: Bytes | null): boolean {
  return a !== null && b !== null && Math.abs(a - b) > SAME_MEMORY * Math.max(a, b);
}

const nodesOf = ({ memory }: MachineDescription): string =>
  memory.numaNodes.map(({ node, cpus }) => `${node}: ${cpus}`).join('; ');

const hardwareDiffers = (a: MachineDescription, b: MachineDescription): boolean =>
  memoryDiffers(a.memory.total, b.memory.total) ||
  nodesOf(a) !== nodesOf(b) ||
  differ(a.virtualisation.product, b.virtualisation.product);

export function sameMachine(a: MachineDescription, b: MachineDescription): Sameness {
  if (a.cpu.modelName !== b.cpu.modelName) return 'other';
  // Ids of images tell nothing: one may have been built anew.
  const isTold = !hasOnlyKernelOfHost(a) || !hasOnlyKernelOfHost(b);
  if (isTold && a.os.machineIdHash !== b.os.machineIdHash) return 'other';
  const contained = isContainer(a) || isContainer(b);
  if (a.os.machineIdHash !== null && !contained) return 'same';
  const [boot, otherBoot] = [a.os.bootIdHash ?? null, b.os.bootIdHash ?? null];
  if (boot !== null && boot === otherBoot) return 'same';
  if (hardwareDiffers(a, b)) return 'other';
  // Booted anew, or another one: outside of containers the host's name tells.
  if (differ(boot, otherBoot) && (hasOnlyKernelOfHost(a) || hasOnlyKernelOfHost(b))) return 'unknown';
  return !contained && differ(a.os.hostname, b.os.hostname) ? 'other' : 'same';
}
