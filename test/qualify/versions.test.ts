/** A node that is held to what another version of pi-bench measured is told so: other kernels are not another node. */
import { expect, it } from 'vitest';
import { historyKey } from '../../src/qualify/rates.js';
import { versionNotices } from '../../src/qualify/versions.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { baselineOf, contextOf, judgement, knownMachine, partsRecord } from './support.js';

const SECOND = 0.001;
const RATE = 2e6 / SECOND;
/** By 0.0.0. */
const record = partsRecord([{ part: 'gemm', launches: [SECOND] }]);
const [batch] = record.batches as [RecordBatch];
const baseline = (
  version: string,
  hardware: Record<string, string> | undefined = { architecture: 'x64' },
) => ({
  ...baselineOf(batch, RATE),
  piBench: { version, commit: null },
  hardware,
});
const history = (version: string) =>
  [1, 2, 3].map((i) => ({
    campaign: String(i),
    at: '',
    version,
    rates: new Map([[historyKey(knownMachine(), batch) ?? '', RATE]]),
  }));

it('a floor says where its limit comes from another version', () => {
  const source = (version: string) => {
    const context = contextOf(record, { baseline: baseline(version) });
    const { findings, verdict } = judgement({ check: 'floor', medianAtLeast: 0.9 }, context);
    return [verdict, findings[0]?.source];
  };
  expect(source('0.0.0')).toEqual(['pass', 't1 of baseline fleet, 5 nodes']);
  expect(source('0.0.9')).toEqual(['pass', 't1 of baseline fleet, 5 nodes, measured by pi-bench 0.0.9']);
});

it('a history says where its limit comes from another version', () => {
  const source = (version: string) => {
    const context = contextOf(record, { history: history(version) });
    return judgement({ check: 'history', within: 0.1 }, context).findings[0]?.source;
  };
  expect(source('0.0.0')).not.toContain('pi-bench');
  expect(source('0.0.9')).toMatch(/, measured by pi-bench 0\.0\.9$/);
});

it('is among what is not judged, once for all checks', () => {
  const notices = (version: string) =>
    versionNotices('0.0.0', {
      baseline: baseline(version),
      history: history(version),
      expected: {},
    });
  expect(notices('0.0.0')).toEqual([]);
  expect(notices('0.0.9')).toEqual([
    'floor: whether a difference to baseline fleet is the node’s: pi-bench 0.0.9 measured it, and this is 0.0.0',
    'history: whether a difference to what the node was is the node’s: pi-bench 0.0.9 measured it, and this is 0.0.0',
  ]);
});

it('is so, too, whether a baseline of before is of this very CPU, which others have the name of', () => {
  const notices = (hardware: Record<string, string>) =>
    versionNotices('0.0.0', { baseline: baseline('0.0.0', hardware), history: [], expected: {} });
  expect(notices({})).toEqual([
    'floor: whether baseline fleet is of this very CPU, and not of another with its name: not known',
  ]);
  expect(notices({ architecture: 'x64' })).toEqual([]);
});
