/** What travels with every KPI beside its value. */
import { expect, it } from 'vitest';
import { basisOf } from '../../src/record/kpi-basis.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { recordBatch } from '../support/records.js';

const ISO = '2026-01-02T03:04:05.000Z';

/** Of one batch, with as many launches more as are wanted. */
function ended(launches: number, endedAt?: string): RecordBatch {
  const batch = recordBatch({ launches: [1] });
  const [launch] = batch.inspections;
  if (launch === undefined) throw new Error('one was made');
  const told = endedAt === undefined ? {} : { endedAt };
  return { ...batch, inspections: Array.from({ length: launches }, () => ({ ...launch, ...told })) };
}

it('is of the newest launch, also of a curve of more launches than a call can have arguments', () => {
  const [old, newest] = [ended(200, '2026-01-01T00:00:00.000Z'), ended(1, ISO)];
  const points = [...Array.from({ length: 700 }, () => old), newest, old];
  expect(basisOf(points, 'otherwise').timestamp).toBe(ISO);
});

it('has another moment where no launch tells when it ended', () => {
  expect(basisOf([ended(2)], ISO).timestamp).toBe(ISO);
  expect(basisOf([], ISO).timestamp).toBe(ISO);
});
