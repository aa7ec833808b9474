import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { movedTo } from '../../src/store/moved.js';
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

/** Is measured again after a while: no two repetitions are alike to the nanosecond. */
const NEVER_STEADY = `
name: quick
cooldown: 3s
campaign:
  measure:
    - indicator: matmul
      parameters: { size: 128, threads: 1 }
      repetitions: 200
      inspections: 1
      warmup: 50ms
      labels: { part: small }
checks:
  - { check: stability, cvAtMost: 0 }
`;

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

  it('loses no verdict: its record goes to another folder, too, and what was asked for is kept', () =>
    withFolder(async (folder) => {
      const out = join(folder, 'out');
      mkdirSync(out);
      writeFileSync(join(folder, 'quick.yaml'), NEVER_STEADY);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', out]);
      try {
        const running = startPiBench(
          ['qualify', '--suite', 'quick.yaml', '--quiet', '--out', 'out', '--format', 'junit=result.xml'],
          folder,
          { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
        );
        await until(() => {
          const [name] = readdirSync(out);
          const there = name !== undefined && existsSync(join(out, name, 'journal.ndjson'));
          return there && journalOf(join(out, name)).at(-1)?.event === 'stopped' ? true : undefined;
        }, 'the end of the first campaign');
        const here = campaignFolder(out);
        // While it cools down before it measures again.
        try {
          writeFileSync(join(out, 'ballast'), Buffer.alloc(512 * 1024));
        } catch {
          // As full as it gets.
        }
        const { code, stdout, stderr } = await running.ended;
        expect([1, 2]).toContain(code);
        expect(stdout).toMatch(/^(NOT QUALIFIED|INCONCLUSIVE)/);
        const moved = movedTo(here) ?? '';
        expect(stderr).toContain(`the campaign goes to ${moved}`);
        const { qualification } = readRecordFile(moved);
        expect(qualification?.outcome).toMatch(/not-qualified|inconclusive/);
        // What was measured again could not be written there, either.
        const again = qualification?.attempts.slice(1) ?? [];
        expect(again).not.toEqual([]);
        for (const { campaign, folder: own } of again)
          expect(readRecordFile(resolve(moved, own ?? '')).campaign.id).toBe(campaign);
        expect(existsSync(join(folder, 'result.xml'))).toBe(true);
        const [verdicts] = readdirSync(join(folder, 'state'), { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.json'))
          .map((name) => readFileSync(join(folder, 'state', name), 'utf8'));
        expect(verdicts).toContain(join(moved, 'record.json'));
      } finally {
        execFileSync('umount', [out]);
      }
    }));
});
