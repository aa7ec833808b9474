/** Why a node is named: each flag by itself, and when a clock explains what is missing. */
import { describe, expect, it } from 'vitest';
import { type CauseName, causesOf, type Evidence, spoils } from '../../src/fleet/causes.js';

const SLOW: Evidence = { worst: { median: 0.2 }, flags: new Set(), clock: null, tail: null, settings: [] };

describe('the cause of a slow node', () => {
  it.each<[string, CauseName]>([
    ['throttled', 'cpu-quota'],
    ['device-errors', 'device-errors'],
    ['link-degraded', 'link-degraded'],
    ['far-memory', 'far-memory'],
    ['thermal', 'thermal'],
    ['power-capped', 'power'],
    ['power-brake', 'power'],
    ['stolen', 'neighbours'],
    ['contended', 'neighbours'],
    ['foreign-load', 'neighbours'],
    ['preempted', 'neighbours'],
    ['crowded', 'neighbours'],
  ])('whose launches were %s is %s', (flag, cause) => {
    expect(causesOf({ ...SLOW, flags: new Set([flag]) })).toEqual([cause, 'slow']);
  });

  it('is not in a flag that says nothing of speed, or that nobody here knows', () => {
    const flags = ['outlying', 'multimodal', 'of-another-tool', 'toString'];
    expect(causesOf({ ...SLOW, flags: new Set(flags) })).toEqual(['slow']);
    expect(flags.filter(spoils)).toEqual([]);
  });

  it('spoils rates, but where it is usual under load', () => {
    expect(['far-memory', 'thermal', 'power-capped'].map(spoils)).toEqual([true, true, false]);
  });

  it.each<[string, number, number, readonly CauseName[]]>([
    ['a clock as much slower', 0.2, 0.2, ['slow-clock', 'slow']],
    ['a clock half as much slower', 0.2, 0.1, ['slow-clock', 'slow']],
    ['a clock a tenth as much slower', 0.2, 0.02, ['slow']],
    // Clocks of equal nodes differ as far.
    ['a clock that differs as those of equal nodes do', 0.025, 0.014, ['slow']],
    ['a clock that is not known', 0.2, Number.NaN, ['slow']],
  ])('with %s', (_, median, clock, causes) => {
    const known = Number.isNaN(clock) ? null : clock;
    expect(causesOf({ ...SLOW, worst: { median }, clock: known })).toEqual(causes);
  });
});
