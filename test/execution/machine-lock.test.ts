import { describe, expect, it } from 'vitest';
import { lockMachine, shareMachine } from '../../src/execution/machine-lock.js';

const never = new AbortController().signal;
const nothing = (): void => {};

/** Long enough for a socket on this machine, whatever else runs. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 300));

describe('the machine', () => {
  it('is held by one campaign; the second waits, is told by whom, and gets it when the first ends', async () => {
    const first = await lockMachine('first', nothing, nothing, never);
    const told: string[] = [];
    let got = false;
    const second = lockMachine('second', (holder) => told.push(holder), nothing, never).then((lock) => {
      got = true;
      return lock;
    });
    await settle();
    expect(told).toEqual(['first']);
    expect(got).toBe(false);
    first.release();
    (await second).release();
    expect(got).toBe(true);
  });

  it('is not waited for any longer when the waiting is stopped', async () => {
    const first = await lockMachine('first', nothing, nothing, never);
    const stop = new AbortController();
    const second = lockMachine('second', nothing, nothing, stop.signal);
    await settle();
    stop.abort();
    await expect(second).rejects.toThrow();
    first.release();
  });

  it('is shared by who will not wait: both learn of each other', async () => {
    const toldFirst: string[] = [];
    const toldSecond: string[] = [];
    const first = await lockMachine('first', nothing, (by) => toldFirst.push(by), never);
    const second = await shareMachine('second', (by) => toldSecond.push(by));
    await settle();
    expect(toldFirst).toEqual(['second']);
    expect(toldSecond).toEqual(['first']);
    first.release();
    await settle();
    // The second took it over, so a third one waits.
    const told: string[] = [];
    const third = lockMachine('third', (holder) => told.push(holder), nothing, never);
    await settle();
    expect(told).toEqual(['second']);
    second.release();
    (await third).release();
  });
});
