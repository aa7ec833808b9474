/** When the silence of a driver that is asked again after a run says something of it. */
import { expect, it, vi } from 'vitest';
import { lookAgain } from '../../src/cli/qualification/surroundings.js';
import type { askForGpus } from '../../src/devices/gpu-survey.js';
import type { GpuDescription } from '../../src/machine/gpus.js';
import { machineOf, machineWithGpus } from '../support/machine.js';

const machine = machineWithGpus({ ordinal: 0 } as GpuDescription);
const silent = (timedOut = true) => vi.fn<typeof askForGpus>(() => ({ unheard: 'silent', timedOut }));

it('is where it had all the time that it may take, whatever a deadline leaves beyond that', () => {
  const ask = silent();
  expect(lookAgain(machine, Number.POSITIVE_INFINITY, ask).gpus).toEqual({
    unheard: 'silent',
    noTime: false,
  });
  expect(ask).toHaveBeenLastCalledWith(15);
});

it('is not where less was left, or too little to ask at all', () => {
  const ask = silent();
  expect(lookAgain(machine, 7, ask).gpus).toEqual({ unheard: 'silent', noTime: true });
  expect(ask).toHaveBeenLastCalledWith(7);
  expect(lookAgain(machine, 1, ask).gpus).toEqual({ unheard: 'there was no time left', noTime: true });
  expect(ask).toHaveBeenCalledTimes(1);
});

it('is no matter of time where it could not be asked', () => {
  expect(lookAgain(machine, 7, silent(false)).gpus).toMatchObject({ noTime: false });
});

it('is not asked of a machine without GPUs', () => {
  const ask = silent();
  expect(lookAgain(machineOf(), 60, ask).gpus).toEqual({ problem: null, devices: [] });
  expect(ask).not.toHaveBeenCalled();
});
