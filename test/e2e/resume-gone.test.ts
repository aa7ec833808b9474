/** A campaign goes on although something of what it had measured is gone: that is measured again, and nothing else. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tinyLibrary } from '../support/libraries.js';
import {
  journalOf,
  matmulRecord,
  piBench,
  piBenchIn,
  printedRecord,
  withFolder,
} from '../support/pi-bench.js';

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

const linesOf = (folder: string): readonly unknown[] => journalOf(folder).map(({ event }) => event);

it('launches nothing in a shell with another variable that launches read, and says which', () =>
  withFolder(async (out) => {
    const { folder } = await matmulRecord(out, ...FEW, '--threads', '1');
    const before = linesOf(folder);
    const elsewhere = () =>
      piBenchIn({ env: { ...process.env, MALLOC_ARENA_MAX: '7' } }, 'resume', folder, '--quiet');
    // Nothing is left to launch: it stays as it is, wherever that is looked at.
    expect((await elsewhere()).code).toBe(0);
    rmSync(join(folder, 'inspections', '1.npz'));
    const refused = await elsewhere();
    expect(refused.stderr).toContain('(MALLOC_ARENA_MAX: not set then, 7 now): resume it under those');
    expect(refused.code).toBe(64);
    expect(linesOf(folder)).toEqual(before);
    expect((await piBench('resume', folder, '--quiet')).code).toBe(0);
  }));

it('makes the record of a campaign of which nothing is left to launch in whatever shell, and launches nothing', () =>
  withFolder(async (out) => {
    const { folder, record } = await matmulRecord(out, ...FEW, '--threads', '1');
    const journal = join(folder, 'journal.ndjson');
    const elsewhere = () =>
      piBenchIn({ env: { ...process.env, MALLOC_ARENA_MAX: '7' } }, 'resume', folder, '--quiet', '--json');
    const madeAgain = async (): Promise<void> => {
      rmSync(join(folder, 'record.json'));
      const before = linesOf(folder).length;
      const resumed = await elsewhere();
      expect(resumed.stderr).toBe('');
      expect(resumed.code).toBe(0);
      expect(printedRecord(resumed).batches).toEqual(record.batches);
      expect(linesOf(folder).slice(before)).toEqual(['resumed', 'stopped']);
    };
    await madeAgain();
    // As one that was killed while it analysed what it had measured.
    const lines = readFileSync(journal, 'utf8')
      .split('\n')
      .slice(0, 1 + 2 * 3);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ event: 'ended', index: 2 });
    writeFileSync(journal, `${lines.join('\n')}\n`);
    await madeAgain();
  }));

it('prints a campaign that is complete although its stack is gone; what is missing cannot be measured then', () =>
  withFolder(async (scratch) => {
    const library = tinyLibrary(scratch, 'mine');
    const file = join(scratch, 'stacks.yaml');
    writeFileSync(file, 'stacks:\n  - { name: mine, stack: cblas, library: libmine.so }\n');
    const what = [...FEW, '--threads', '1', '--stack-file', file];
    const { folder } = await matmulRecord(join(scratch, 'results'), ...what);
    rmSync(library);
    const printed = await piBench('resume', folder, '--quiet', '--json');
    expect(printedRecord(printed)).toMatchObject({ status: 'complete', batches: [{ measured: 3 }] });
    expect(printed.code).toBe(0);
    // Nor does its record need the stack.
    rmSync(join(folder, 'record.json'));
    const madeAgain = await piBench('resume', folder, '--quiet', '--json');
    expect(printedRecord(madeAgain).batches).toEqual(printedRecord(printed).batches);
    rmSync(join(folder, 'inspections', '1.npz'));
    const refused = await piBench('resume', folder, '--quiet');
    expect(refused.stderr).toMatch(/the stack mine is no longer as it was \(.*libmine\.so has gone\)/);
    expect(refused.code).toBe(64);
  }));

it('launches nothing on another build of a library, but goes on once the first one is back', () =>
  withFolder(async (scratch) => {
    const library = tinyLibrary(scratch, 'own');
    const { folder } = await matmulRecord(
      join(scratch, 'results'),
      ...FEW,
      '--threads',
      '1',
      '--stack',
      `cblas:${library}`,
    );
    const before = linesOf(folder);
    rmSync(join(folder, 'inspections', '1.npz'));
    const kept = join(scratch, 'kept.so');
    copyFileSync(library, kept);
    copyFileSync(tinyLibrary(scratch, 'other'), library);
    const refused = await piBench('resume', folder, '--quiet');
    expect(refused.stderr).toMatch(
      /what is left of this campaign would run another build of cblas than launch 1: \w{64}, not \w{64}: resume/,
    );
    expect(refused.code).toBe(64);
    expect(linesOf(folder)).toEqual(before);
    copyFileSync(kept, library);
    expect((await piBench('resume', folder, '--quiet')).code).toBe(0);
  }));
