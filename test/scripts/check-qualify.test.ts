import { expect, it } from 'vitest';
import { exitCodeOf } from '../../scripts/check-qualify/exit-code.mjs';

it.each([
  [[true, true, true], 0],
  [[true, true, null], 2],
  [[true, false, null], 1],
])('a check whose parts were %j ends with %i', (parts, code) => {
  expect(exitCodeOf(parts)).toBe(code);
});
