/** Which earlier runs of a results folder are a node's history. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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

/** @param runs the newest first */
const history = (runs: readonly Run[]): Promise<readonly string[]> =>
  withCampaign([{ repetitions: 20 }], (folder, record) => {
    const out = join(folder, 'out');
    runs.forEach((run, i) => {
      const day = String(28 - (i % 28)).padStart(2, '0');
      const month = String(12 - Math.floor(i / 28)).padStart(2, '0');
      const name = `2025${month}${day}T000000Z-qualify-${run.suite ?? 'site'}-a${i}`;
      mkdirSync(join(out, name), { recursive: true });
      writeFileSync(join(out, name, 'record.json'), JSON.stringify(qualified(record, `run-${i}`, run)));
    });
    return readHistory(out, suiteNamed('site'), of('own')).map(({ campaign }) => campaign);
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
