/** Who was started under nohup, told by what is left of it when a Node runs. */
import { describe, expect, it } from 'vitest';
import { isToOutliveHangup } from '../../src/execution/hangup.js';

interface Process {
  readonly parent: number;
  readonly group: number;
  readonly ignored?: string;
  readonly environment?: readonly string[];
  /** As the kernel writes how its standard input was opened. */
  readonly flags?: string;
}

/** Files of these processes, by their numbers. */
function outlives(processes: Readonly<Record<number, Process>>, pid = 9): boolean {
  const files = new Map<string, string>();
  for (const [number, one] of Object.entries(processes)) {
    const { parent, group, ignored = '0000000001001000', environment = ['HOME=/root'], flags = '02' } = one;
    files.set(`/proc/${number}/stat`, `${number} (node ) a) S ${parent} ${group} 1 0 -1`);
    files.set(`/proc/${number}/status`, `Name:\tnode\nSigBlk:\t0\nSigIgn:\t${ignored}\nSigCgt:\t1\n`);
    files.set(`/proc/${number}/environ`, `${environment.join('\0')}\0`);
    files.set(`/proc/${number}/fdinfo/0`, `pos:\t0\nflags:\t${flags}\nmnt_id:\t29\n`);
  }
  return isToOutliveHangup(String(pid), (path) => files.get(path) ?? null);
}

describe('the end of a terminal', () => {
  it('ends a command that nobody protected from it', () => {
    expect(outlives({ 9: { parent: 1, group: 9 } })).toBe(false);
    // Read, or read and written.
    for (const flags of ['0100000', '02100002', '0100002'])
      expect(outlives({ 9: { parent: 1, group: 9, flags } })).toBe(false);
    expect(outlives({ 9: { parent: 1, group: 9, environment: ['A_=nohup', '_=/usr/bin/npx'] } })).toBe(false);
    expect(outlives({})).toBe(false);
  });

  it('is outlived where nohup left nothing to read in the place of a terminal', () => {
    expect(outlives({ 9: { parent: 1, group: 9, flags: '0100001' } })).toBe(true);
  });

  it('is outlived where the shell says that it started nohup', () => {
    for (const path of ['/usr/bin/nohup', 'nohup'])
      expect(outlives({ 9: { parent: 1, group: 9, environment: ['HOME=/root', `_=${path}`] } })).toBe(true);
  });

  it('is outlived below a shell of the same job that ignores it, or npx that was started so', () => {
    const below = { 9: { parent: 8, group: 7 }, 8: { parent: 7, group: 7 } };
    expect(outlives({ ...below, 7: { parent: 1, group: 7, ignored: '0000000000000001' } })).toBe(true);
    expect(outlives({ ...below, 7: { parent: 1, group: 7, environment: ['_=/usr/bin/nohup'] } })).toBe(true);
    expect(outlives({ ...below, 7: { parent: 1, group: 7, ignored: '0000000000000006' } })).toBe(false);
  });

  it('is not outlived because of what is no part of the job, as a login that ignores it', () => {
    const login = { parent: 1, group: 5, ignored: '0000000000000001', environment: ['_=/usr/bin/nohup'] };
    expect(outlives({ 9: { parent: 5, group: 9 }, 5: login })).toBe(false);
  });
});
