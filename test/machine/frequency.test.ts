import { expect, it } from 'vitest';
import { capsOf } from '../../src/machine/frequency.js';

const GHZ = 1e9;
const described = { governors: [], driver: null, max: 5 * GHZ };
const turbo = (enabled: boolean) => ({ enabled, control: '/sys/x', off: '0' });

it.each([
  ['below the turbo clock, which is on', { base: 3 * GHZ, limit: 3 * GHZ, turbo: turbo(true) }, true],
  ['at the base clock, without turbo', { base: 3 * GHZ, limit: 3 * GHZ, turbo: turbo(false) }, false],
  ['below the base clock, without turbo', { base: 3 * GHZ, limit: 1 * GHZ, turbo: turbo(false) }, true],
  [
    'without turbo, of a base clock that is not known',
    { base: null, limit: 3 * GHZ, turbo: turbo(false) },
    false,
  ],
  ['that is not told', { base: 3 * GHZ, limit: null, turbo: null }, false],
])('a limit %s', (_, given, capped) => {
  // As a record of an older version has it, which looked at one CPU.
  expect(capsOf({ ...described, ...given })).toEqual(capped ? [{ limit: given.limit, max: 5 * GHZ }] : []);
});
