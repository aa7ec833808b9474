/** GPUs as sysfs has them. */
import { describe, expect, it } from 'vitest';
import { gpusNotShown, PCI_DEVICES, readPciGpus } from '../../src/machine/pci-gpus.js';
import { gpu, survey } from '../qualify/support.js';
import { machineOf } from '../support/machine.js';
import { type Files, readerOf } from './fixtures/reader-of.js';

const entry = (address: string, vendor: string, kind: string, driver = 'nvidia'): Files => ({
  [`${PCI_DEVICES}/${address}/vendor`]: `${vendor}\n`,
  [`${PCI_DEVICES}/${address}/class`]: `${kind}\n`,
  [`${PCI_DEVICES}/${address}/uevent`]: `DRIVER=${driver}\nPCI_CLASS=${kind.slice(2)}\n`,
});
const [DISPLAY, COMPUTE, SWITCH, SOUND] = ['0x030000', '0x030200', '0x068000', '0x040300'];
const files: Files = {
  ...entry('0000:4b:00.0', '0x10de', COMPUTE),
  ...entry('0000:01:00.0', '0x10de', DISPLAY),
  ...entry('0000:01:00.1', '0x10de', SOUND),
  ...entry('0000:02:00.0', '0x10de', SWITCH),
  ...entry('0000:03:00.0', '0x1a03', DISPLAY, 'ast'),
  ...entry('0000:5c:00.0', '0x10de', COMPUTE, 'vfio-pci'),
};
const names = [...new Set(Object.keys(files).map((path) => path.split('/').at(-2) ?? ''))];

it('are NVIDIA’s display controllers that no guest has, whether or not a driver shows them', () => {
  expect(readPciGpus(readerOf(files), names, {})).toEqual({
    addresses: ['0000:01:00.0', '0000:4b:00.0'],
    hiddenBy: null,
  });
  expect(readPciGpus(readerOf(files), [], {})).toBeNull();
});

it('may be hidden from this process by its environment', () => {
  const hiddenBy = (env: Record<string, string>) => readPciGpus(readerOf(files), names, env)?.hiddenBy;
  expect(hiddenBy({ CUDA_VISIBLE_DEVICES: '0', SLURM_JOB_ID: '7' })).toBe('CUDA_VISIBLE_DEVICES=0');
  expect(hiddenBy({ SLURM_JOB_ID: '7' })).toMatch(/Slurm/);
  expect(hiddenBy({ SLURM_JOB_ID: '7', SLURM_SCRIPT_CONTEXT: 'epilog_task' })).toMatch(/Slurm/);
  expect(hiddenBy({ SLURM_JOB_ID: '7', SLURM_SCRIPT_CONTEXT: 'epilog_slurmd' })).toBeNull();
});

describe('those that the driver does not show', () => {
  const addresses = ['0000:01:00.0', '0000:4b:00.0'];
  const notShown = (
    buses: readonly string[],
    hiddenBy: string | null = null,
    container: 'docker' | null = null,
  ) => {
    const machine = machineOf();
    return gpusNotShown({
      gpus: survey(...buses.map((pciBusId, ordinal) => gpu({ ordinal, pciBusId }))),
      pciGpus: { addresses, hiddenBy },
      virtualisation: { ...machine.virtualisation, container },
    });
  };

  it('are told by their addresses, which it writes in its own way', () => {
    expect(notShown(['00000000:01:00.0'])).toEqual({ addresses: ['0000:4b:00.0'], hiddenBy: null });
    expect(notShown(['00000000:01:00.0', '0000:4B:00.0'])).toBeNull();
    expect(notShown([])?.addresses).toEqual(addresses);
  });

  it('may be kept from this process', () => {
    expect(notShown([], 'CUDA_VISIBLE_DEVICES=0')?.hiddenBy).toBe('CUDA_VISIBLE_DEVICES=0');
    expect(notShown([], null, 'docker')?.hiddenBy).toBe('the container');
  });

  it('are none where the kernel shows none', () => {
    expect(gpusNotShown(machineOf())).toBeNull();
  });
});
