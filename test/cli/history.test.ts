/** Which earlier runs of a results folder are a node's history. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readHistory } from '../../src/cli/qualification/inputs.js';
import { qualificationOf, withQualification } from '../../src/qualify/qualification.js';
import { parseSuite } from '../../src/qualify/suite.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { machineOf } from '../support/machine.js';
import { withCampaign } from '../support/report.js';

const suiteNamed = (name: string) =>
  parseSuite(
    `
name: ${name}
campaign: { measure: [{ indicator: matmul, labels: { part: gemm } }] }
checks: [{ check: correctness }, { check: history, within: 0.1 }]
`,
    `${name}.yaml`,
    () => '',
  );

const here = machineOf();
const of = (machineIdHash: string) => ({ ...here, os: { ...here.os, machineIdHash } });

interface Run {
  readonly outcome?: 'qualified' | 'not-qualified' | 'inconclusive';
  readonly machine?: string;
  readonly suite?: string;
  readonly fault?: PiBenchRecord['campaign']['fault'];
}

const qualified = (
  record: PiBenchRecord,
  id: string,
  { outcome, machine, suite, fault }: Run,
): PiBenchRecord => {
  const qualification = qualificationOf({
    suite: suiteNamed(suite ?? 'site'),
    machine: of(machine ?? 'own'),
    expected: {},
    baseline: null,
    startedAt: record.campaign.createdAt,
    endedAt: record.campaign.createdAt,
    wall: 1,
    judged: [],
    attempts: [],
    interrupted: false,
    notJudged: [],
  });
  return withQualification(
    {
      ...record,
      campaign: { ...record.campaign, id, fault: fault ?? null },
      machine: of(machine ?? 'own') as unknown as PiBenchRecord['machine'],
    },
    { ...qualification, outcome: outcome ?? 'qualified' },
  );
};

/** As the store writes it. */
const textOf = (record: PiBenchRecord): string => `${JSON.stringify(record, null, 1)}\n`;

/** @param runs the newest first, one each hour */
const history = (
  runs: readonly Run[],
  most?: Parameters<typeof readHistory>[3],
): Promise<readonly string[]> =>
  withCampaign([{ repetitions: 20 }], (folder, record) => {
    const out = join(folder, 'out');
    const another = textOf(qualified(record, 'another', { machine: 'another' }));
    runs.forEach((run, i) => {
      const at = new Date(Date.UTC(2025, 11, 31) - i * 3_600_000).toISOString();
      const moment = at.replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
      const name = `${moment}-qualify-${run.suite ?? 'site'}-a${i}`;
      mkdirSync(join(out, name), { recursive: true });
      const text = run.machine === 'another' ? another : textOf(qualified(record, `run-${i}`, run));
      writeFileSync(join(out, name, 'record.json'), text);
    });
    return readHistory(out, suiteNamed('site'), of('own'), most).map(({ campaign }) => campaign);
  });

it('are the newest that were qualified, however many failed or could not be told since', async () => {
  const failed = Array.from(
    { length: 25 },
    (_, i): Run => ({
      outcome: i % 2 === 0 ? 'not-qualified' : 'inconclusive',
    }),
  );
  expect(await history([...failed, {}, {}, {}])).toEqual(['run-25', 'run-26', 'run-27']);
});

it('are of this machine, and of this very suite', async () => {
  const others = Array.from({ length: 30 }, (): Run => ({ machine: 'another' }));
  expect(await history([...others, { suite: 'site-night' }, {}])).toEqual(['run-31']);
});

it('are of what the machine does by itself: in none was a fault injected', async () => {
  expect(await history([{ fault: { kind: 'stopped', share: 0.5 } }, {}])).toEqual(['run-1']);
});

it('are twenty', async () => {
  expect(await history(Array.from({ length: 22 }, () => ({})))).toHaveLength(20);
});

it('are found however many runs of other nodes lie in the same folder', async () => {
  const others = Array.from({ length: 400 }, (): Run => ({ machine: 'another' }));
  expect(await history([...others, {}, {}, {}])).toEqual(['run-400', 'run-401', 'run-402']);
});

describe('where there are more runs than can be looked at', () => {
  const said = vi.fn();
  beforeEach(() => {
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said(text);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    said.mockClear();
  });
  const others = (count: number): readonly Run[] =>
    Array.from({ length: count }, () => ({ machine: 'another' }));

  it.each<[string, readonly Run[], Parameters<typeof readHistory>[3], RegExp]>([
    [
      'of all nodes',
      [{}, ...others(6), {}],
      { lookedAt: 5, read: 9 },
      /history: of 8 earlier runs of suite site in .* the newest 5 were looked at: 1 qualified run of this node$/m,
    ],
    [
      'of its own',
      [{ outcome: 'not-qualified' }, ...others(2), {}, {}],
      { lookedAt: 9, read: 2 },
      /history: of 5 earlier runs of suite site in .* the newest 4 were looked at: 1 qualified run of this node$/m,
    ],
  ])('%s, that is said', async (_, runs, most, says) => {
    expect(await history(runs, most)).toHaveLength(1);
    expect(said.mock.calls.map(([text]) => text)).toEqual([expect.stringMatching(says)]);
  });

  it('nothing is said where all of them were, or twenty were found', async () => {
    expect(await history([{}, ...others(3)], { lookedAt: 4, read: 1 })).toHaveLength(1);
    expect(
      await history(
        Array.from({ length: 22 }, () => ({})),
        { lookedAt: 20, read: 20 },
      ),
    ).toHaveLength(20);
    expect(said).not.toHaveBeenCalled();
  });
});
