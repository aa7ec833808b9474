import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tellWaiting } from '../../src/cli/waiting.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const told = () => {
  const lines: string[] = [];
  const began = Date.now();
  return {
    lines,
    waiting: tellWaiting(
      (line) => lines.push(line),
      () => (Date.now() - began) / 1000,
    ),
  };
};

it('says for whom it waits, each minute for how long it has, and in the end how long it was', () => {
  const { lines, waiting } = told();
  waiting.begin('campaign a');
  vi.advanceTimersByTime(130_000);
  expect(waiting.end(true)).toBe(130);
  vi.advanceTimersByTime(600_000);
  expect(lines).toEqual([
    'waiting: campaign a is measuring on this machine (--no-wait measures beside it)',
    'waiting for 1 min 0 s: campaign a is still measuring',
    'waiting for 2 min 0 s: campaign a is still measuring',
    'waited for 2 min 10 s, which is no part of a budget',
  ]);
});

it('counts on where another one got the machine first', () => {
  const { lines, waiting } = told();
  waiting.begin('campaign a');
  vi.advanceTimersByTime(30_000);
  waiting.begin('campaign b');
  vi.advanceTimersByTime(60_000);
  expect(lines.at(-1)).toBe('waiting for 1 min 30 s: campaign b is still measuring');
});

it('is silent where nobody had to be waited for', () => {
  const { lines, waiting } = told();
  expect(waiting.end(true)).toBe(0);
  expect(lines).toEqual([]);
});

it('says no more where a signal or a deadline ended it', () => {
  const { lines, waiting } = told();
  waiting.begin('campaign a');
  waiting.end(false);
  expect(lines).toHaveLength(1);
});
