/** Launches that were cut short are told apart, and give no figure. */
import { describe, expect, it } from 'vitest';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { verificationOf } from '../../src/readers/verification.js';
import type { RecordInspection } from '../../src/record/schema.js';
import type { Launch } from '../support/batch.js';
import { recordBatch, recordOf } from '../support/records.js';

const cutShort = (status: RecordInspection['status'], seconds = 1e-3): Launch => ({
  seconds,
  status,
  reason: 'stopped by a signal',
});

const page = (...batches: readonly (readonly (number | Launch)[])[]): string =>
  renderRecord(
    recordOf({ batches: batches.map((launches) => ({ launches })) }),
    null,
    terminalStyle({ isTTY: false }),
  ).replaceAll(/\s+/g, ' ');

describe('a batch of which no launch ran to its end', () => {
  it.each(['interrupted', 'timed-out'] as const)('has no figure where its launches were %s', (status) => {
    const text = page([cutShort(status), cutShort(status, 2e-3)]);
    expect(text).toContain('rate no result: none of 2 launches ran to its end');
    expect(text).not.toMatch(/FLOP\/s|95 %|elapsed|sustained|efficiency|spread/);
    expect(text).toContain(`launch 1 ${status}: stopped by a signal`);
  });

  it('says in words that its one launch is none', () => {
    expect(page([cutShort('interrupted')])).toContain(
      'rate no result: its one launch did not run to its end',
    );
  });

  it('has none in a table of several, either', () => {
    const text = page([{ seconds: 1e-3 }, { seconds: 1e-3 }], [cutShort('interrupted', 7e-3)]);
    expect(text).toContain('no score');
    expect(text).not.toMatch(/7\.00\d? ms/);
  });

  it('was not measured where none was begun, and has no score only where one was', () => {
    const text = page([1e-3, 1e-3], []);
    expect(text).toContain('not measured');
    expect(text).not.toContain('no score');
    const stacks = recordOf({
      batches: [{ launches: [1e-3, 1e-3] }, { stack: { provider: 'openblas' }, launches: [] }],
    });
    const rates = renderRecord(stacks, null, terminalStyle({ isTTY: false }));
    expect(rates).toContain('not measured');
    expect(rates).not.toContain('no score');
  });

  it('is only what a launch says that did end where another one did', () => {
    const text = page([{ seconds: 1e-3 }, cutShort('interrupted', 7e-3)]);
    expect(text).toContain('rate 2.000 GFLOP/s');
    expect(text).not.toContain('no result');
  });

  it('leaves a wrong output to speak for itself', () => {
    const text = page([{ seconds: 1e-3, passed: false }]);
    expect(text).toContain('WRONG');
    expect(text).not.toContain('no result');
  });
});

describe('the launches whose output was verified', () => {
  const verified = (...launches: readonly Launch[]): string => verificationOf(recordBatch({ launches }));

  it('are counted apart where they were cut short', () => {
    const whole = { seconds: 1e-3 };
    expect(verified(whole, whole)).toMatch(/^in 2 launches \(/);
    expect(verified(whole, whole, cutShort('interrupted'))).toMatch(
      /^in 2 launches and 1 launch that was cut short \(/,
    );
    expect(verified(cutShort('timed-out'), cutShort('interrupted'))).toMatch(
      /^in 2 launches that were cut short \(/,
    );
  });
});
