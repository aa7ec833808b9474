/** When a process that was started counts as ended, whatever it has left behind. */
import { ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ChildEnd, kernelTicks, watchChild } from '../src/child-end.js';

/** A program with a file of its own, as workers have one to speak by. */
const startWith = (program: string): ChildProcess =>
  spawn('sh', ['-c', program], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });

const endOf = (child: ChildProcess): Promise<ChildEnd> =>
  new Promise((resolve) => void watchChild(child, resolve));

/** One that nothing ends. Its kill is none: of one that was not started Node knows no id, and 0 would be the group that this belongs to. */
const endless = (): ChildProcess =>
  Object.assign(new ChildProcess(), { stdio: [], unref() {}, kill: () => true });

describe('a process', () => {
  it('has ended when it has, with its code or its signal', async () => {
    expect(await endOf(startWith('exit 3'))).toEqual({ code: 3, signal: null, left: 'nothing' });
    const killed = { code: null, signal: 'SIGKILL', left: 'nothing' };
    expect(await endOf(startWith('kill -9 $$'))).toEqual(killed);
  });

  it('is not waited for any longer where another has its files, and all that it wrote is heard', async () => {
    const child = startWith('sleep 1000 & echo $! >&3; exit 4');
    let said = '';
    child.stdio[3]?.on('data', (text) => {
      said += String(text);
    });
    const end = await endOf(child);
    process.kill(Number(said), 'SIGKILL');
    expect(end).toEqual({ code: 4, signal: null, left: 'others' });
  });

  describe('that is killed', () => {
    afterEach(() => void vi.useRealTimers());

    /** @param afterMs since it was killed @param perLook ticks that the kernel works for it from one look to the next, by its number */
    const endsAfter = (afterMs: number, perLook: (look: number) => number, isOverdue?: () => boolean) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const ends: ChildEnd[] = [];
      let [looks, ticks] = [0, 7];
      const ticksOf = () => (ticks += perLook(looks++));
      const more = isOverdue === undefined ? {} : { isOverdue };
      watchChild(endless(), (end) => ends.push(end), { ticksOf, ...more }).kill();
      vi.advanceTimersByTime(afterMs);
      return ends;
    };
    const itself = [{ code: null, signal: null, left: 'itself' }];
    const BUSY = 2000;

    it.each([
      ['does nothing', 0],
      ['only asks its device now and then', 199],
    ])('and does not end, while the kernel %s, is waited for no longer than a while', (_, ticks) => {
      expect(endsAfter(10_000, () => ticks)).toEqual([]);
      expect(endsAfter(30_000, () => ticks)).toEqual(itself);
    });

    it('is waited for as long as the kernel gives back what it had', () => {
      const work = (look: number) => (look < 5 ? BUSY : 0);
      expect(endsAfter(90_000, work)).toEqual([]);
      expect(endsAfter(150_000, work)).toEqual(itself);
    });

    it('is waited for some minutes at most, though the kernel works for it without end', () => {
      expect(endsAfter(290_000, () => BUSY)).toEqual([]);
      expect(endsAfter(310_000, () => BUSY)).toEqual(itself);
    });

    it('is waited for no longer than a while where time is up, or is up meanwhile', () => {
      const work = () => BUSY;
      expect(endsAfter(30_000, work, () => true)).toEqual(itself);
      let asked = 0;
      expect(endsAfter(50_000, work, () => ++asked > 1)).toEqual(itself);
      asked = 0;
      expect(endsAfter(30_000, work, () => ++asked > 1)).toEqual([]);
    });
  });

  describe('that others have the files of', () => {
    afterEach(() => void vi.useRealTimers());
    const ended = { code: 0, signal: null };

    /** One that has ended, with others that are ending for so many looks. */
    const leaves = (looks: number, perLook: number) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
      const child = endless();
      const ends: ChildEnd[] = [];
      let ticks = 0;
      watchChild(child, (end) => ends.push(end), {
        ending: () => (looks-- > 0 ? [12, 13] : []),
        ticksOf: () => (ticks += perLook),
      });
      child.emit('exit', 0, null);
      return { child, ends };
    };

    it('is over when these have ended, too, where they are ending', () => {
      const { child, ends } = leaves(99, 1000);
      vi.advanceTimersByTime(70_000);
      expect(ends).toEqual([]);
      child.emit('close', 0, null);
      expect(ends).toEqual([{ ...ended, left: 'nothing' }]);
    });

    it.each([
      ['who has them is not ending', 0, 1000, 2000],
      ['those that were ending are gone, and others have them', 3, 1000, 50_000],
      ['the kernel does not get on with their end', 99, 10, 30_000],
      ['their end has lasted for minutes', 99, 1000, 310_000],
    ])('is over without them where %s', (_, looks, perLook, afterMs) => {
      const { ends } = leaves(looks, perLook);
      vi.advanceTimersByTime(1000);
      expect(ends).toHaveLength(0);
      vi.advanceTimersByTime(afterMs - 1000);
      expect(ends).toEqual([{ ...ended, left: 'others' }]);
    });
  });
});

it('what the kernel works for a process grows with that, and is not known of what is not there', () => {
  const before = kernelTicks(process.pid);
  const now = () => kernelTicks(process.pid) ?? Number.NaN;
  const until = Date.now() + 5000;
  while (now() - (before ?? Number.NaN) < 2 && Date.now() < until) readdirSync('/proc');
  expect(now()).toBeGreaterThan(before ?? Number.NaN);
  // More than there may be.
  expect(kernelTicks(2 ** 22 + 1)).toBeNull();
});
