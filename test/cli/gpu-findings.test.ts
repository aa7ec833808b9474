/** What `doctor` says of GPUs that the driver shows, and of those that it does not. */
import { describe, expect, it } from 'vitest';
import { gpuFindings } from '../../src/cli/gpu-findings.js';
import type { PciGpus } from '../../src/machine/pci-gpus.js';
import { gpu, survey } from '../qualify/support.js';
import { machineOf } from '../support/machine.js';

const machine = (hiddenBy: PciGpus['hiddenBy'], shown = 1) => ({
  ...machineOf(),
  gpus: shown === 0 ? { ...survey(), problem: 'no libcuda.so.1' } : survey(gpu({ pciBusId: '0000:01:00.0' })),
  pciGpus: { addresses: ['0000:01:00.0', '0000:4b:00.0'], hiddenBy },
});
const about = (...asked: Parameters<typeof machine>) =>
  gpuFindings(machine(...asked)).filter(({ name }) => name.startsWith('GPU 0000'));

describe('a GPU on PCI that the driver does not show', () => {
  it('is a fault, and named by its address', () => {
    expect(about(null)).toEqual([
      { name: 'GPU 0000:4b:00.0', ok: false, text: 'on PCI, and the driver does not show it' },
    ]);
  });

  it('is one also where no driver is loaded', () => {
    expect(about(null, 0).map(({ name, ok }) => [name, ok])).toEqual([
      ['GPU 0000:01:00.0', false],
      ['GPU 0000:4b:00.0', false],
    ]);
  });

  it('is none where something may keep it from this process', () => {
    expect(about('CUDA_VISIBLE_DEVICES=0')).toEqual([
      {
        name: 'GPU 0000:4b:00.0',
        ok: null,
        text: 'on PCI, and the driver does not show it, which may be by CUDA_VISIBLE_DEVICES=0',
      },
    ]);
  });
});

it('nothing is said where nobody asked the driver', () => {
  expect(gpuFindings(machineOf())).toEqual([]);
});
