import { describe, expect, it } from 'vitest';
import { threadsOf } from '../../src/indicators/threads.js';
import { machineOf } from '../support/machine.js';

describe('the threads of a case', () => {
  it('are by default the CPUs that a launch may use, each bound to one', () => {
    expect(threadsOf({}, machineOf())).toEqual({ threads: 2, pin: true });
    expect(threadsOf({}, machineOf({ allowedCpus: '1' }))).toEqual({ threads: 1, pin: true });
    expect(threadsOf({}, machineOf({ cpuQuota: 1.5 }))).toEqual({ threads: 1, pin: true });
  });

  it('are as many as the flag says, bound only where there is a CPU for each', () => {
    expect(threadsOf({ threads: '1' }, machineOf())).toEqual({ threads: 1, pin: true });
    expect(threadsOf({ threads: '3' }, machineOf())).toEqual({ threads: 3, pin: false });
    expect(threadsOf({ threads: '2', pin: false }, machineOf())).toEqual({ threads: 2, pin: false });
  });

  it.each(['0', '-1', '1.5', 'two', '', '4097'])('refuses --threads %j', (threads) => {
    expect(() => threadsOf({ threads }, machineOf())).toThrow(/--threads takes/);
  });

  it('refuses to bind more threads than there are CPUs', () => {
    expect(() => threadsOf({ threads: '3', pin: true }, machineOf())).toThrow(
      /--pin needs a CPU for each of 3 threads, and 2 may be used here/,
    );
  });
});
