/** `resume` of a folder in which nobody can look for a journal, as in one that may not be searched. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resumeCommand } from '../../src/cli/commands/resume.js';
import { JOURNAL } from '../../src/store/store.js';
import { withFolder } from '../support/pi-bench.js';

it('says that the journal cannot be read, and not that there is none', () =>
  withFolder(async (folder) => {
    symlinkSync(JOURNAL, join(folder, JOURNAL));
    await expect(resumeCommand.handler({ wait: true, dir: folder } as never)).rejects.toThrow(
      /^cannot read \S+journal\.ndjson: ELOOP/,
    );
  }));
