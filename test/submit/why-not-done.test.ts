/** What is said of a node that is not done: what its record has, and not the line that came last on its way. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { renderSubmission } from '../../src/readers/terminal/submission.js';
import type { PiBenchRecord, Qualification, QualificationCheck } from '../../src/record/schema.js';
import { collect } from '../../src/submit/collect.js';
import type { NodeSummary } from '../../src/submit/summary.js';
import { whyNotDone } from '../../src/submit/why-not-done.js';
import type { Launch } from '../support/batch.js';
import { withFolder } from '../support/pi-bench.js';
import { recordOf } from '../support/records.js';
import { deliveryOf } from './support.js';

const SECOND = 0.001;
const good: Launch = { seconds: SECOND };
const measured = (...launches: readonly Launch[]): PiBenchRecord => recordOf({ batches: [{ launches }] });

const check = (id: string, verdict: QualificationCheck['verdict'], cause: string | null = null) =>
  ({ id, verdict, cause, required: true }) as QualificationCheck;
const judged = (
  outcome: Qualification['outcome'],
  ...checks: readonly QualificationCheck[]
): PiBenchRecord => ({
  ...recordOf({ batches: [] }),
  qualification: { outcome, checks } as unknown as Qualification,
});

describe('why a node is not done', () => {
  it.each([
    [
      'launches that were wrong, before those that were lost',
      measured({ seconds: SECOND, status: 'crashed', reason: 'it went away' }, good, {
        seconds: SECOND,
        passed: false,
      }),
      '1 of 3 launches wrong: a wrong output',
    ],
    [
      'a launch that was lost',
      measured(good, { seconds: SECOND, status: 'crashed', reason: 'it went away' }),
      '1 of 2 launches crashed: it went away',
    ],
    ['what the time did not reach', beyond(measured(good), 50), '1 of 50 launches measured: the time was up'],
    [
      'what a signal ended',
      { ...beyond(measured(good), 50), stoppedBy: 'signal' },
      '1 of 50 launches measured: it was interrupted',
    ],
    ['nothing, where all was measured', measured(good), null],
    [
      'the checks that stand in the way, with their causes',
      judged('not-qualified', check('counts', 'fail', 'missing-device'), check('swap', 'pass')),
      'counts missing-device',
    ],
    [
      'the first of many',
      judged('inconclusive', ...['a', 'b', 'c', 'd', 'e'].map((id) => check(id, 'skipped'))),
      'a, b, c, 2 more',
    ],
    [
      'that nothing could qualify it',
      judged('inconclusive'),
      expect.stringContaining('the suite has no check'),
    ],
    ['nothing, where it is qualified', judged('qualified', check('swap', 'pass')), null],
  ] as const)('is %s', (_, record, why) => {
    expect(whyNotDone(record as PiBenchRecord)).toEqual(why);
  });

  it('is what was missed of a precision that somebody was strict about', () => {
    const record = measured(good);
    const precision = { reached: false, reason: '± 3 %' } as PiBenchRecord['batches'][number]['precision'];
    const batches = record.batches.map((batch) => ({ ...batch, precision }));
    expect(whyNotDone({ ...record, batches })).toBe('the precision was not reached: ± 3 %');
  });

  /** As if so many launches had been asked for. */
  function beyond(record: PiBenchRecord, planned: number): PiBenchRecord {
    return { ...record, batches: record.batches.map((batch) => ({ ...batch, planned })) };
  }
});

describe('what is collected of a node', () => {
  const collected = (exitCode: number) =>
    withFolder(async (folder) => {
      const campaign = 'campaign-a';
      const place = join(folder, 'attempts', 'n1.1', 'results', campaign);
      mkdirSync(place, { recursive: true });
      const record = measured({ seconds: SECOND, passed: false });
      writeFileSync(join(place, 'record.json'), JSON.stringify(record));
      const said = 'launch 1 of 1 wrong in 1.2 s: the output is wrong';
      return collect(folder, { ...deliveryOf('n1'), campaign, exitCode, said }).said;
    });

  it('has the reason of its record in place of the last line of its progress', async () => {
    expect(await collected(3)).toBe('1 of 1 launch wrong: a wrong output');
  });

  it('has what pi-bench said where it ended by itself: the record knows nothing of that', async () => {
    expect(await collected(143)).toBe('launch 1 of 1 wrong in 1.2 s: the output is wrong');
  });
});

describe('a node of a submission, for a person', () => {
  it('is told by its checks where it measured nothing: a look without load has no batch', () => {
    const node: NodeSummary = {
      ...{ target: 'n1', node: 'n1', status: 'no', exitCode: 1 },
      ...{ reason: 'counts missing-device', record: 'nodes/n1/record.json', lostAttempts: [] },
    };
    const record = judged('not-qualified', check('counts', 'fail', 'missing-device'), check('swap', 'pass'));
    const text = renderSubmission(
      {
        kind: 'pi-bench submission',
        ...{ schemaVersion: 1, id: 'i', createdAt: '', scheduler: 'slurm', command: ['qualify'] },
        nodes: [node],
      },
      new Map([['n1', record]]),
      '/f',
      { ...terminalStyle({}), width: 200 },
    );
    expect(text).toContain('not qualified, 2 checks: 1 pass, 1 fail; counts missing-device');
    expect(text).not.toContain('0 batches');
  });
});
