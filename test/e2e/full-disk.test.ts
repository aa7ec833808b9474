import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  campaignFolder,
  journalOf,
  piBench,
  readRecordFile,
  readSamples,
  startPiBench,
  until,
  withFolder,
} from '../support/pi-bench.js';

/** A file system of its own, small enough to fill; only where this user may mount. */
function canMount(): boolean {
  const done = spawnSync('unshare', ['-m', 'true']);
  if (done.status !== 0 || process.getuid?.() !== 0) {
    console.warn('skipped: mounting a small file system is not allowed here');
    return false;
  }
  return true;
}

describe.skipIf(!canMount())('a file system that becomes full while a campaign runs', () => {
  it('loses nothing that was measured: everything goes to another folder, which is named', () =>
    withFolder(async (folder) => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]);
      try {
        const running = startPiBench([
          'matmul',
          '--size',
          '64',
          '--reps',
          '2000',
          '--inspections',
          '3',
          '--out',
          folder,
        ]);
        await until(() => {
          try {
            const begun = journalOf(campaignFolder(folder)).some(({ event }) => event === 'started');
            return begun ? true : undefined;
          } catch {
            return undefined;
          }
        }, 'the first launch');
        const here = campaignFolder(folder);
        // Everything but a few pages is taken: the first documents no longer fit.
        try {
          writeFileSync(join(folder, 'ballast'), Buffer.alloc(230 * 1024));
        } catch {
          // As full as it gets.
        }
        const run = await running.ended;
        expect(run.code).toBe(0);
        const [, other] = /the campaign goes to (\S+)/.exec(run.stderr) ?? [];
        expect(other).toBeDefined();
        expect(readRecordFile(other ?? '').status).toBe('complete');
        for (const index of [0, 1, 2]) expect(readSamples(other ?? '', index).seconds).toHaveLength(2000);
        // There is no space for a file, and what stays there must not be measured again.
        for (const command of ['show', 'resume']) {
          const stayed = await piBench(command, here);
          expect(stayed.code, command).toBe(64);
          expect(stayed.stderr, command).toContain(other ?? '');
          expect(stayed.stderr, command).not.toContain('has not ended');
        }
      } finally {
        execFileSync('umount', [folder]);
      }
    }));
});
