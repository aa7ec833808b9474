/** What `doctor` says of the GPUs. */
import { gpuNamed } from '../devices/device.js';
import { gpusVisible } from '../devices/gpu-survey.js';
import type { GpuSurvey } from '../machine/gpus.js';
import { gpusNotShown, notShownText } from '../machine/pci-gpus.js';
import type { MachineDescription } from '../machine/types.js';
import { gpuKernels } from '../native.js';
import { gpuKernelsProblem } from '../stacks/embedded.js';

/** Of anything that `doctor` looks for. */
export interface Finding {
  readonly name: string;
  /** null: it is not there, which is no fault, and nothing that works. */
  readonly ok: boolean | null;
  readonly text: string;
}

/** That there is no GPU is no fault; one that pi-bench cannot use is, and the kernels for it belong to the build. */
export const gpuFindings = (machine: MachineDescription): readonly Finding[] =>
  machine.gpus === undefined ? [] : [...shownFindings(machine.gpus), ...notShownFindings(machine)];

function shownFindings({ devices, problem, cuda, library }: GpuSurvey): readonly Finding[] {
  if (devices.length === 0)
    return [
      { name: 'GPU', ok: gpusVisible() ? false : null, text: `none: ${problem ?? 'the driver shows none'}` },
    ];
  const kernels = gpuKernelsProblem();
  return [
    ...devices.map(({ ordinal, name, computeCapability, nvmlProblem }) => ({
      name: gpuNamed(ordinal),
      ok: nvmlProblem === null,
      text: `${name}, compute capability ${computeCapability}, CUDA ${cuda} (${library})${nvmlProblem === null ? '' : `; its clocks, power and errors are not known: ${nvmlProblem}`}`,
    })),
    { name: 'GPU kernels', ok: kernels === null, text: kernels ?? gpuKernels },
  ];
}

/** Of those that something keeps from this process nobody can tell that anything is wrong. */
function notShownFindings(machine: MachineDescription): readonly Finding[] {
  const missing = gpusNotShown(machine);
  if (missing === null) return [];
  const ok = missing.hiddenBy === null ? false : null;
  return missing.addresses.map((address) => ({ name: `GPU ${address}`, ok, text: notShownText(missing) }));
}
