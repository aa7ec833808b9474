/** NVIDIA's GPUs as the kernel shows them on PCI: also one that the driver does not show, or where no driver is loaded. */
import { type FileReader, readTrimmed } from './linux/reader.js';
import type { MachineDescription } from './types.js';

export interface PciGpus {
  /** As in 0000:4b:00.0; those that are handed on to guests are left out. */
  readonly addresses: readonly string[];
  /** What may hide some of them from the driver's list in this process; null: nothing that is known here. */
  readonly hiddenBy: string | null;
}

export const PCI_DEVICES = '/sys/bus/pci/devices';
const NVIDIA = '0x10de';
/** Of display controllers: with and without a picture. */
const CLASS_OF_GPU = /^0x030[02]/;
const GIVEN_TO_GUESTS = /^DRIVER=(vfio|pci-?(stub|back))/m;

/** Prolog and epilog of a node, which are run outside of the job whose id they get (Slurm 22.05). */
const BY_SLURMD = /^(prolog|epilog)_slurmd$/;

function isGpu(reader: FileReader, folder: string): boolean {
  return (
    readTrimmed(reader, `${folder}/vendor`) === NVIDIA &&
    CLASS_OF_GPU.test(readTrimmed(reader, `${folder}/class`) ?? '') &&
    !GIVEN_TO_GUESTS.test(reader(`${folder}/uevent`) ?? '')
  );
}

/**
 * @param names of the entries of `PCI_DEVICES`
 * @returns null where there is none
 */
export function readPciGpus(
  reader: FileReader,
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): PciGpus | null {
  const addresses = names.filter((name) => isGpu(reader, `${PCI_DEVICES}/${name}`)).sort();
  if (addresses.length === 0) return null;
  const { CUDA_VISIBLE_DEVICES: shown, SLURM_JOB_ID: job, SLURM_SCRIPT_CONTEXT: context } = env;
  // A job of Slurm may have been given some of the node's GPUs, and no others are shown to it; but not to what slurmd itself runs around it.
  const isOfJob = job !== undefined && !BY_SLURMD.test(context ?? '');
  const hiddenBy =
    shown !== undefined
      ? `CUDA_VISIBLE_DEVICES=${shown}`
      : isOfJob
        ? 'the job of Slurm, which shows its own'
        : null;
  return { addresses, hiddenBy };
}

/** As the driver writes it, too: its letters are capitals, its domain may have more digits. */
const addressOf = (text: string): string => text.toLowerCase().replace(/^0+(?=[0-9a-f]{4}:)/, '');

/**
 * Those of them that the driver does not show: off the bus, without a driver, or kept from this process. null: it shows all.
 * @param machine whose driver was asked, or has nothing of it loaded
 */
export function gpusNotShown({
  gpus,
  pciGpus,
  virtualisation,
}: Pick<MachineDescription, 'gpus' | 'pciGpus' | 'virtualisation'>): PciGpus | null {
  const shown = new Set((gpus?.devices ?? []).map(({ pciBusId }) => addressOf(pciBusId)));
  const addresses = (pciGpus?.addresses ?? []).filter((address) => !shown.has(addressOf(address)));
  if (addresses.length === 0) return null;
  const ofContainer = virtualisation.container === null ? null : 'the container';
  return { addresses, hiddenBy: pciGpus?.hiddenBy ?? ofContainer };
}

export const notShownText = ({ hiddenBy }: PciGpus): string =>
  `on PCI, and the driver does not show it${hiddenBy === null ? '' : `, which may be by ${hiddenBy}`}`;
