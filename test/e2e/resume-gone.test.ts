/** A campaign goes on although something of what it had measured is gone: that is measured again, and nothing else. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { matmulRecord, piBench, printedRecord, withFolder } from '../support/pi-bench.js';

const FEW = ['--size', '32', '--reps', '20', '--warmup', '2', '--inspections', '3', '--seed', '11'];

it('measures a launch again whose samples are gone, says so in one line, and keeps the others', () =>
  withFolder(async (out) => {
    const { folder } = await matmulRecord(out, ...FEW, '--threads', '1');
    const documents = () =>
      [0, 1, 2].map((index) => readFileSync(join(folder, 'inspections', `${index}.json`), 'utf8'));
    const before = documents();
    rmSync(join(folder, 'inspections', '1.npz'));
    const resumed = await piBench('resume', folder, '--quiet', '--json');
    expect(resumed.stderr).toMatch(/^pi-bench: launch 2 will be measured again: cannot read .*1\.npz.*$/m);
    expect(resumed.code).toBe(0);
    const record = printedRecord(resumed);
    expect(record).toMatchObject({ status: 'complete', batches: [{ measured: 3 }] });
    const after = documents();
    expect(after.map((text, index) => text === before[index])).toEqual([true, false, true]);
  }));
