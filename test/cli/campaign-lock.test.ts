/** Who works on a campaign keeps others out of it wherever it lies. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openStoreAloud } from '../../src/cli/begin-campaign.js';
import { lockCampaign } from '../../src/cli/campaign-lock.js';
import { LOCK, lockFolder } from '../../src/store/folder-lock.js';
import { withFolder } from '../support/pi-bench.js';

const canLock = spawnSync('flock', ['--help']).error === undefined;
if (!canLock) console.warn('skipped: there is no program flock here');

afterEach(() => vi.unstubAllEnvs());

it.skipIf(!canLock)(
  'a campaign that moves while it is worked on is locked where it goes, until that has ended',
  () =>
    withFolder(async (folder) => {
      vi.stubEnv('TMPDIR', folder);
      const id = `moves-${process.pid}`;
      const store = openStoreAloud(join(folder, 'campaign'), id);
      const lock = await lockCampaign(id, store.folder());
      try {
        store.documentWritten('/elsewhere/1.json');
        expect(store.folder()).not.toBe(join(folder, 'campaign'));
        for (const one of [store.folder(), join(folder, 'campaign')])
          expect(lockFolder(one, 'another')).toMatchObject({
            holder: expect.stringContaining(`pid ${process.pid} `),
          });
      } finally {
        lock.release();
      }
      expect(existsSync(join(store.folder(), LOCK))).toBe(false);
    }),
);
