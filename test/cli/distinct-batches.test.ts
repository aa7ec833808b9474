/** What several entries of a campaign file, or combinations of flags, ask for alike. */
import { describe, expect, it } from 'vitest';
import { parseCampaignFile } from '../../src/campaign/campaign-file.js';
import { createCampaign } from '../../src/cli/create-campaign.js';
import { distinctBatches } from '../../src/cli/distinct-batches.js';
import { batchesOfEntry } from '../../src/cli/entry-batches.js';
import { specOf } from '../support/campaign.js';
import { machineOf } from '../support/machine.js';

/** Sizes and labels of its batches, and the lines of entries that ask for nothing new. */
function readBack(...entries: readonly object[]) {
  const file = parseCampaignFile(
    `measure:\n${entries.map((entry) => `  - ${JSON.stringify({ indicator: 'matmul', ...entry })}\n`).join('')}`,
    'x.yaml',
  );
  const lines: number[] = [];
  const batches = distinctBatches(
    file.entries,
    (entry) => batchesOfEntry(entry, 'x.yaml', machineOf(), new Map()),
    ({ line }) => lines.push(line),
  );
  return { batches: batches.map(({ case: { parameters }, labels }) => [parameters.m, labels?.side]), lines };
}

describe('entries of a campaign file', () => {
  it('that have a case in common measure it once', () => {
    const { batches, lines } = readBack(
      { parameters: { size: [64, 128] } },
      { parameters: { size: [128, 256] } },
    );
    expect(batches.map(([m]) => m)).toEqual([64, 128, 256]);
    expect(lines).toEqual([]);
  });

  it('that ask for nothing new are told', () => {
    const { batches, lines } = readBack({ parameters: { size: [64, 128] } }, { parameters: { size: 128 } });
    expect(batches.map(([m]) => m)).toEqual([64, 128]);
    expect(lines).toEqual([3]);
  });

  it('measure a stack beside itself by labels of their own', () => {
    const of = (side: string) => ({ parameters: { size: 64 }, labels: { side } });
    expect(readBack(of('a'), of('b'))).toEqual({
      batches: [
        [64, 'a'],
        [64, 'b'],
      ],
      lines: [],
    });
  });
});

describe('batches', () => {
  it('at once stay as they are, so that a device that is there twice is refused', () => {
    const [one, other] = ['cuda:0', 'cuda:1'].map((device) => specOf({ device, atOnce: true }));
    const all = distinctBatches([one, other, other], (batch) => (batch === undefined ? [] : [batch]));
    expect(all).toHaveLength(3);
  });

  it('of a campaign are no more than 10,000, whoever asks for them', () => {
    const many = Array.from({ length: 10_001 }, (_, seconds) => specOf({ timeout: 1 + seconds }));
    expect(() => distinctBatches([many], (batches) => batches)).toThrow(/at most 10000/);
    const asked = { name: 'x', command: [], seed: 1, budget: null, labels: {} };
    expect(() => createCampaign({ ...asked, batches: many })).toThrow(/at most 10000/);
  });
});
