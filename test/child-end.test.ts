/** When a process that was started counts as ended, whatever it has left behind. */
import { ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ChildEnd, watchChild } from '../src/child-end.js';

/** A program with a file of its own, as workers have one to speak by. */
const startWith = (program: string): ChildProcess =>
  spawn('sh', ['-c', program], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });

const endOf = (child: ChildProcess): Promise<ChildEnd> =>
  new Promise((resolve) => void watchChild(child, resolve));

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

    it('and does not end is waited for no longer than a while', () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const child = Object.assign(new ChildProcess(), { stdio: [], unref() {} });
      const ends: ChildEnd[] = [];
      const watched = watchChild(
        child,
        (end) => ends.push(end),
        () => 7,
      );
      watched.kill();
      vi.advanceTimersByTime(10_000);
      expect(ends).toEqual([]);
      vi.advanceTimersByTime(20_000);
      expect(ends).toEqual([{ code: null, signal: null, left: 'itself' }]);
    });

    it('is waited for as long as the kernel gives back what it had', () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const child = Object.assign(new ChildProcess(), { stdio: [], unref() {} });
      const ends: ChildEnd[] = [];
      let ticks = 0;
      const watched = watchChild(
        child,
        (end) => ends.push(end),
        () => Math.min(ticks++, 5),
      );
      watched.kill();
      vi.advanceTimersByTime(90_000);
      expect(ends).toEqual([]);
      vi.advanceTimersByTime(60_000);
      expect(ends).toEqual([{ code: null, signal: null, left: 'itself' }]);
    });
  });
});
