/** `resume` beside flags that what is resumed would not heed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resumeCommand } from '../../src/cli/commands/resume.js';
import { SUBMISSION_JOURNAL } from '../../src/submit/names.js';
import { withFolder } from '../support/pi-bench.js';

it.each([
  [{ wait: false }, '--no-wait'],
  [{ strict: true }, '--strict'],
  [{ wait: false, strict: true }, '--no-wait and --strict'],
])('of a submission is refused with %j: its nodes would not learn of it', (flags, named) =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, SUBMISSION_JOURNAL), '');
    await expect(resumeCommand.handler({ wait: true, ...flags, dir: folder } as never)).rejects.toThrow(
      `is a submission, whose nodes measure as they were told when it began, so nothing would come of ${named}: leave it out`,
    );
  }));
