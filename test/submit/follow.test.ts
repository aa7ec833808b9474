import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { follow, type WaitingTarget } from '../../src/submit/follow.js';
import { appendToSubmission, readSubmission } from '../../src/submit/journal.js';
import type { Connection, JobState } from '../../src/submit/scheduler.js';
import { lastEnd, statesOf } from '../../src/submit/state.js';
import { withFolder } from '../support/pi-bench.js';
import { headOf } from './support.js';

/** A submission of one node, followed by a scheduler that says these things one after the other, the last of them for ever. */
async function followed(folder: string, says: readonly (JobState | UserError)[], output: () => string) {
  appendToSubmission(folder, headOf());
  let asked = 0;
  const connection: Connection = {
    submit: async (tasks) => tasks.map(({ target }) => ({ target, job: 'job-1' })),
    find: async () => [],
    async observe() {
      const said = says[Math.min(asked++, says.length - 1)];
      if (said instanceof UserError) throw said;
      return new Map(said === undefined ? [] : [['job-1', said]]);
    },
    output: async () => output(),
    said: async () => '',
    cancel: async () => {},
    howToCancel: () => '',
  };
  const waits: string[] = [];
  const onWait = (waiting: readonly WaitingTarget[]) =>
    void waits.push(...waiting.map(({ why }) => why ?? 'no reason'));
  const hooks = { onEnd: () => {}, onWait, signal: new AbortController().signal };
  await follow(folder, connection, hooks);
  const [state] = [...statesOf(readSubmission(folder)).values()];
  return { end: state === undefined ? null : lastEnd(state), waits };
}

const running: JobState = { phase: 'running', node: 'n1' };
const failed: JobState = { phase: 'ended', itself: false, node: 'n1', reason: 'the node failed' };
const silence = new UserError('the controller does not answer');

describe('following a submission', () => {
  it('asks a scheduler again that did not answer for a moment, and says so', () =>
    withFolder(async (folder) => {
      const { end, waits } = await followed(folder, [running, silence, failed], () => '');
      expect(waits).toEqual(['no reason', 'the controller does not answer']);
      expect(end).toMatchObject({ exitCode: null, reason: 'the node failed' });
    }));

  it('ends where the scheduler refuses to answer from the start', () =>
    withFolder(async (folder) => {
      await expect(followed(folder, [silence], () => '')).rejects.toThrow('the controller does not answer');
    }));

  it('says why a node was lost before it says that its output is gone, too', () =>
    withFolder(async (folder) => {
      const gone = () => {
        throw new UserError('there is no log');
      };
      const { end } = await followed(folder, [failed], gone);
      expect(end).toMatchObject({ node: 'n1', reason: 'the node failed; there is no log' });
    }));
});
