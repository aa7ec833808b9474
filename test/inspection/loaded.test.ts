/** Which libraries a launch had loaded from its stack's folders. */
import { realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { loadedFrom } from '../../src/inspection/loaded.js';
import { withFolder } from '../support/pi-bench.js';

it('what a process has loaded is found below folders, by a link to them, too', () =>
  withFolder(async (folder) => {
    const program = realpathSync(process.execPath);
    symlinkSync(dirname(program), join(folder, 'link'));
    expect(loadedFrom([dirname(program)])).toContain(program);
    expect(loadedFrom([join(folder, 'link')])).toContain(program);
    expect(loadedFrom([folder, join(folder, 'gone')])).toEqual([]);
    expect(loadedFrom([])).toEqual([]);
  }));
