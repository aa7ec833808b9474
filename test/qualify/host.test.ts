/** What a machine is before anything is measured. */
import { describe, expect, it } from 'vitest';
import { readLimits } from '../../src/machine/limits.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { isNotSeen } from '../../src/qualify/findings.js';
import type { Suite } from '../../src/qualify/suite.js';
import type { SuiteCheck } from '../../src/qualify/suite-file.js';
import { checksOf, judgeAll, outcomeOf } from '../../src/qualify/verdict.js';
import type { Verdict } from '../../src/record/schema.js';
import { machineOf } from '../support/machine.js';
import { contextOf, judgement } from './support.js';

describe('the machine before anything is measured', () => {
  it('fails with a quota below the CPUs that may be used', () => {
    const at = (cpuQuota: number | null) =>
      judgement({ check: 'quota' }, contextOf(null, { machine: machineOf({ cpuQuota }) }));
    expect(at(1.8)).toMatchObject({ verdict: 'fail', cause: { name: 'cpu-quota', severity: 'config' } });
    expect(at(2).verdict).toBe('pass');
    expect(at(null).verdict).toBe('pass');
  });
  it('is not judged by a quota that cannot be seen', () => {
    const machine = machineOf({ cgroup: { version: 2, path: '/x', visible: false } });
    expect(judgement({ check: 'quota' }, contextOf(null, { machine }))).toMatchObject({
      verdict: 'skipped',
      possible: false,
    });
  });
  it.each([
    ['does not tell', null, 'skipped', 'inconclusive'],
    ['has no controller of CPUs', '3:memory:/job\n1:name=systemd:/job\n', 'pass', 'qualified'],
  ] as const)('has no quota, or one that nobody could look for: a kernel that %s', (_, text, verdict, required) => {
    const read = readLimits((path) => (path === '/proc/self/cgroup' ? text : null));
    const context = contextOf(null, { machine: machineOf({ ...read, allowedCpus: '0-1' }) });
    expect(read.cgroup).toBeNull();
    expect(judgement({ check: 'quota' }, context)).toMatchObject({ verdict, possible: verdict === 'pass' });
    const suite = { checks: [{ check: 'quota', required: true }] } as unknown as Suite;
    expect(outcomeOf(checksOf([judgeAll(suite, context)]))).toBe(required);
  });

  it('is told to be a part of its CPUs, also where a quota cannot be seen', () => {
    const hidden = { cgroup: { version: 1, path: '/x', visible: false } } as const;
    const at = (allowedCpus: string, required?: boolean) =>
      judgement(
        { check: 'quota', ...(required === undefined ? {} : { required }) },
        contextOf(null, { machine: machineOf({ ...hidden, allowedCpus, onlineCpus: '0-63' }) }),
      );
    expect(at('0-1')).toMatchObject({
      verdict: 'warn',
      possible: true,
      cause: { name: 'cpu-set' },
      reason: 'allowed cpus 2.00 CPUs, limit ≥ 64.0 CPUs (CPUs that are online)',
    });
    expect(at('0-1').findings.map(isNotSeen)).toEqual([true, false]);
    expect(at('0-1', true)).toMatchObject({ verdict: 'inconclusive', cause: { name: 'not-seen' } });
    expect(at('0-63')).toMatchObject({ verdict: 'skipped', possible: false });
  });

  const { cpu, memory, limits } = machineOf();
  const governedBy = (...governors: readonly string[]) => ({
    cpu: { ...cpu, frequency: { ...cpu.frequency, governors } },
  });
  const nodesOf = (allowedNodes: string, ...gib: readonly number[]) => ({
    memory: {
      ...memory,
      numaNodes: gib.map((total, node) => ({ node, cpus: '0-1', total: total * 2 ** 30, available: null })),
    },
    limits: { ...limits, allowedNodes },
  });
  /** The last of them has no CPUs, as memory beyond a CXL link. */
  const nodesAndMemory = (allowedNodes: string, ...gib: readonly number[]) => {
    const nodes = nodesOf(allowedNodes, ...gib);
    const numaNodes = nodes.memory.numaNodes.map((one, i) =>
      i < gib.length - 1 ? one : { ...one, cpus: '' },
    );
    return { ...nodes, memory: { ...nodes.memory, numaNodes } };
  };
  const swapped = (used: number) => ({ memory: { ...memory, swap: { total: 2 ** 30, used } } });
  it.each<[string, SuiteCheck, Partial<MachineDescription>, Verdict, string | null]>([
    ['the governor performance', { check: 'governor' }, governedBy('performance'), 'pass', null],
    ['another governor', { check: 'governor' }, governedBy('powersave'), 'warn', 'governor'],
    [
      'another governor of some CPUs',
      { check: 'governor' },
      governedBy('performance', 'powersave'),
      'warn',
      'governor',
    ],
    ['NUMA nodes that are alike', { check: 'numa' }, nodesOf('0-1', 8, 7), 'pass', null],
    ['a NUMA node that lacks memory', { check: 'numa' }, nodesOf('0-1', 8, 6), 'fail', 'numa'],
    [
      'a NUMA node without CPUs of more memory',
      { check: 'numa' },
      nodesAndMemory('0-2', 8, 8, 16),
      'pass',
      null,
    ],
    ['one such node beside the CPUs’', { check: 'numa' }, nodesAndMemory('0-1', 8, 16), 'pass', null],
    [
      'a NUMA node that lacks memory, beside one',
      { check: 'numa' },
      nodesAndMemory('0-2', 8, 6, 16),
      'fail',
      'numa',
    ],
    ['a NUMA node that may not be used', { check: 'numa' }, nodesOf('0', 8, 8), 'fail', 'numa'],
    [
      'a NUMA node that has neither CPUs nor memory',
      { check: 'numa' },
      nodesAndMemory('0-1', 8, 8, 0),
      'pass',
      null,
    ],
    ['a NUMA node with CPUs and no memory', { check: 'numa' }, nodesOf('0', 8, 0), 'fail', 'numa'],
    ['nothing swapped out', { check: 'swap' }, swapped(0), 'pass', null],
    ['something swapped out', { check: 'swap' }, swapped(1), 'warn', 'swapped'],
  ])('with %s', (_, check, machine, verdict, cause) => {
    const judged = judgement(check, contextOf(null, { machine: { ...machineOf(), ...machine } }));
    expect([judged.verdict, judged.cause?.name ?? null]).toEqual([verdict, cause]);
  });

  it('leaves open what a policy hides that binds this process to some NUMA nodes, and names it', () => {
    const bound = (allowedNodes: string, memoryPolicy: string, ...gib: readonly number[]) => {
      const nodes = nodesOf(allowedNodes, ...gib);
      const machine = { ...machineOf(), ...nodes, limits: { ...nodes.limits, memoryPolicy } };
      return judgement({ check: 'numa' }, contextOf(null, { machine }));
    };
    expect(bound('0', 'bind:0', 8, 8)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('the policy bind:0'),
      cause: { action: expect.stringContaining('numactl') },
    });
    expect(bound('0', 'bind:0', 8, 6).verdict).toBe('fail');
    // It is a cpuset that takes the other one.
    expect(bound('0', 'bind:0-1', 8, 8).verdict).toBe('fail');
  });

  it('fails where something that is expected is missing', () => {
    const expected = (counts: Record<string, number>) =>
      judgement({ check: 'counts' }, contextOf(null, { expected: counts }));
    expect(expected({ cpu: 2 }).verdict).toBe('pass');
    expect(expected({ cpu: 4 }).verdict).toBe('fail');
    expect(expected({ gpu: 8 })).toMatchObject({ verdict: 'fail', cause: { name: 'missing-device' } });
    expect(expected({}).verdict).toBe('skipped');
  });
  it('fails where some of its memory is missing, but for what the kernel keeps of it', () => {
    const GIB = 2 ** 30;
    const of = (total: number | null) =>
      judgement(
        { check: 'counts' },
        contextOf(null, {
          expected: { memory: 768 * GIB },
          machine: { ...machineOf(), memory: { ...memory, total } },
        }),
      );
    expect(of(768 * GIB).verdict).toBe('pass');
    expect(of(755 * GIB).verdict).toBe('pass');
    expect(of(704 * GIB)).toMatchObject({
      verdict: 'fail',
      cause: { name: 'missing-device' },
      reason: expect.stringMatching(
        /^memory 755\.9 GB, limit ≥ .* \(--expect 768 GiB, less what the kernel keeps\)$/,
      ),
    });
    expect(of(null)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringMatching(/does not tell/),
    });
  });
  it('is not judged while others work on it', () => {
    const busy = (share: number | null) =>
      judgement(
        { check: 'load', busyAtMost: 0.1 },
        contextOf(null, { surroundings: { busy: share, memoryErrors: null } }),
      );
    expect(busy(0.05).verdict).toBe('pass');
    expect(busy(0.4)).toMatchObject({ verdict: 'inconclusive', cause: { name: 'busy' } });
    expect(busy(null)).toMatchObject({ verdict: 'skipped', possible: false });
  });
  it('fails for a memory error that could not be corrected, and warns of those that could', () => {
    const errors = (uncorrected: number, corrected: number) =>
      judgement(
        { check: 'ecc' },
        contextOf(null, { surroundings: { busy: 0, memoryErrors: { uncorrected, corrected } } }),
      );
    expect(errors(0, 0).verdict).toBe('pass');
    expect(errors(0, 3)).toMatchObject({ verdict: 'warn', cause: { name: 'corrected-errors' } });
    expect(errors(1, 0)).toMatchObject({
      verdict: 'fail',
      cause: { name: 'memory-errors', severity: 'isolate' },
    });
  });
});
