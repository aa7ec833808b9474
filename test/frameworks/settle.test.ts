import { describe, expect, it } from 'vitest';
import { settle } from '../../src/frameworks/settle.js';
import { productOf } from './support.js';

async function callsOf(callSeconds: number): Promise<number> {
  let calls = 0;
  await settle(
    productOf(() => void ++calls),
    callSeconds,
  );
  return calls;
}

describe('the calls that bring back what the warm-up had reached', () => {
  it('are two at least, and as many as fit into a moment', async () => {
    expect(await callsOf(0.4)).toBeGreaterThanOrEqual(2);
  });

  it('are none where one takes long: more than half a second, as in the addon', async () => {
    expect(await callsOf(0.51)).toBe(0);
  });
});
