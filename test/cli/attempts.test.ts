/** Where what a qualification measured again lies, as its record and `resume` have it. */
import { appendFileSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginCampaign } from '../../src/cli/begin-campaign.js';
import { attemptsIn } from '../../src/cli/qualification/attempts.js';
import { ATTEMPTS, folderOfAttempt } from '../../src/cli/qualification/names.js';
import { readJournal } from '../../src/store/journal.js';
import { leaveLink } from '../../src/store/moved.js';
import { inspectionPath, JOURNAL } from '../../src/store/store.js';
import { campaignOf } from '../support/campaign.js';
import { machineOf } from '../support/machine.js';
import { withFolder } from '../support/pi-bench.js';

const COMMAND = ['qualify', '--tier', 't2'];

interface Described {
  readonly createdAt?: string;
  readonly command?: readonly string[];
  readonly machine?: ReturnType<typeof machineOf>;
}

/** @returns its folder */
const begin = (
  id: string,
  out: string,
  { createdAt = '2026-01-01T00:00:00.000Z', command = COMMAND, machine = machineOf() }: Described = {},
): string =>
  beginCampaign({ ...campaignOf([]), id, createdAt, command: [...command] }, out, machine).store.folder();

/** A qualification, and where what it measured again lies. */
function qualificationIn(out: string) {
  const folder = begin('first', out);
  const place = join(folder, ATTEMPTS);
  mkdirSync(place);
  const found = () => attemptsIn(folder, readJournal(join(folder, JOURNAL))).map((one) => one.folder);
  return { place, found };
}

describe('what a qualification measured again', () => {
  it('is named relative to its record, and as it is where it had to go elsewhere', () => {
    expect(folderOfAttempt('/out/one', '/out/one/attempts/two')).toBe('attempts/two');
    expect(folderOfAttempt('/out/one', '/tmp/two')).toBe('/tmp/two');
    expect(folderOfAttempt('/tmp/one', '/tmp/two')).toBe('/tmp/two');
  });

  it('is gone on with where it went, and not with the part of it that stayed', () =>
    withFolder(async (folder) => {
      const { place, found } = qualificationIn(folder);
      const second = begin('second', place);
      const later = { createdAt: '2026-01-01T00:01:00.000Z' };
      const part = begin('third', place, later);
      const moved = begin('third', join(folder, 'elsewhere'), later);
      leaveLink(part, moved);
      expect(found()).toEqual([second, moved]);
    }));

  it('is nothing where it was killed before its first line', () =>
    withFolder(async (folder) => {
      const { place, found } = qualificationIn(folder);
      mkdirSync(join(place, 'second', 'inspections'), { recursive: true });
      mkdirSync(join(place, 'third'));
      writeFileSync(join(place, 'third', JOURNAL), '{"event":"camp');
      expect(found()).toEqual([]);
    }));

  it('is not gone on without where its journal is gone or damaged: a verdict is of all attempts', () =>
    withFolder(async (folder) => {
      const { place, found } = qualificationIn(folder);
      const second = begin('second', place);
      appendFileSync(join(second, JOURNAL), 'what a disk made of it\n');
      expect(found).toThrow(/^what was measured again in .*second is no longer known, .*damaged at line 2/);
      rmSync(join(second, JOURNAL));
      writeFileSync(join(second, inspectionPath(0)), '{}');
      expect(found).toThrow(/second is no longer known, .*start the qualification anew/);
    }));

  it('is none of another campaign, command or machine', () =>
    withFolder(async (folder) => {
      const { place, found } = qualificationIn(folder);
      const refused = (name: string, described: Described, why: RegExp): void => {
        const own = begin(name, place, described);
        expect(found).toThrow(/ is no attempt of this qualification \(.*\): take it away, or start/);
        expect(found).toThrow(why);
        rmSync(own, { recursive: true });
      };
      refused(
        'of-another',
        { command: ['qualify', '--tier', 't3'] },
        /begun by pi-bench qualify --tier t3\)/,
      );
      const bare = machineOf();
      const other = { ...bare, os: { ...bare.os, hostname: 'elsewhere', machineIdHash: 'another' } };
      refused('elsewhere', { machine: other }, /begun on another machine \(elsewhere\)/);
      const second = begin('second', place);
      const copied = begin('third', join(folder, 'third'));
      rmSync(second, { recursive: true });
      mkdirSync(second);
      copyFileSync(join(copied, JOURNAL), join(second, JOURNAL));
      expect(found).toThrow(/its journal is that of third\)/);
    }));
});
