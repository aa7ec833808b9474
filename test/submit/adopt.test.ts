/** A pi-bench that was killed between handing tasks over and noting that it had: what the next one does. */
import { describe, expect, it } from 'vitest';
import { follow } from '../../src/submit/follow.js';
import { appendToSubmission, readSubmission } from '../../src/submit/journal.js';
import type { Connection, JobState, Submitted } from '../../src/submit/scheduler.js';
import { statesOf } from '../../src/submit/state.js';
import { withFolder } from '../support/pi-bench.js';
import { AT, headOf, resultOf } from './support.js';

const TARGETS = ['n1', 'n2', 'n3'];

/** The next one, where the scheduler has the jobs of these targets. */
async function goneOn(folder: string, arrived: readonly string[], attempt = 1) {
  appendToSubmission(folder, headOf({ targets: TARGETS }));
  appendToSubmission(folder, { event: 'submitting', targets: TARGETS, attempt, at: AT });
  const handedOver: string[] = [];
  const ended: JobState = { phase: 'ended', itself: true, node: null, reason: 'it came to its end' };
  const connection: Connection = {
    async submit(tasks) {
      handedOver.push(...tasks.map((task) => `${task.target}.${task.attempt}`));
      return tasks.map(({ target }) => ({ target, job: `new-${target}` }));
    },
    find: async (tasks) =>
      tasks
        .filter(({ target }) => arrived.includes(target))
        .map((task) => ({ target: task.target, job: `found-${task.target}.${task.attempt}` })),
    observe: async (jobs) => new Map(jobs.map(({ job }) => [job, ended])),
    output: async ({ target }) => resultOf(target, attempt),
    said: async () => '',
    async cancel() {},
    howToCancel: () => '',
  };
  const hooks = { onEnd: () => {}, onWait: () => {}, signal: new AbortController().signal };
  const left = await follow(folder, connection, hooks);
  const journal = readSubmission(folder);
  const noted: readonly Submitted[] = journal.entries.flatMap((entry) =>
    entry.event === 'submitted' ? entry.jobs : [],
  );
  return { left, handedOver, noted, states: [...statesOf(journal).values()] };
}

describe('what was being handed over when pi-bench was killed', () => {
  it.each([
    ['nothing arrived', [], ['n1.1', 'n2.1', 'n3.1'], ['new-n1', 'new-n2', 'new-n3']],
    ['some arrived', ['n2'], ['n1.1', 'n3.1'], ['found-n2.1', 'new-n1', 'new-n3']],
    ['all arrived', TARGETS, [], ['found-n1.1', 'found-n2.1', 'found-n3.1']],
  ])('is handed over once and followed, where %s', (_, arrived, again, jobs) =>
    withFolder(async (folder) => {
      const { left, handedOver, noted, states } = await goneOn(folder, arrived);
      expect(handedOver).toEqual(again);
      expect(noted.map(({ job }) => job)).toEqual(jobs);
      expect(left).toEqual([]);
      expect(states.map(({ phase, ends }) => [phase, ends.map(({ exitCode }) => exitCode)])).toEqual(
        TARGETS.map(() => ['ended', [0]]),
      );
    }));

  it('is of the attempt that it was', () =>
    withFolder(async (folder) => {
      const { handedOver, noted, states } = await goneOn(folder, ['n1', 'n3'], 2);
      expect(handedOver).toEqual(['n2.2']);
      expect(noted.map(({ job }) => job)).toEqual(['found-n1.2', 'found-n3.2', 'new-n2']);
      expect(states.map(({ attempt }) => attempt)).toEqual([2, 2, 2]);
    }));
});
