import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { appendToJournal, type JournalEntry, readJournal, repairJournal } from '../../src/store/journal.js';
import { campaignOf, specOf } from '../support/campaign.js';

const at = '2026-01-01T00:00:00.000Z';
const head: JournalEntry = {
  event: 'campaign',
  schemaVersion: 1,
  campaign: campaignOf([specOf()]),
  machine: {},
  piBench: { version: '0.1.0', commit: null },
  at,
};
const started: JournalEntry = { event: 'started', index: 0, attempt: 1, at };
const ended: JournalEntry = {
  event: 'ended',
  index: 0,
  attempt: 1,
  status: 'measured',
  reason: null,
  wall: 1.5,
  at,
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pi-bench-journal-'));
  path = join(folder, 'journal.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a journal', () => {
  it('gives back what was appended, in order', () => {
    for (const entry of [head, started, ended]) appendToJournal(path, entry);
    expect(readJournal(path).entries).toEqual([head, started, ended]);
    expect(readJournal(path).truncated).toBe(false);
  });

  it('drops a last line that was cut off anywhere, and nothing else', () => {
    for (const entry of [head, started, ended]) appendToJournal(path, entry);
    const whole = readFileSync(path);
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1;
    fc.assert(
      fc.property(fc.integer({ min: lastLine + 1, max: whole.length - 1 }), (cut) => {
        writeFileSync(path, whole);
        truncateSync(path, cut);
        const journal = readJournal(path);
        expect(journal.truncated).toBe(true);
        expect(journal.entries).toEqual([head, started]);
        repairJournal(path, journal);
        appendToJournal(path, ended);
        expect(readJournal(path).entries).toEqual([head, started, ended]);
      }),
      { numRuns: 50 },
    );
  });

  it('says at which line it is damaged, when it is not the last one', () => {
    appendToJournal(path, head);
    appendFileSync(path, '{"event":"sta\n');
    appendToJournal(path, ended);
    expect(() => readJournal(path)).toThrow(/damaged at line 2/);
  });

  it('refuses to go on when not even the first line is whole', () => {
    writeFileSync(path, JSON.stringify(head).slice(0, 40));
    expect(() => readJournal(path)).toThrow(UserError);
    expect(() => readJournal(path)).toThrow(/start the campaign again/);
  });

  it('refuses the journal of a newer pi-bench', () => {
    appendToJournal(path, { ...head, schemaVersion: 99 });
    expect(() => readJournal(path)).toThrow(/schema version 99.*use a newer pi-bench/);
  });

  it('never throws anything but a clear error, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        writeFileSync(path, bytes);
        try {
          readJournal(path);
          return false;
        } catch (error) {
          return error instanceof UserError;
        }
      }),
    );
  });
});
