/** Under which conditions a campaign may go on. */
import { beforeEach, expect, it, vi } from 'vitest';
import type { describeHere } from '../../src/cli/here.js';
import { UserError } from '../../src/errors.js';
import type { GpuDescription } from '../../src/machine/gpus.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { identity } from '../../src/package.js';
import type { Journal } from '../../src/store/journal.js';
import { machineOf } from '../support/machine.js';

const here = vi.hoisted(() => ({ describe: vi.fn<typeof describeHere>() }));
vi.mock('../../src/cli/here.js', () => ({ describeHere: here.describe }));
const { checkSame } = await import('../../src/cli/go-on.js');

const bare = machineOf();
const machine: MachineDescription = { ...bare, os: { ...bare.os, kernelRelease: '6.1.0-1' } };
const withGpus = (...uuids: readonly string[]): MachineDescription => ({
  ...machine,
  gpus: {
    problem: null,
    cuda: '12.4',
    library: null,
    devices: uuids.map((uuid, ordinal) => ({ uuid, ordinal }) as GpuDescription),
  },
});

beforeEach(() => here.describe.mockReset());

const resumed = (there: MachineDescription, now: MachineDescription) => {
  here.describe.mockReturnValue(now);
  return () => checkSame({ head: { machine: there, piBench: identity() } } as unknown as Journal);
};

it('goes on where all is as it was', () => {
  expect(resumed(machine, machine)).not.toThrow();
  expect(resumed(withGpus('GPU-a', 'GPU-b'), withGpus('GPU-a', 'GPU-b'))).not.toThrow();
  // Of a campaign that had GPUs the driver is asked, also where none is visible.
  expect(here.describe.mock.calls).toEqual([[false], [true]]);
});

it.each([
  ['a GPU was exchanged', withGpus('GPU-a'), withGpus('GPU-b'), 'GPUs: GPU-a then, GPU-b now'],
  ['a GPU is gone', withGpus('GPU-a'), machine, 'GPUs: GPU-a then, none now'],
  [
    'GPUs are in another order, so that a device is another one',
    withGpus('GPU-a', 'GPU-b'),
    withGpus('GPU-b', 'GPU-a'),
    'GPUs: GPU-a GPU-b then, GPU-b GPU-a now',
  ],
  [
    'other CPUs may be used',
    machine,
    { ...machine, limits: { ...machine.limits, allowedCpus: '0' } },
    'CPUs that may be used: 0-1 then, 0 now',
  ],
  [
    'the kernel is another one',
    machine,
    { ...machine, os: { ...machine.os, kernelRelease: '6.1.0-2' } },
    'kernel: 6.1.0-1 then, 6.1.0-2 now',
  ],
  [
    'Node is another one, which computes what a framework does in JavaScript',
    machine,
    { ...machine, runtime: { ...machine.runtime, node: 'v26.1.0' } },
    'Node: v24.0.0 then, v26.1.0 now',
  ],
])('refuses where %s, with what changed', (_, there, now, told) => {
  expect(resumed(there, now)).toThrow(
    new UserError(
      `this campaign was begun under other conditions (${told}): resume it under those, or start it anew`,
    ),
  );
});

it('names all that changed in one line', () => {
  const now = { ...machine, limits: { ...machine.limits, allowedCpus: '2' } };
  expect(resumed(withGpus('GPU-a'), now)).toThrow(/\(GPUs: [^;\n]+; CPUs that may be used: [^;\n]+\): /);
});

it('refuses where another host runs the same image, and where nothing tells whether it is another', () => {
  const pod = (bootIdHash: string, total: number): MachineDescription => ({
    ...machine,
    os: { ...machine.os, bootIdHash },
    memory: { ...machine.memory, total },
    virtualisation: { ...machine.virtualisation, container: 'docker' },
  });
  expect(resumed(pod('a', 64e9), pod('a', 64e9))).not.toThrow();
  expect(resumed(pod('a', 64e9), pod('b', 128e9))).toThrow(/^this campaign was begun on another machine/);
  expect(resumed(pod('a', 64e9), pod('b', 64e9))).toThrow(
    /^this campaign was begun before this machine was booted, or on another one of its kind, .*: start it anew$/,
  );
});
