/** A campaign's folder that cannot be written: it goes elsewhere, or says where what was measured is. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EXIT, type UserError } from '../../src/errors.js';
import { leaveLink, movedOutOfSight, movedTo } from '../../src/store/moved.js';
import { readRecord } from '../../src/store/read-record.js';
import { openStore } from '../../src/store/store.js';
import { withFolder } from '../support/pi-bench.js';

afterEach(() => vi.unstubAllEnvs());

/** Below a file no folder can be made, not even by root. */
function nowhereToMove(folder: string): void {
  writeFileSync(join(folder, 'file'), '');
  vi.stubEnv('TMPDIR', join(folder, 'file'));
}
const entry = { event: 'stopped' } as unknown as Parameters<ReturnType<typeof openStore>['append']>[0];

function errorOf(act: () => unknown): UserError {
  try {
    act();
  } catch (error) {
    return error as UserError;
  }
  throw new Error('nothing was thrown');
}

describe('a campaign that can be written nowhere', () => {
  it('is bad usage where nothing was measured, and nobody is told of a move', () =>
    withFolder(async (folder) => {
      nowhereToMove(folder);
      const moved = vi.fn();
      const error = errorOf(() => openStore(join(folder, 'file', 'campaign'), 'none', moved));
      expect(error.exitCode).toBe(EXIT.usage);
      expect(error.message).toMatch(/^cannot write to .*campaign \(.*\) nor to .*: give --out a folder/);
      expect(moved).not.toHaveBeenCalled();
    }));

  it('is incomplete where something was measured, and says where that is and what goes on with it', () =>
    withFolder(async (folder) => {
      const wanted = join(folder, 'campaign');
      const moved = vi.fn();
      openStore(wanted, 'some', moved);
      writeFileSync(join(wanted, 'inspections', '0.json'), '{}');
      mkdirSync(join(wanted, 'journal.ndjson'));
      nowhereToMove(folder);
      // The folder for a move is settled when the store is opened.
      const again = openStore(wanted, 'some', moved);
      const error = errorOf(() => again.append(entry));
      expect(error.exitCode).toBe(EXIT.incomplete);
      expect(error.message).toContain(`what was measured so far is in ${wanted}`);
      expect(error.message).toContain(`pi-bench resume ${wanted}`);
      expect(moved).not.toHaveBeenCalled();
    }));
});

it('writes beside each line of the journal when that was, on a clock that nobody sets', () =>
  withFolder(async (folder) => {
    const store = openStore(join(folder, 'campaign'), 'clock', vi.fn());
    for (let line = 0; line < 2; line++) store.append(entry);
    const text = readFileSync(join(folder, 'campaign', 'journal.ndjson'), 'utf8').trim();
    const [first, second] = text.split('\n').map((line) => JSON.parse(line) as { monotonic: number });
    const now = Number(process.hrtime.bigint()) * 1e-9;
    expect(first?.monotonic).toBeGreaterThan(0);
    expect(second?.monotonic).toBeGreaterThan(first?.monotonic ?? now);
    expect(second?.monotonic).toBeLessThanOrEqual(now);
  }));

