/** Who names several stacks asks which is the fastest, and how sure that is. */
import { describe, expect, it } from 'vitest';
import { renderRecord } from '../../src/readers/terminal/record.js';
import { shownLength, terminalStyle } from '../../src/readers/terminal/style.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { aboutSeconds, recordOf } from '../support/records.js';

const PATH = 'results/some-campaign/record.json';

function stacks(providers: readonly string[], more: Partial<PiBenchRecord> = {}): PiBenchRecord {
  const record = recordOf({
    batches: providers.map((provider, i) => ({
      stack: { provider },
      launches: aboutSeconds(1e-3 * (i + 1), 6, 0.01),
    })),
  });
  return { ...record, ...more };
}

const shown = (record: PiBenchRecord, width: number, path: string | null = PATH): readonly string[] =>
  renderRecord(record, path, { ...terminalStyle({}), width }).split('\n');

const headOf = (lines: readonly string[]): readonly string[] =>
  lines
    .find((line) => line.startsWith('  batch '))
    ?.trim()
    .split(/ {2,}/) ?? [];

describe('a record of several stacks', () => {
  const record = stacks(['one', 'other']);

  it.each([80, 120])('has at %i columns the rate of each, its interval and its efficiency', (width) => {
    const lines = shown(record, width);
    expect(Math.max(...lines.map(shownLength))).toBeLessThanOrEqual(width);
    expect(headOf(lines).slice(0, 6)).toEqual(['batch', 'n', 'rate', '95 %', 'efficiency', 'median']);
    for (const [name, rate] of [
      ['one', '2.000'],
      ['other', '1.000'],
    ])
      expect(lines.join('\n')).toMatch(new RegExp(`^ +${name} +6 +${rate} GFLOP/s +[\\d.]+–[\\d.]+ `, 'm'));
    expect(lines.join('\n')).toMatch(/rate +95 % intervals over 6 launches/);
  });

  it('has the share of the peak, and warns of one that no peak allows', () => {
    const roofline = { peak: 2.5e9, peakIsa: 'avx2', bandwidth: null, intensity: 1, bound: null };
    const of = (efficiency: number): PiBenchRecord => ({
      ...record,
      batches: record.batches.map((batch) => ({
        ...batch,
        roofline: { ...roofline, efficiency, attainable: null, share: null },
      })),
    });
    const style = { ...terminalStyle({}), width: 80, warn: (text: string) => `<${text}>` };
    expect(renderRecord(of(0.8), null, style)).toMatch(/one .* 80\.0 % /);
    expect(renderRecord(of(1.2), null, style)).toMatch(/one .* <120 %> /);
  });

  it('says how they are compared, but where that is done or there is nothing to compare', () => {
    const text = (of: PiBenchRecord, path: string | null = PATH) =>
      shown(of, 120, path).join(' ').replaceAll(/\s+/g, ' ');
    expect(text(record)).toContain('compare pi-bench compare results/some-campaign says which differences');
    expect(text(record, 'a.json')).toContain('pi-bench compare a.json ');
    expect(text(record, null)).not.toContain('pi-bench compare');
    expect(text(stacks(['one']))).not.toContain('pi-bench compare');
    const [first, second] = record.batches;
    if (first === undefined || second === undefined) throw new Error('two batches were made');
    expect(text({ ...record, batches: [first, { ...second, measured: 0 }] })).not.toContain(
      'pi-bench compare',
    );
    const settled = record.batches.map((one) => ({ ...one, asked: { ...one.asked, settle: 0.02 } }));
    expect(text({ ...record, batches: settled })).not.toContain('pi-bench compare');
  });

  it('is asked how steady they are where they were swept', () => {
    const swept = { ...record, campaign: { ...record.campaign, command: ['sweep', 'matmul'] } };
    expect(headOf(shown(swept, 120)).slice(0, 5)).toEqual(['batch', 'n', 'median', 'std', 'std error']);
    expect(shown(swept, 120).join('\n')).toContain('pi-bench compare');
  });
});
