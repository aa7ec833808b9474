/** NVIDIA's GPUs as the kernel shows them on PCI: also one that the driver does not show, or where no driver is loaded. */
import { type FileReader, readTrimmed } from './linux/reader.js';

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
  const { CUDA_VISIBLE_DEVICES: shown, SLURM_JOB_ID: job } = env;
  // A job of Slurm may have been given some of the node's GPUs, and no others are shown to it.
  const hiddenBy =
    shown !== undefined
      ? `CUDA_VISIBLE_DEVICES=${shown}`
      : job !== undefined
        ? 'the job of Slurm, which shows its own'
        : null;
  return { addresses, hiddenBy };
}
