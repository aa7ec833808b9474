/** Where what a qualification measured again lies, as its record and `resume` have it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginCampaign } from '../../src/cli/begin-campaign.js';
import { ATTEMPTS, folderOfAttempt } from '../../src/cli/qualification/names.js';
import { attemptsIn } from '../../src/cli/qualification/resume.js';
import { leaveLink } from '../../src/store/moved.js';
import { campaignOf } from '../support/campaign.js';
import { machineOf } from '../support/machine.js';
import { withFolder } from '../support/pi-bench.js';

describe('what a qualification measured again', () => {
  it('is named relative to its record, and as it is where it had to go elsewhere', () => {
    expect(folderOfAttempt('/out/one', '/out/one/attempts/two')).toBe('attempts/two');
    expect(folderOfAttempt('/out/one', '/tmp/two')).toBe('/tmp/two');
    expect(folderOfAttempt('/tmp/one', '/tmp/two')).toBe('/tmp/two');
  });

  it('is gone on with where it went, and not with the part of it that stayed', () =>
    withFolder(async (folder) => {
      const begin = (id: string, out: string, createdAt: string): string =>
        beginCampaign({ ...campaignOf([]), id, createdAt }, out, machineOf()).store.folder();
      const place = join(folder, ATTEMPTS);
      mkdirSync(place);
      const second = begin('second', place, '2026-01-01T00:00:00.000Z');
      const part = begin('third', place, '2026-01-01T00:01:00.000Z');
      const moved = begin('third', join(folder, 'elsewhere'), '2026-01-01T00:01:00.000Z');
      leaveLink(part, moved);
      expect(attemptsIn(folder).map((one) => one.folder)).toEqual([second, moved]);
    }));
});
