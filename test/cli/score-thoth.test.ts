/** Documents for Thoth have no place in which to say what a score was forced past: then there are none. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scoreCommand } from '../../src/cli/commands/score.js';
import { digestOf } from '../../src/record/digest.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { aboutSeconds, recordOf, writeRecord } from '../support/records.js';

const folder = mkdtempSync(join(tmpdir(), 'pi-bench-score-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(
  id: string,
  labels: PiBenchRecord['labels'],
  fault: PiBenchRecord['campaign']['fault'],
): string {
  const record = recordOf({ id, labels, batches: [{ launches: aboutSeconds(1e-3) }] });
  const spoiled = { ...record, campaign: { ...record.campaign, fault } };
  return writeRecord(folder, { ...spoiled, digest: digestOf(spoiled) });
}

const scored = (record: string, reference: string, more: object = {}): unknown =>
  scoreCommand.handler({
    ...{ _: [], $0: '', record, reference, format: 'thoth', force: true },
    out: join(folder, 'thoth'),
    ...more,
  });

describe('documents for Thoth with a score that was forced', () => {
  const good = written('good', {}, null);

  it.each([
    [
      'a reference with an injected error',
      written('faulty', {}, { kind: 'stopped', share: 0.5 }),
      /^Thoth’s documents could not say that their score was forced \(faulty has an error injected .*leave --reference out for documents without a score$/,
    ],
    [
      'a reference of another machine',
      written('elsewhere', { cpu_model: 'another' }, null),
      /^Thoth’s documents could not say that their score was forced \(cpu_model .*leave --reference out for documents without a score$/,
    ],
  ])('are not written beside %s', (_, reference, says) => {
    expect(() => scored(good, reference)).toThrow(says);
    expect(readdirSync(folder)).not.toContain('thoth');
  });

  it('are not refused for what --across allows, whatever else is forced', () => {
    const elsewhere = written('allowed', { cpu_model: 'another' }, null);
    expect(() => scored(good, elsewhere, { across: 'cpu_model' })).not.toThrow(/forced/);
  });
});
