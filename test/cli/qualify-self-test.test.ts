/** `qualify --self-test` beside other flags: none that it would not heed is taken. */
import { expect, it } from 'vitest';
import { qualifyCommand } from '../../src/cli/commands/qualify.js';

const DEFAULTS = { selfTest: true, out: 'results', wait: true };

it.each([
  [{ tier: 't2' }, '--tier'],
  [{ expect: 'gpu=8', format: 'junit' }, '--expect, --format'],
  [{ json: true }, '--json'],
  [{ out: 'elsewhere' }, '--out'],
  [{ wait: false }, '--no-wait'],
])('a self-test with %j is refused', async (flags, named) => {
  await expect(qualifyCommand.handler({ ...DEFAULTS, ...flags } as never)).rejects.toThrow(
    `so nothing would come of ${named}: leave it out`,
  );
});
