/** What becomes of a verdict whose record cannot be written where its campaign lies. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { deliver } from '../../src/cli/qualification/deliver.js';
import { parseFormats } from '../../src/cli/qualification/outputs.js';
import { verdictFile } from '../../src/qualify/answer.js';
import { qualificationOf, withQualification } from '../../src/qualify/qualification.js';
import { parseSuite } from '../../src/qualify/suite.js';
import { readRecord } from '../../src/store/read-record.js';
import { openStore, RECORD } from '../../src/store/store.js';
import { knownMachine, partsRecord } from '../qualify/support.js';
import { withFolder } from '../support/pi-bench.js';

const AT = '2026-01-02T03:04:05.000Z';
const qualification = qualificationOf({
  suite: parseSuite('name: look\nchecks:\n  - { check: swap }\n', 'look.yaml', () => ''),
  machine: knownMachine(),
  expected: {},
  baseline: null,
  startedAt: AT,
  endedAt: AT,
  wall: 1,
  judged: [],
  attempts: [],
  interrupted: false,
  notJudged: [],
});
const record = withQualification(partsRecord([]), { ...qualification, outcome: 'qualified' });

const before = process.exitCode;
afterEach(() => {
  process.exitCode = before;
  vi.unstubAllEnvs();
});

/** What is written to both while it works. */
async function heard(
  work: () => Promise<void>,
): Promise<{ readonly printed: string; readonly said: string }> {
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockReturnValue(true),
  );
  try {
    await work();
    const [printed = '', said = ''] = streams.map(({ mock }) => mock.calls.map(([text]) => text).join(''));
    return { printed, said };
  } finally {
    for (const stream of streams) stream.mockRestore();
  }
}

/** Of a campaign whose folder is not there any more. @param elsewhere for what cannot be written where it was to be */
async function delivered(folder: string, elsewhere: string) {
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  vi.stubEnv('TMPDIR', elsewhere);
  const own = join(folder, 'campaign');
  const store = openStore(own, record.campaign.id, () => {});
  rmSync(own, { recursive: true });
  const page = join(folder, 'verdict.md');
  const told = await heard(() =>
    deliver(
      {
        record,
        qualification: { ...qualification, outcome: 'qualified' },
        store,
        signalled: null,
        came: null,
      },
      { json: false, wanted: parseFormats(`md=${page}`), gateway: null },
    ),
  );
  const { verdicts } = JSON.parse(readFileSync(verdictFile(), 'utf8')) as { verdicts: readonly object[] };
  return { ...told, own, store, verdicts, formatted: existsSync(page) };
}

it('goes with its record to another folder', () =>
  withFolder(async (folder) => {
    const { own, store, verdicts, printed, formatted } = await delivered(folder, folder);
    expect(process.exitCode).toBe(0);
    expect(store.folder()).not.toBe(own);
    expect(readRecord(store.folder()).record.qualification?.outcome).toBe('qualified');
    expect(verdicts).toMatchObject([{ outcome: 'qualified', record: join(store.folder(), RECORD) }]);
    expect(printed).toContain(store.folder());
    expect(formatted).toBe(true);
  }));

it('is told, kept for those who ask and formatted without a record, and is no clean yes then', () =>
  withFolder(async (folder) => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { verdicts, printed, said, formatted } = await delivered(folder, file);
    expect(process.exitCode).toBe(2);
    expect(said).toMatch(/the verdict stands, but its record cannot be written: cannot write to .* nor to/);
    expect(verdicts).toMatchObject([{ outcome: 'qualified' }]);
    expect(printed).toMatch(/^QUALIFIED/);
    expect(formatted).toBe(true);
  }));
