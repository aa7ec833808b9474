/** The flags of scripts: what they take, and the one line about what they do not. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positiveNumber, wholeNumber, wholeNumbers } from '../../scripts/lib/flags.mjs';
import { root } from '../support/pi-bench.js';

describe('numbers of flags', () => {
  it('are read as they are written', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1 }), { minLength: 1 }), (numbers) => {
        expect(wholeNumbers('--sizes', numbers.join(','))).toEqual(numbers);
      }),
    );
    expect(positiveNumber('--seconds', '0.04')).toBe(0.04);
    expect(wholeNumber('--trials', '0', 0)).toBe(0);
  });

  it.each(['', ' ', 'x', '1.5', '0', '-1', '1e400', '12,'])('of which %j is none', (text) => {
    expect(() => wholeNumbers('--sizes', text)).toThrow('--sizes is a whole number from 1 on, not ');
  });

  it.each(['', 'x', '0', '-1', 'Infinity'])('above 0 of which %j is none', (text) => {
    expect(() => positiveNumber('--seconds', text)).toThrow('--seconds is a number above 0, not ');
  });
});

describe('a wrong flag', () => {
  it.each([
    [
      'bench-fleet.mjs',
      ['--seed', '0'],
      'bench-fleet: --seed is a whole number from 1 on, not 0; see --help\n',
    ],
    [
      'bench-compare.mjs',
      ['--size', 'x'],
      'bench-compare: --size is a whole number from 1 on, not x; see --help\n',
    ],
    ['bench-compare.mjs', ['--trials', '-1'], /^bench-compare: Option '--trials' .*; see --help\n$/],
  ] as const)('ends %s with one line before anything is built or measured', (script, args, line) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', script), ...args], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    if (typeof line === 'string') expect(stderr).toBe(line);
    else expect(stderr).toMatch(line);
  });
});
