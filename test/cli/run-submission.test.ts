/** What is left of a submission that could not be handed over, and who may follow one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeFolder } from '../../src/store/make-folder.js';
import type { findScheduler } from '../../src/submit/index.js';
import { appendToSubmission } from '../../src/submit/journal.js';
import { SUBMISSION_JOURNAL } from '../../src/submit/names.js';
import type { Connection } from '../../src/submit/scheduler.js';
import { slurm } from '../../src/submit/slurm.js';
import { headOf } from '../submit/support.js';
import { withModule } from '../support/mocked.js';
import { withFolder } from '../support/pi-bench.js';

const scheduler = vi.fn<typeof findScheduler>();
const loaded = () =>
  withModule('src/submit/index.ts', { findScheduler: scheduler }, async () => ({
    ...(await import('../../src/errors.js')),
    ...(await import('../../src/submit/cannot-keep.js')),
    ...(await import('../../src/submit/no-answer.js')),
    ...(await import('../../src/cli/run-submission.js')),
  }));
const { runSubmission, UserError, NoAnswer, CannotKeep } = await loaded();

const QUIET = { json: false, quiet: true };

let said = '';
beforeEach(() => {
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** What is said of a submission of one node whose scheduler answers so, and whether its folder is there afterwards. */
const handedOver = (error: Error) =>
  withFolder(async (above) => {
    const folder = join(above, 'submission');
    appendHead(folder);
    const submit = () => Promise.reject(error);
    scheduler.mockReturnValue(refusing(submit));
    await expect(runSubmission(folder, QUIET)).rejects.toBe(error);
    return { isThere: existsSync(folder), resumed: said.includes(`pi-bench resume ${folder} goes on`) };
  });

/** A scheduler of which only the handing over counts. */
const refusing = (submit: Connection['submit']) => ({
  ...slurm,
  connect: async () => ({
    submit,
    find: async () => [],
    observe: async () => new Map(),
    output: async () => '',
    said: async () => '',
    async cancel() {},
    howToCancel: () => '',
  }),
});

function appendHead(folder: string): void {
  makeFolder(folder);
  appendToSubmission(folder, headOf());
}

describe('a submission that is not handed over', () => {
  it('leaves nothing behind where the scheduler refuses it', async () => {
    expect(await handedOver(new UserError('sbatch refuses: no'))).toEqual({ isThere: false, resumed: false });
  });

  it.each([
    ['the scheduler does not answer', new NoAnswer('sbatch does not answer')],
    ['it cannot be noted that it was', new CannotKeep('cannot write to submission.ndjson: no space')],
    ['it is not known what failed', new Error('something else')],
  ])('stays where %s, and can be gone on with: its jobs may be there', async (_, error) => {
    expect(await handedOver(error)).toEqual({ isThere: true, resumed: true });
  });
});

describe('a submission whose journal takes no more', () => {
  /** What it comes to, and what is left of it. @param from when nothing can be written any more */
  const filled = (from: 'before' | 'after') =>
    withFolder(async (above) => {
      const folder = join(above, 'submission');
      appendHead(folder);
      let full = from === 'before';
      const writes = (...args: Parameters<typeof writeSync>): number => {
        if (full) throw new Error('ENOSPC: no space left on device, write');
        return writeSync(...args);
      };
      const submitted = vi.fn(async () => {
        full = true;
        return [{ target: 'n1', job: '7' }];
      });
      scheduler.mockReturnValue(refusing(submitted));
      await withModule('node:fs', { writeSync: writes }, async () => {
        const run = await loaded();
        await expect(run.runSubmission(folder, QUIET)).rejects.toMatchObject({
          message: `cannot write to ${join(folder, SUBMISSION_JOURNAL)}: ENOSPC: no space left on device, write`,
          exitCode: 2,
        });
      });
      const resumed = said.includes(`pi-bench resume ${folder} goes on`);
      return { isThere: existsSync(folder), resumed, handedOver: submitted.mock.calls.length };
    });

  it('says so in one line, and stays where something was handed over', async () => {
    expect(await filled('after')).toEqual({ isThere: true, resumed: true, handedOver: 1 });
  });

  it('hands nothing over that it cannot note before, and leaves nothing behind', async () => {
    expect(await filled('before')).toEqual({ isThere: false, resumed: false, handedOver: 0 });
  });
});

it('whose folder cannot be removed is told by its refusal, and is not locked any more by then: NFS removes nothing that is open', () =>
  withFolder(async (above) => {
    const folder = join(above, 'submission');
    appendHead(folder);
    const happened: string[] = [];
    const lockWork = async () => ({ release: () => happened.push('released') });
    const rmSync = (path: string): void => {
      happened.push(`removes ${path}`);
      throw new Error('ENOTEMPTY: directory not empty');
    };
    const refused = () =>
      withModule('node:fs', { rmSync }, async () => {
        const run = await loaded();
        const submit = () => Promise.reject(new run.UserError('sbatch refuses: no'));
        scheduler.mockReturnValue(refusing(submit));
        return run.runSubmission(folder, QUIET);
      });
    await expect(withModule('src/cli/work-lock.ts', { lockWork }, refused)).rejects.toThrow(
      'sbatch refuses: no',
    );
    expect(happened).toEqual(['released', `removes ${folder}`]);
    expect(said).toContain(`${folder} is left there: ENOTEMPTY`);
  }));

const canLock = spawnSync('flock', ['--help']).error === undefined;
if (!canLock) console.warn('skipped: there is no program flock here');

/** A process of another machine that follows it, until it is killed. */
function following(folder: string): Promise<ChildProcess> {
  const script = 'exec 3>>lock && flock -n 3 && echo pid 7 on login1 >&3 && echo ready && exec sleep 1000';
  const child = spawn('sh', ['-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(child));
    child.once('exit', () => reject(new Error('could not lock')));
  });
}

describe.skipIf(!canLock)('a submission that another machine follows', () => {
  it('is followed by no second one, which is told by whom, and changes nothing', () =>
    withFolder(async (folder) => {
      appendHead(folder);
      const journal = readFileSync(join(folder, SUBMISSION_JOURNAL), 'utf8');
      const other = await following(folder);
      try {
        await expect(runSubmission(folder, QUIET, true)).rejects.toThrow(
          /another machine .*, follows submission \S+ \(pid 7 on login1\): wait for its end, or end it; .* remove \S+\/lock$/,
        );
        expect(readFileSync(join(folder, SUBMISSION_JOURNAL), 'utf8')).toBe(journal);
      } finally {
        other.kill('SIGKILL');
      }
    }));
});
