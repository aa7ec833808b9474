/** A quota of control groups that are hidden above those of this process. */
import { describe, expect, it } from 'vitest';
import { machineOf } from '../support/machine.js';
import { contextOf, judgement } from './support.js';

describe('a quota, where control groups above are hidden', () => {
  const at = (cpuQuota: number | null) => {
    const cgroup = { version: 2, path: '/', visible: true, whole: false } as const;
    return judgement({ check: 'quota' }, contextOf(null, { machine: machineOf({ cgroup, cpuQuota }) }));
  };

  it('is not said to be none', () => {
    expect(at(null)).toMatchObject({ verdict: 'skipped', possible: false });
  });

  it('is judged by what is seen of it', () => {
    expect(at(1.8).verdict).toBe('fail');
    expect(at(2).verdict).toBe('pass');
  });
});
