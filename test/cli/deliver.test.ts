/** What becomes of a verdict whose record cannot be written where its campaign lies, and of one that not all got that were to. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deliver, deliverAgain } from '../../src/cli/qualification/deliver.js';
import { pushAddress } from '../../src/cli/qualification/gateway.js';
import { keepVerdict, parseFormats } from '../../src/cli/qualification/outputs.js';
import type { MachineDescription } from '../../src/machine/types.js';
import { parseVerdicts, verdictFile } from '../../src/qualify/answer.js';
import type { Judged } from '../../src/qualify/formats/index.js';
import { qualificationOf, withQualification } from '../../src/qualify/qualification.js';
import { parseSuite } from '../../src/qualify/suite.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
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

describe('one that was come to before', () => {
  const here = knownMachine();
  const newer = () =>
    withQualification(partsRecord([]), { ...qualification, endedAt: '2026-01-03T00:00:00.000Z' });

  /** What it is to go to, and what became of it. @param machine on which it is delivered again; @param there of which it is */
  const again = (machine: MachineDescription, before: PiBenchRecord | null = null, there = here) =>
    withFolder(async (folder) => {
      vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
      if (before !== null) await keepVerdict(before as Judged, '/newer');
      let pushed = 0;
      const server = createServer((_, response) => {
        pushed++;
        response.end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const [own, elsewhere] = [join(folder, 'campaign'), join(folder, 'verdict.prom')];
      mkdirSync(own);
      const judged = { ...record, machine: there } as unknown as Judged;
      const told = await heard(() =>
        deliverAgain(judged, join(own, RECORD), machine, {
          json: false,
          wanted: parseFormats(`md,prom=${elsewhere}`),
          gateway: pushAddress(`http://127.0.0.1:${port}`),
        }),
      );
      server.close();
      const file = existsSync(verdictFile()) ? readFileSync(verdictFile(), 'utf8') : null;
      return {
        ...told,
        code: process.exitCode,
        pushed,
        kept: parseVerdicts(file, hostname()).map((one) => one.at),
        formatted: [join(own, 'qualification.md'), elsewhere].map((path) => existsSync(path)),
      };
    });

  it('goes to all that did not get it then', async () => {
    const { printed, ...came } = await again(here);
    expect(came).toMatchObject({ code: 0, pushed: 1, kept: [AT], formatted: [true, true] });
    expect(printed).toMatch(/^QUALIFIED/);
  });

  it('takes the place of no newer one', async () => {
    const { printed, said, ...came } = await again(here, newer());
    expect(came).toEqual({
      code: 0,
      pushed: 0,
      kept: ['2026-01-03T00:00:00.000Z'],
      formatted: [true, false],
    });
    expect(printed).toMatch(/^QUALIFIED/);
    expect(said).toMatch(
      /it goes nowhere but here and into its folder: a newer verdict of suite look is kept/,
    );
  });

  it('is none of the machine on which somebody else reads it', async () => {
    const other = { ...here, os: { ...here.os, machineIdHash: 'another' } };
    const { printed, said, ...came } = await again(other);
    expect(came).toEqual({ code: 0, pushed: 0, kept: [], formatted: [true, false] });
    expect(printed).toMatch(/^QUALIFIED/);
    expect(said).toMatch(/this is not the machine that it is of/);
  });

  it('is no clean yes where it may be of this machine and nobody else gets it', async () => {
    const contained = (bootIdHash: string): MachineDescription => ({
      ...here,
      virtualisation: { ...here.virtualisation, container: 'docker' },
      os: { ...here.os, bootIdHash },
    });
    const { said, ...came } = await again(contained('second'), null, contained('first'));
    expect(came).toMatchObject({ code: 2, pushed: 0, kept: [], formatted: [true, false] });
    expect(said).toMatch(/nobody can tell whether this is still the machine that it is of/);
  });
});
