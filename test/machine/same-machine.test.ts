/** Machines are told apart, also where an image hides which one it is. */
import { describe, expect, it } from 'vitest';
import { machineIdentity, sameMachine } from '../../src/machine/same-machine.js';
import type { MachineDescription, OsDescription } from '../../src/machine/types.js';
import { machineLabels } from '../../src/record/labels.js';
import { machineOf } from '../support/machine.js';

interface Told {
  readonly os?: Partial<OsDescription>;
  readonly container?: MachineDescription['virtualisation']['container'];
  readonly booted?: boolean;
  readonly total?: number;
  readonly cpus?: string;
}

function machine({
  os = {},
  container = null,
  booted = false,
  total = 64e9,
  cpus = '0-7',
}: Told): MachineDescription {
  const bare = machineOf();
  return {
    ...bare,
    os: { ...bare.os, hostname: 'node1', bootIdHash: 'boot-a', ...os },
    memory: { ...bare.memory, total, numaNodes: [{ node: 0, cpus, total, available: total }] },
    virtualisation: { ...bare.virtualisation, container, ...(booted ? { booted } : {}) },
  };
}

describe('a machine with an id', () => {
  it('is known by it, whatever was booted, named or built into it since', () => {
    const then = machine({ os: { machineIdHash: 'a' } });
    const now = machine({
      os: { machineIdHash: 'a', bootIdHash: 'boot-b', hostname: 'node2' },
      total: 128e9,
    });
    expect(sameMachine(then, now)).toBe('same');
    expect(sameMachine(then, machine({ os: { machineIdHash: 'b' } }))).toBe('other');
    expect(sameMachine(then, machine({ os: { machineIdHash: null } }))).toBe('other');
  });
});

describe.each([
  ['a pod without an id', 'kubernetes', null],
  ['a pod with that of its image', 'kubernetes', 'image'],
  ['an Apptainer container with that of its image', 'apptainer', 'image'],
  ['a container of containerd with that of its image', 'other', 'image'],
] as const)('%s', (_, container, machineIdHash) => {
  const pod = (told: Told): MachineDescription =>
    machine({ container, ...told, os: { machineIdHash, ...told.os } });
  const then = pod({ os: { hostname: 'bench-x1' } });

  it('is on the same machine while that one is not booted anew, whatever the pod is called', () => {
    expect(sameMachine(then, pod({ os: { hostname: 'bench-x2' } }))).toBe('same');
    // More memory was given to it meanwhile.
    expect(sameMachine(then, pod({ total: 80e9 }))).toBe('same');
  });

  it('is on the same machine though its image was built anew', () => {
    const rebuilt = (bootIdHash: string) => pod({ os: { machineIdHash: 'rebuilt', bootIdHash } });
    expect(sameMachine(then, rebuilt('boot-a'))).toBe('same');
    expect(sameMachine(then, rebuilt('boot-b'))).toBe('unknown');
  });

  it('is not the machine itself, which has an id of its own', () => {
    expect(sameMachine(then, machine({ os: { machineIdHash: 'own' } }))).toBe('other');
  });

  it('is on another one where memory or NUMA nodes are others', () => {
    const elsewhere = { os: { bootIdHash: 'boot-b' } };
    expect(sameMachine(then, pod({ ...elsewhere, total: 128e9 }))).toBe('other');
    expect(sameMachine(then, pod({ ...elsewhere, cpus: '0-15' }))).toBe('other');
  });

  it('is not known to be on the same where all looks alike after another boot', () => {
    expect(sameMachine(then, pod({ os: { bootIdHash: 'boot-b' } }))).toBe('unknown');
    expect(sameMachine(then, pod({ os: { bootIdHash: 'boot-b' }, total: 64.1e9 }))).toBe('unknown');
  });

  it('goes by the hardware where nothing tells of boots, as in older journals', () => {
    const { bootIdHash: _boot, ...os } = then.os;
    const older = { ...then, os };
    expect(sameMachine(older, pod({ os: { hostname: 'bench-x2' } }))).toBe('same');
    expect(sameMachine(older, pod({ total: 128e9 }))).toBe('other');
  });
});

describe('a machine without an id, and no container', () => {
  it('is known by its name after another boot', () => {
    const rebooted = (hostname: string) => machine({ os: { bootIdHash: 'boot-b', hostname } });
    expect(sameMachine(machine({}), rebooted('node1'))).toBe('same');
    expect(sameMachine(machine({}), rebooted('node2'))).toBe('other');
  });
});

it.each([
  'lxc',
  'other',
] as const)('a container that boots like a machine keeps its own id, and has a boot of its own: %s', (container) => {
  const system = (bootIdHash: string, machineIdHash = 'own') =>
    machine({ container, booted: true, os: { machineIdHash, bootIdHash } });
  expect(sameMachine(system('boot-a'), system('boot-b'))).toBe('same');
  expect(sameMachine(system('boot-a'), system('boot-b', 'another'))).toBe('other');
});

it.each([
  [null, 'own'],
  ['lxc', 'own'],
  ['docker', null],
  ['podman', null],
  ['kubernetes', null],
  ['apptainer', null],
  ['other', null],
] as const)('an id tells a machine from all others, but not in a container that has that of its image: %s', (container, identity) => {
  const one = machine({ container, os: { machineIdHash: 'own' } });
  expect(machineIdentity(one)).toBe(identity);
  expect(machineLabels(one, { version: '0', commit: null }, 'campaign').machine).toBe(identity);
});
