/** The command that made a record, whatever stood before it. */
import { describe, expect, it } from 'vitest';
import { commandName } from '../../src/record/command-name.js';

describe('the command of a record', () => {
  it.each([
    ['memory', ['memory', '--operation', 'copy']],
    ['sweep', ['sweep', 'matmul', '--size', '64,128']],
    ['qualify', ['--out', 'r', 'qualify', '--tier', 't2']],
    ['qualify', ['--debug', '--out=r', 'qualify']],
    ['memory', ['--out', 'r', 'memory']],
    ['import', ['--debug', 'import', 'thoth', 'results']],
    [undefined, ['--help']],
  ])('is %s, and no value of a flag: %j', (name, command) => {
    expect(commandName({ command })).toBe(name);
  });
});