describe('a campaign that moves', () => {
  it('copies nothing over what another process has moved before', () =>
    withFolder(async (folder) => {
      vi.stubEnv('TMPDIR', folder);
      const wanted = join(folder, 'campaign');
      const first = openStore(wanted, 'twice', vi.fn());
      writeFileSync(join(wanted, 'inspections', '0.json'), 'old');
      first.documentWritten('/elsewhere/1.json');
      const moved = first.folder();
      writeFileSync(join(moved, 'inspections', '0.json'), 'newer');
      const again = openStore(wanted, 'twice', vi.fn());
      again.documentWritten('/elsewhere/1.json');
      expect(again.folder()).not.toBe(moved);
      expect(readFileSync(join(moved, 'inspections', '0.json'), 'utf8')).toBe('newer');
    }));

  it('leaves a link to where it is, by which nobody takes what stays for a campaign that has not ended', () =>
    withFolder(async (folder) => {
      vi.stubEnv('TMPDIR', folder);
      const wanted = join(folder, 'campaign');
      const moved = vi.fn();
      const store = openStore(wanted, 'links', moved);
      writeFileSync(join(wanted, 'journal.ndjson'), '');
      writeFileSync(join(wanted, 'lock'), 'pid 1');
      store.documentWritten('/elsewhere/1.json');
      const to = store.folder();
      // Whose process is at work there holds no lock on the copy.
      expect(existsSync(join(to, 'lock'))).toBe(false);
      expect(movedTo(wanted)).toBe(to);
      expect(moved.mock.calls[0]?.[0]).toMatchObject({ from: wanted, to, leftBehind: false });
      const refused = errorOf(() => readRecord(wanted));
      expect(refused.exitCode).toBe(EXIT.usage);
      expect(refused.message).toContain(`all of it is in ${to}`);
      // Of the file, too, and nobody who looks for records finds it.
      writeFileSync(join(wanted, 'record.json'), '{}');
      expect(errorOf(() => readRecord(join(wanted, 'record.json'))).message).toContain(
        `all of it is in ${to}`,
      );
      rmSync(join(wanted, 'record.json'));
      // What went is gone, as after a reboot: what stayed is all there is, and can move again.
      rmSync(to, { recursive: true });
      expect(movedTo(wanted)).toBeNull();
      expect(movedOutOfSight(wanted)).toBe(to);
      expect(errorOf(() => readRecord(wanted)).message).toMatch(
        /the rest went to .*, which is gone or on another machine; where it is gone, pi-bench resume \S+ measures anew what is missing/,
      );
      const again = openStore(wanted, 'links', moved);
      again.documentWritten('/elsewhere/1.json');
      expect(movedTo(wanted)).toBe(again.folder());
    }));

  it('takes along the link by which a campaign below it, which moved before, is found', () =>
    withFolder(async (folder) => {
      vi.stubEnv('TMPDIR', folder);
      const wanted = join(folder, 'campaign');
      const [there, gone] = [join(folder, 'there'), join(folder, 'gone')];
      const store = openStore(wanted, 'above', vi.fn());
      for (const [name, to] of Object.entries({ there, gone })) {
        mkdirSync(join(wanted, 'attempts', name), { recursive: true });
        leaveLink(join(wanted, 'attempts', name), to);
      }
      mkdirSync(there);
      store.documentWritten('/elsewhere/1.json');
      const attempts = join(store.folder(), 'attempts');
      expect(movedTo(join(attempts, 'there'))).toBe(there);
      expect(movedOutOfSight(join(attempts, 'gone'))).toBe(gone);
      expect(movedTo(store.folder())).toBeNull();
    }));

  it('brings the document of a launch that had begun beside another before the move', () =>
    withFolder(async (folder) => {
      vi.stubEnv('TMPDIR', folder);
      const wanted = join(folder, 'campaign');
      const store = openStore(wanted, 'at-once', vi.fn());
      store.documentWritten('/elsewhere/0.json');
      const late = join(wanted, 'inspections', '1.json');
      writeFileSync(late, '{}');
      writeFileSync(join(wanted, 'inspections', '1.npz'), 'samples');
      store.documentWritten(late);
      const there = join(store.folder(), 'inspections');
      expect(readFileSync(join(there, '1.json'), 'utf8')).toBe('{}');
      expect(readFileSync(join(there, '1.npz'), 'utf8')).toBe('samples');
    }));

  it('keeps the document that a launch has written there already', () =>
    withFolder(async (folder) => {
      vi.stubEnv('TMPDIR', folder);
      const wanted = join(folder, 'campaign');
      const store = openStore(wanted, 'beside', vi.fn());
      writeFileSync(join(wanted, 'inspections', '0.json'), 'attempt 1');
      const other = store.inspectionFolders().at(-1) ?? '';
      mkdirSync(other, { recursive: true });
      writeFileSync(join(other, '0.json'), 'attempt 2');
      store.documentWritten(join(other, '0.json'));
      expect(readFileSync(join(store.folder(), 'inspections', '0.json'), 'utf8')).toBe('attempt 2');
    }));

  it('can be written there, also where it was read-only', () =>
    withFolder(async (folder) => {
      vi.stubEnv('TMPDIR', folder);
      expect(tmpdir()).toBe(folder);
      const wanted = join(folder, 'campaign');
      const moved = vi.fn();
      const store = openStore(wanted, 'moves', moved);
      const document = join('inspections', '0.json');
      writeFileSync(join(wanted, document), '{}');
      chmodSync(join(wanted, document), 0o444);
      chmodSync(join(wanted, 'inspections'), 0o555);
      store.documentWritten('/elsewhere/1.json');
      expect(moved).toHaveBeenCalledOnce();
      const copy = store.folder();
      expect(copy).not.toBe(wanted);
      expect(readFileSync(join(copy, document), 'utf8')).toBe('{}');
      for (const path of ['inspections', document])
        expect(statSync(join(copy, path)).mode & 0o200, path).toBe(0o200);
      chmodSync(join(wanted, 'inspections'), 0o755);
    }));
});
