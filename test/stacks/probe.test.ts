/** What a probe comes to whose process leaves something behind. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LibrarySpec } from '../../src/stacks/library-spec.js';
import { probe } from '../../src/stacks/probe.js';
import { withFolder } from '../support/pi-bench.js';

it('a library that starts a process which keeps the probe’s files is waited for no longer than the probe', () =>
  withFolder(async (folder) => {
    const [preloaded, note] = [join(folder, 'starts.cjs'), join(folder, 'pid')];
    // In the place of a library's constructor.
    writeFileSync(
      preloaded,
      `const how = { detached: true, stdio: ['ignore', 'ignore', 'ignore', 3] };
       const { pid } = require('node:child_process').spawn('sleep', ['1000'], how);
       require('node:fs').writeFileSync(${JSON.stringify(note)}, String(pid));`,
    );
    const environment = () => ({ NODE_OPTIONS: `--require ${preloaded}` });
    try {
      const probed = await probe({ interface: 'cblas' } as LibrarySpec, environment, join(folder, 'none.so'));
      expect(probed).toMatchObject({ loads: false, reason: expect.stringContaining('none.so') });
    } finally {
      process.kill(Number(readFileSync(note, 'utf8')), 'SIGKILL');
    }
  }));
