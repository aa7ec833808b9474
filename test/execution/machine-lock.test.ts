import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { lockMachine, shareMachine } from '../../src/execution/machine-lock.js';
import { visitHolder } from '../../src/socket-lock.js';
import { until } from '../support/pi-bench.js';

const never = new AbortController().signal;
const nothing = (): void => {};

/** Who would be told more than once, or get the machine too early, is so by then. */
const settle = () => setTimeout(300);

const isTold = (told: readonly string[], what: string) =>
  until(() => (told.length > 0 ? true : undefined), what);

/** Who has the machine; undefined: nobody. */
function holder(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const { gone, leave } = visitHolder('pi-bench-campaign', (who) => {
      resolve(who);
      leave();
    });
    void gone.then(() => resolve(undefined));
  });
}

describe('the machine', () => {
  it('is held by one campaign; the second waits, is told by whom, and gets it when the first ends', async () => {
    const first = await lockMachine('first', nothing, nothing, never);
    const told: string[] = [];
    let got = false;
    const second = lockMachine('second', (who) => told.push(who), nothing, never).then((lock) => {
      got = true;
      return lock;
    });
    await isTold(told, 'the second to be told');
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
    const told: string[] = [];
    const second = lockMachine('second', (who) => told.push(who), nothing, stop.signal);
    await isTold(told, 'the second to wait');
    stop.abort();
    await expect(second).rejects.toThrow();
    first.release();
  });

  it('is shared by who will not wait: both learn of each other', async () => {
    const toldFirst: string[] = [];
    const toldSecond: string[] = [];
    const first = await lockMachine('first', nothing, (by) => toldFirst.push(by), never);
    const second = await shareMachine('second', (by) => toldSecond.push(by));
    await isTold(toldFirst, 'the first to be told');
    await isTold(toldSecond, 'the second to be told');
    await settle();
    expect(toldFirst).toEqual(['second']);
    expect(toldSecond).toEqual(['first']);
    first.release();
    // The second takes it over, so a third one waits.
    while ((await holder()) !== 'second') await setTimeout(10);
    const told: string[] = [];
    const third = lockMachine('third', (who) => told.push(who), nothing, never);
    await isTold(told, 'the third to be told');
    expect(told).toEqual(['second']);
    second.release();
    (await third).release();
  });
});
