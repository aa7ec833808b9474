/** A launch that cannot be read has a reason, and nothing outside the campaign is ever read. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readReport } from '../../src/report/read-report.js';
import { readLaunch } from '../../src/report/read-samples.js';
import { withCampaign } from '../support/report.js';

describe('readLaunch', () => {
  it('gives the samples as they were written', () =>
    withCampaign([{ repetitions: 30 }], (folder, record) => {
      const [first] = record.batches[0]?.inspections ?? [];
      const read = readLaunch(folder, first ?? { file: null, sha256: null });
      expect('samples' in read && read.samples.seconds).toHaveLength(30);
    }));

  it.each([
    ['left no document', null, /left no samples/],
    ['is missing', 'inspections/99.json', /inspections\/99\.json is missing/],
    ['is outside of the campaign', '../../etc/hostname', /not one of its campaign/],
    ['hides a way out', 'inspections/../record.json', /not one of its campaign/],
  ])('says why of one that %s', (_, file, why) =>
    withCampaign([{ repetitions: 30, inspections: 1 }], (folder) => {
      const read = readLaunch(folder, { file, sha256: null });
      expect('why' in read ? read.why : 'read').toMatch(why);
    }));

  it.each([
    ['was cut off', '{"samples": {"seco', /is damaged/],
    ['is of something else', '{"samples": []}', /no document of an inspection/],
    [
      'is of a newer pi-bench',
      '{"kind": "pi-bench inspection", "schemaVersion": 99}',
      /schema version 99; this pi-bench knows up to 2/,
    ],
  ])('says why of one that %s', (_, text, why) =>
    withCampaign([{ repetitions: 30, inspections: 1 }], (folder) => {
      writeFileSync(join(folder, 'inspections', '0.json'), text);
      const read = readLaunch(folder, { file: 'inspections/0.json', sha256: null });
      expect('why' in read ? read.why : 'read').toMatch(why);
    }));

  it.each([
    [
      'were altered',
      'something else',
      /cannot read the samples .*0\.npz: it is not the file that was written/,
    ],
    ['are missing', null, /cannot read the samples .*0\.npz: ENOENT/],
  ])('says so where the samples %s', (_, content, why) =>
    withCampaign([{ repetitions: 30, inspections: 1 }], (folder) => {
      const path = join(folder, 'inspections', '0.npz');
      if (content === null) rmSync(path);
      else writeFileSync(path, content);
      const read = readLaunch(folder, { file: 'inspections/0.json', sha256: null });
      expect('why' in read ? read.why : 'read').toMatch(why);
    }));
});

/** What `<(cat FILE)` is in a shell: a pipe, which gives what it has once. */
async function throughPipe<T>(file: string, use: (path: string) => T): Promise<T> {
  const reader = `sh -c 'echo $$; exec sleep 600'`;
  const child = spawn('sh', ['-c', `cat "$0" | ${reader}`, file], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [said] = await once(child.stdout, 'data');
  const pid = Number(String(said));
  try {
    return use(`/proc/${pid}/fd/0`);
  } finally {
    process.kill(pid);
    await once(child, 'close');
  }
}

describe('readReport', () => {
  it('hands on the record that it read, also where it comes from a pipe', () =>
    withCampaign([{ repetitions: 30, inspections: 1 }], async (folder) => {
      const file = join(folder, 'record.json');
      const { recordText, record } = await throughPipe(file, readReport);
      expect(recordText).toBe(readFileSync(file, 'utf8'));
      expect(record.batches).toHaveLength(1);
    }));

  it('does not show a launch that was altered after the record was written', () =>
    withCampaign([{ repetitions: 30, inspections: 2 }], (folder) => {
      writeFileSync(join(folder, 'inspections', '0.json'), '{}');
      const { report } = readReport(folder);
      expect(report.batches[0]?.details?.missing).toEqual([
        { launch: 1, why: expect.stringMatching(/was altered after the record/), damaged: true },
      ]);
      expect(report.batches[0]?.details?.shown).toHaveLength(1);
    }));

  it('comes without any inspection, with every statistic that the record has', () =>
    withCampaign([{ repetitions: 30, inspections: 3 }], (folder) => {
      rmSync(join(folder, 'inspections'), { recursive: true });
      mkdirSync(join(folder, 'inspections'));
      const { report } = readReport(folder);
      expect(report.batches[0]?.details?.shown).toEqual([]);
      expect(report.batches[0]?.rate).not.toBeNull();
    }));

  it('gives every launch when all samples are asked for', () =>
    withCampaign([{ inspections: 2 }, { size: 64, inspections: 3 }], (folder) => {
      expect([...readReport(folder).allLaunches()].map(({ name }) => name).sort()).toEqual([
        '512',
        '512',
        '64',
        '64',
        '64',
      ]);
    }));
});
