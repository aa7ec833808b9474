/** What cannot be looked at is not taken for nothing. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mayBeThere } from '../../src/store/may-be-there.js';
import { withFolder } from '../support/pi-bench.js';

it('is only what is there, or cannot be looked at', () =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('loop', join(folder, 'loop'));
    symlinkSync('nothing', join(folder, 'nowhere'));
    // Of a folder that may not be searched root knows nothing: what is behind a loop nobody can look at.
    const seen = ['file', '', 'loop', 'loop/record.json', 'nothing', 'nowhere', 'file/record.json'];
    expect(seen.map((name) => mayBeThere(join(folder, name)))).toEqual([
      ...[true, true, true, true],
      ...[false, false, false],
    ]);
  }));
