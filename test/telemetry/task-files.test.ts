/** The per-thread files of /proc. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSchedstat } from '../../src/telemetry/schedstat.js';
import { parseMigrations } from '../../src/telemetry/task-sched.js';
import { parseProcessState, parseTaskStat } from '../../src/telemetry/task-stat.js';
import { parseContextSwitches } from '../../src/telemetry/task-status.js';
import { stat } from './fixtures/thread.js';

describe('stat', () => {
  it('tells faults, ticks and the last CPU', () => {
    expect(parseTaskStat(stat({ minor: 105, major: 3, user: 250, system: 17, cpu: 12 }))).toEqual({
      minorFaults: 105,
      majorFaults: 3,
      userTicks: 250,
      systemTicks: 17,
      cpu: 12,
    });
  });

  it.each(['node (worker) 7', 'a) R 1 2 3', '((', ') 1\n2 (x'])('is not misled by the name %j', (name) => {
    expect(parseTaskStat(stat({ name, user: 250, cpu: 5 }))).toMatchObject({ userTicks: 250, cpu: 5 });
  });

  it('tells whether the kernel is at the end of a process, which is over with its last thread', () => {
    const of = (state: string, flags: number, threads: number) =>
      parseProcessState(
        stat({})
          .replace(' R 3143', ` ${state} 3143`)
          .replace('4194304', `${flags}`)
          .replace(' 20 0 11 0 ', ` 20 0 ${threads} 0 `),
      );
    expect(of('R', 0x40_0400, 11)).toEqual({ group: 3143, isEnding: false });
    expect(of('R', 0x40_0404, 1)).toEqual({ group: 3143, isEnding: true });
    // The first thread is gone, and another gives back what they had.
    expect(of('Z', 0x40_0404, 2)?.isEnding).toBe(true);
    expect(of('Z', 0x40_0404, 1)?.isEnding).toBe(false);
    expect(parseProcessState('1 (sh) R 0 0 0')).toBeNull();
  });

  it('is unknown on lines that end before the CPU', () => {
    expect(parseTaskStat('1 (sh) R 0 0 0')).toBeNull();
    expect(parseTaskStat('')).toBeNull();
  });

  it('holds whatever the name is', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(parseTaskStat(stat({ name, cpu: 3 }))?.cpu).toBe(3);
      }),
    );
  });
});

describe('schedstat', () => {
  it('tells run time, run delay and time slices', () => {
    expect(parseSchedstat('795376 60600 2\n')).toEqual({
      runNanoseconds: 795_376,
      delayNanoseconds: 60_600,
      timeslices: 2,
    });
  });

  it('is unknown on a kernel that writes zeros for want of an account', () => {
    expect(parseSchedstat('0 0 0\n')).toBeNull();
    expect(parseSchedstat('0 500 1\n')).not.toBeNull();
  });

  it('is unknown when fields are missing', () => {
    expect(parseSchedstat('795376 60600\n')).toBeNull();
  });
});

describe('status', () => {
  it('tells voluntary and involuntary switches apart', () => {
    const text =
      'Name:	node\nMems_allowed_list:	0\nvoluntary_ctxt_switches:	41\nnonvoluntary_ctxt_switches:	7\n';
    expect(parseContextSwitches(text)).toEqual({ voluntary: 41, involuntary: 7 });
  });

  it('is unknown without them', () => {
    expect(parseContextSwitches('Name:	node\nvoluntary_ctxt_switches:	41\n')).toBeNull();
  });
});

describe('sched', () => {
  it('tells migrations, with and without the prefix of older kernels', () => {
    const header = 'node (3148, #threads: 1)\n-----------\n';
    expect(
      parseMigrations(`${header}se.nr_migrations                             :                    5\n`),
    ).toBe(5);
    expect(parseMigrations(`${header}nr_migrations : 6\n`)).toBe(6);
  });

  it('does not take pages that moved between nodes for migrations', () => {
    expect(parseMigrations('numa_pages_migrated : 9\nnr_switches : 4\n')).toBeNull();
  });
});

describe('any text', () => {
  it('is a valid value or unknown, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const parse of [parseTaskStat, parseSchedstat, parseContextSwitches]) {
          const values = Object.values(parse(text) ?? {});
          expect(values.every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
        }
        const migrations = parseMigrations(text);
        expect(migrations === null || migrations >= 0).toBe(true);
      }),
    );
  });
});
