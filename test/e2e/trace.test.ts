/** The trace of a real campaign agrees with its record. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTrace } from '../../src/readers/trace/write.js';
import { readJournal } from '../../src/store/journal.js';
import { readInspection } from '../../src/store/read-inspection.js';
import { expectNested, type FileEvent, ns } from '../readers/trace/support.js';
import { matmulRecord, withFolder } from '../support/pi-bench.js';
import { there } from '../support/there.js';

describe('the trace of a campaign', () => {
  it('nests, has every repetition, and adds up to what the record accounts for', async () => {
    await withFolder(async (out) => {
      const { record, folder } = await matmulRecord(
        out,
        '--size',
        '64',
        '--reps',
        '50',
        '--inspections',
        '2',
      );
      const { spans, measured } = there(record.accounting, 'accounting');
      const path = join(folder, 'trace.json');
      const { entries } = readJournal(join(folder, 'journal.ndjson'));
      const read = (index: number) => readInspection(folder, `inspections/${index}.json`);
      await writeTrace(path, { record, journal: entries, readInspection: read });
      const file = JSON.parse(readFileSync(path, 'utf8')) as { traceEvents: FileEvent[] };
      const slices = file.traceEvents.filter(({ ph }) => ph === 'X');
      expectNested(file.traceEvents);
      expect(slices.filter(({ cat }) => cat === 'repetition')).toHaveLength(100);

      const drawn = (name: string): number =>
        slices.filter((slice) => slice.name === name).reduce((sum, { dur }) => sum + ns(dur), 0) / 1e9;
      for (const { name, seconds } of spans) {
        if (name !== 'between launches') expect(drawn(name), name).toBeCloseTo(seconds, 7);
      }
      // The record's clock is monotonic and begins when all is set up; the trace's moments are milliseconds of the wall clock.
      const at = (event: string): number => Date.parse(entries.find((one) => one.event === event)?.at ?? '');
      const setUp = (at('started') - at('campaign')) / 1000;
      const between = drawn('before the first launch') + drawn('between launches');
      const told = spans.find(({ name }) => name === 'between launches')?.seconds ?? 0;
      expect(between).toBeGreaterThan(0);
      expect(between).toBeLessThan(setUp + told + 0.5);
      // The samples' own time lies inside the phase that measured them.
      const inside =
        slices.filter(({ cat }) => cat === 'repetition').reduce((sum, { dur }) => sum + ns(dur), 0) / 1e9;
      expect(inside).toBeLessThanOrEqual(measured);
      expect(inside).toBeGreaterThan(0);
    });
  });
});
