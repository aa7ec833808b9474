import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { stopAndGo } from '../../src/execution/stop-and-go.js';

/** R, S, T ... as proc(5) has them. */
function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
}

describe('a process that is stopped for a share of the time', () => {
  it('stands still now and then, and goes on for good in the end', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      const end = stopAndGo(child, 0.5);
      const seen = new Set<boolean>();
      for (let i = 0; i < 400 && seen.size < 2; i++) {
        await setTimeout(10);
        seen.add(stateOf(child.pid ?? 0) === 'T');
      }
      expect([...seen].sort()).toEqual([false, true]);
      end();
      await setTimeout(300);
      expect(stateOf(child.pid ?? 0)).not.toBe('T');
    } finally {
      child.kill('SIGKILL');
    }
  });
});
