/** What makes a fleet one fleet: labels of the records, of which each by itself keeps two nodes apart, or is told as a setting. */
import { describe, expect, it } from 'vitest';
import { nodeOf } from '../../src/fleet/from-record.js';
import { disagreements, identityOf, refuseMixed, requireFacts } from '../../src/fleet/identity.js';
import type { MachineDescription } from '../../src/machine/types.js';
import type { Labels } from '../../src/record/schema.js';
import { gpu, survey } from '../qualify/support.js';
import { machineOf } from '../support/machine.js';
import { recordOf } from '../support/records.js';

const GIB = 2 ** 30;

/** Each label known, so that another value is a difference and not a gap. */
const TOLD: Labels = {
  architecture: 'x64',
  cpu_vendor: 'GenuineIntel',
  cpu_model: 'made-up',
  cpu_family_model_stepping: '6/1/2',
  sockets: 2,
  cores: 64,
  cpus: 128,
  smt: true,
  numa_nodes: 2,
  gpus: 'made-up',
  pibench_version: '0.0.0',
  imported: 'thoth',
  memory_bytes: 512 * GIB,
};
const OTHER: Readonly<Record<string, string | number | boolean>> = {
  architecture: 'arm64',
  cpu_vendor: 'AuthenticAMD',
  cpu_model: 'another',
  cpu_family_model_stepping: '6/1/3',
  sockets: 1,
  cores: 32,
  cpus: 64,
  smt: false,
  numa_nodes: 4,
  gpus: 'another',
  pibench_version: '0.0.1',
  imported: 'superbench',
};
const SETTINGS = [
  ...['governor', 'turbo', 'microcode', 'kernel', 'os', 'libc', 'hypervisor', 'clocksource'],
  ...[
    'transparent_huge_pages',
    'cgroup_cpu_quota',
    'cgroup_memory_limit_bytes',
    'allowed_cpus',
    'gpu_driver',
  ],
];

const batches = [{ launches: [0.001] }];
const node = (name: string, labels: Labels = {}) =>
  nodeOf(recordOf({ batches, labels: { ...TOLD, ...labels } }), name, () => null);
const names = (...nodes: readonly ReturnType<typeof node>[]): readonly string[] =>
  disagreements(nodes, 'settings').map(({ name }) => name);

describe('two nodes', () => {
  it('that are told alike are one fleet, whatever else their records say', () => {
    const alike = [node('a'), node('b', { hostname: 'b', machine: 'two', pibench_commit: 'abc' })];
    expect(() => refuseMixed(alike, [])).not.toThrow();
    expect(disagreements(alike, 'settings')).toEqual([]);
  });

  it.each(Object.entries(OTHER))('that differ in %s alone are none', (name, value) => {
    const mixed = [node('a'), node('b', { [name]: value })];
    expect(() => refuseMixed(mixed, [])).toThrow(new RegExp(`^mixed hardware: ${name}: .*--across ${name}$`));
    expect(() => refuseMixed(mixed, [name])).not.toThrow();
    expect(names(...mixed)).toEqual([]);
  });

  it('may differ across what is a fact, and across nothing else', () => {
    const nodes = [node('a'), { ...node('b'), hardware: { imported: 'dcgm', own_fact: 1 } }];
    expect(() => requireFacts(nodes, ['cpu_model', 'own_fact'])).not.toThrow();
    expect(() => requireFacts(nodes, ['cpu_model', 'cpu_modell'])).toThrow(
      /^--across: no fact is called cpu_modell; there is architecture, .*cpu_model, .*own_fact$/,
    );
  });

  it.each(SETTINGS)('that differ in %s alone are one fleet whose settings differ', (name) => {
    const unlike = [node('a', { [name]: 'one' }), node('b', { [name]: 'other' })];
    expect(() => refuseMixed(unlike, [])).not.toThrow();
    expect(names(...unlike)).toEqual([name]);
  });

  it('differ by a hypervisor or limits that one of them has, where the other is seen to have none', () => {
    const shown = machineOf();
    const bare = { ...shown, virtualisation: { ...shown.virtualisation, guest: false } };
    const limits = (own: Partial<MachineDescription['limits']>) => ({
      ...bare,
      limits: { ...bare.limits, ...own },
    });
    const group = { version: 2, path: '/a', visible: false } as const;
    const hidden = limits({ cgroup: group, memoryCgroup: group });
    const settingsOf = (machine: MachineDescription) => identityOf({}, machine).settings;
    const none = { cgroup_cpu_quota: 'none', cgroup_memory_limit_bytes: 'none' };
    expect(settingsOf(bare)).toEqual({ ...none, hypervisor: 'none' });
    expect(settingsOf(hidden)).toEqual({ hypervisor: 'none' });
    expect(settingsOf(limits({ cgroupTold: false }))).toEqual({ hypervisor: 'none' });
    // A guest that nobody can name, and a machine that does not tell.
    for (const guest of [true, null])
      expect(settingsOf({ ...bare, virtualisation: { ...bare.virtualisation, guest } })).toEqual(none);
    const told = (machine: MachineDescription, labels: Labels) => identityOf(labels, machine).settings;
    expect(told(limits({ cpuQuota: 2 }), { cgroup_cpu_quota: 2 })).toMatchObject({ cgroup_cpu_quota: 2 });
  });

  it('differ by memory where a module is missing, and not by what the kernel keeps for itself', () => {
    const memory = (bytes: number) => node('b', { memory_bytes: bytes });
    expect(names(node('a'), memory(480 * GIB))).toEqual(['memory_gib']);
    expect(names(node('a'), memory(512 * GIB - 2 ** 20))).toEqual([]);
  });

  it('differ by the power limits of their GPUs', () => {
    const limited = (name: string, ...watts: readonly number[]) => {
      const gpus = survey(...watts.map((powerLimitWatts, ordinal) => gpu({ ordinal, powerLimitWatts })));
      const machine = JSON.parse(JSON.stringify({ ...machineOf(), gpus }));
      return nodeOf({ ...recordOf({ batches, labels: TOLD }), machine }, name, () => null);
    };
    expect(names(limited('a', 700, 700), limited('b', 700, 500))).toEqual(['gpu_power_limit_watts']);
    expect(names(limited('a', 700, 700), limited('b', 700, 700))).toEqual([]);
  });

  it('differ by the limit in force, where the same one is set', () => {
    const limited = (name: string, enforcedPowerLimitWatts?: number) => {
      const gpus = survey(gpu({ enforcedPowerLimitWatts: enforcedPowerLimitWatts ?? null }));
      const machine = JSON.parse(JSON.stringify({ ...machineOf(), gpus }));
      return nodeOf({ ...recordOf({ batches, labels: TOLD }), machine }, name, () => null);
    };
    expect(names(limited('a', 700), limited('b', 450))).toEqual(['gpu_power_limit_watts']);
    // A record of an older version knows only the one that is set.
    expect(names(limited('a', 700), limited('b'))).toEqual([]);
  });
});
