import { describe, expect, it } from 'vitest';
import type { SubmissionEntry } from '../../src/submit/journal.js';
import { statesOf } from '../../src/submit/state.js';
import { exitCodeOf, summarise } from '../../src/submit/summary.js';
import { AT as at, headOf } from './support.js';

const HEAD = headOf({ retries: 1, targets: ['n1', 'n2'] });

const submitting = (attempt: number, ...targets: string[]): SubmissionEntry => ({
  event: 'submitting',
  targets,
  attempt,
  at,
});
const submitted = (attempt: number, ...targets: string[]): SubmissionEntry => ({
  event: 'submitted',
  jobs: targets.map((target) => ({ target, job: `job-${target}-${attempt}` })),
  attempt,
  at,
});
const ended = (target: string, attempt: number, exitCode: number | null, again = false): SubmissionEntry => ({
  event: 'ended',
  target,
  attempt,
  node: target,
  exitCode,
  reason: exitCode === null ? 'the node failed' : null,
  record: exitCode === null ? null : `nodes/${target}/record.json`,
  again,
  at,
});

const journal = (...entries: SubmissionEntry[]) => ({ head: HEAD, entries: [HEAD, ...entries] });
const phases = (...entries: SubmissionEntry[]) =>
  [...statesOf(journal(...entries)).values()].map(({ phase }) => phase);
const exitCode = (...entries: SubmissionEntry[]) => exitCodeOf(summarise(journal(...entries)));

describe('where the nodes of a submission stand follows from its journal', () => {
  it('at first everything is to be done', () => {
    expect(phases()).toEqual(['to-do', 'to-do']);
  });

  it('between handing over and noting it nobody knows whether it arrived', () => {
    expect(phases(submitting(1, 'n1', 'n2'))).toEqual(['submitting', 'submitting']);
  });

  it('handed over, ended and lost, and lost ones once more', () => {
    const first = [submitting(1, 'n1', 'n2'), submitted(1, 'n1', 'n2')];
    expect(phases(...first)).toEqual(['submitted', 'submitted']);
    expect(phases(...first, ended('n1', 1, 0), ended('n2', 1, null, true))).toEqual(['ended', 'to-do']);
    const again = [...first, ended('n2', 1, null, true), submitting(2, 'n2'), submitted(2, 'n2')];
    const n2 = statesOf(journal(...again)).get('n2');
    expect(n2).toMatchObject({ phase: 'submitted', attempt: 2, job: 'job-n2-2' });
    expect(n2?.ends).toHaveLength(1);
  });
});

describe('the exit code of a submission', () => {
  it.each([
    [0, 0, 0],
    [0, 2, 2],
    [0, null, 2],
    [0, 1, 1],
    [0, 3, 1],
    [1, null, 1],
    [0, 64, 2],
    [0, 143, 2],
  ])('of nodes that ended with %s and %s is %s', (a, b, expected) => {
    expect(exitCode(ended('n1', 1, a), ended('n2', 1, b))).toBe(expected);
  });

  it('is incomplete where a node that did well has nothing to show for it', () => {
    const empty = { ...ended('n2', 1, 0), record: null } as SubmissionEntry;
    expect(exitCode(ended('n1', 1, 0), empty)).toBe(2);
  });

  it('is incomplete where one node had the turn of another', () => {
    const again = { ...ended('n2', 1, 0), node: 'n1' } as SubmissionEntry;
    expect(exitCode(ended('n1', 1, 0), again)).toBe(2);
  });

  it('is incomplete while a node still runs', () => {
    expect(exitCode(ended('n1', 1, 0))).toBe(2);
  });
});

describe('the summary', () => {
  it('keeps every lost attempt, also of a node that came to a result', () => {
    const { nodes } = summarise(journal(ended('n1', 1, null, true), ended('n1', 2, 0)));
    expect(nodes[0]).toMatchObject({
      status: 'done',
      lostAttempts: [{ attempt: 1, reason: 'the node failed' }],
    });
    expect(nodes[1]).toMatchObject({ status: 'running', record: null });
  });
});
