/** The verdict: one number, its interval, and whether it may be believed at all. */
import { beforeAll, describe, expect, it } from 'vitest';
import { headlineOf } from '../../src/report/headline.js';
import { type BatchModel, buildReport } from '../../src/report/model.js';
import { recordOf } from '../support/records.js';
import { reportOf } from '../support/report.js';

let small: BatchModel;
let large: BatchModel;
beforeAll(async () => {
  const { report } = await reportOf([
    { size: 64, repetitions: 20, inspections: 6 },
    { size: 512, repetitions: 20, inspections: 6 },
  ]);
  const [first, second] = report.batches;
  if (first === undefined || second === undefined) throw new Error('two batches were asked for');
  [small, large] = [first, second];
});

describe('headlineOf', () => {
  it('gives the rate of a single batch with its interval and who verified it', () => {
    const headline = headlineOf([large], 'matmul', false);
    expect(headline).toMatchObject({ title: large.title, of: '', trust: 'ok' });
    expect(headline.value).toMatch(/^2\d\d\.\d GFLOP\/s$/);
    expect(headline.uncertainty).toMatch(/^95 % interval .* to .*, over 6 launches$/);
    expect(headline.verification).toMatch(/^Verified in 6 launches \(every element compared/);
  });

  it('names the highest rate of several as what it is', () => {
    const headline = headlineOf([small, large], 'matmul', false);
    expect(headline.of).toBe(`the highest rate of the batches: ${large.title}`);
    expect(headline.verification).toBe('Verified in all 12 launches of 2 batches');
  });

  it('is of an indicator where all batches are, and of none where they are of several', () => {
    const titleOf = (...indicators: readonly string[]): string => {
      const record = recordOf({ batches: indicators.map(() => ({ launches: [1, 1] })) });
      const batches = record.batches.map((batch, i) => ({
        ...batch,
        case: { ...batch.case, indicator: indicators[i] ?? '' },
      }));
      return buildReport({ ...record, batches }, [null, null]).headline.title;
    };
    expect(titleOf('matmul', 'matmul')).toBe('matmul, 2 batches');
    expect(titleOf('matmul', 'memory')).toBe('2 batches');
  });

  it('names the stack, too, where batches differ in it', () => {
    const library: BatchModel = { ...large, askedStack: 'cblas:/some/lib.so' };
    expect(headlineOf([small, library], 'matmul', false).of).toBe(
      `the highest rate of the batches: ${large.title}, on cblas:/some/lib.so`,
    );
    const idle = (askedStack: string): BatchModel => ({ ...large, idle: true, rate: null, askedStack });
    expect(headlineOf([idle('nccl'), idle('gloo')], 'collective', false).of).toBe(
      `the shortest of those that do no work: ${large.title}, on nccl`,
    );
  });

  it('says in which unit a rate is the highest where there are several', () => {
    const integers: BatchModel = { ...large, rateUnit: 'OP/s' };
    expect(headlineOf([small, integers], 'matmul', false).of).toBe(
      `the highest rate in FLOP/s: ${small.title}`,
    );
  });

  it('has no score for a wrong result, and says so before all else', () => {
    const wrong: BatchModel = {
      ...large,
      rate: null,
      verified: 'failed',
      verification: 'in 1 of 6 launches: C[0]',
    };
    expect(headlineOf([wrong], 'matmul', false)).toMatchObject({ value: null, trust: 'bad' });
    const several = headlineOf([small, wrong], 'matmul', false);
    expect(several.trust).toBe('bad');
    expect(several.verification).toBe('Wrong result: 1 batch; in 1 of 6 launches: C[0]');
  });

  it('does not take what nobody verified for verified', () => {
    const unknown: BatchModel = { ...large, rate: null, verified: 'not-run' };
    expect(headlineOf([unknown], 'matmul', false)).toMatchObject({ trust: 'warning' });
    expect(headlineOf([small, unknown], 'matmul', false).verification).toMatch(/^Not verified: in 1 batch/);
  });

  it('does not take for verified what has no batch, as a node that was only looked at', () => {
    expect(headlineOf([], '', false)).toMatchObject({
      value: null,
      trust: 'warning',
      verification: 'Nothing was measured',
    });
  });

  it('says how far launches are apart where they are too few for an interval', () => {
    const rate = large.rate === null ? null : { ...large.rate, interval: null };
    const few: BatchModel = { ...large, rate, basis: '2 launches: too few for an interval' };
    expect(headlineOf([few], 'matmul', false).uncertainty).toMatch(
      /^no interval: 2 launches: too few for an interval; launches from .* to .*GFLOP\/s$/,
    );
  });
});
