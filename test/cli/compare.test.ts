/** Where `pi-bench compare` writes to, and as what. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askedFormat } from '../../src/cli/asked-format.js';
import { compareCommand } from '../../src/cli/commands/compare.js';
import { withFolder } from '../support/pi-bench.js';
import { aboutSeconds, recordOf, writeRecord } from '../support/records.js';

const { isTTY, columns } = process.stdout;
const { exitCode } = process;

afterEach(() => {
  Object.assign(process.stdout, { isTTY, columns });
  process.exitCode = exitCode;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** In a terminal of 120 columns that shows colours; what it was told. */
async function inTerminal(flags: Readonly<Record<string, unknown>>): Promise<string> {
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('TERM', 'xterm');
  Object.assign(process.stdout, { isTTY: true, columns: 120 });
  const told: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    told.push(String(text));
    return true;
  });
  await compareCommand.handler({ _: [], $0: '', format: 'text', ...flags } as never);
  return told.join('');
}

const twoRecords = (folder: string): readonly string[] =>
  [1e-3, 1.1e-3].map((centre, i) =>
    writeRecord(folder, recordOf({ id: `campaign-${i}`, batches: [{ launches: aboutSeconds(centre) }] })),
  );

describe('pi-bench compare', () => {
  it('writes into a file neither colours nor lines as wide as the terminal is', () =>
    withFolder(async (folder) => {
      const records = twoRecords(folder);
      const out = join(folder, 'comparison.txt');
      expect(await inTerminal({ records, out })).toBe(`${out}\n`);
      const text = readFileSync(out, 'utf8');
      expect(text).toContain('campaign-1 against campaign-0');
      expect(text).not.toContain('\u001b');
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
      expect(await inTerminal({ records })).toContain('\u001b');
    }));

  it('refuses a page and JSON at once: one of the two would have the other’s name', () =>
    withFolder(async (folder) => {
      const asked = { records: twoRecords(folder), format: 'html', json: true };
      await expect(inTerminal(asked)).rejects.toMatchObject({
        message: expect.stringMatching(/^--json and --format html are .*: leave one of the two out$/),
        exitCode: 64,
      });
    }));
});

describe('--json', () => {
  it('is the form of that name, beside which no other can be asked for', () => {
    expect(askedFormat('text', true)).toBe('json');
    expect(askedFormat('json', true)).toBe('json');
    expect(askedFormat('html', false)).toBe('html');
    expect(() => askedFormat('openmetrics', true)).toThrow(/--format openmetrics/);
  });
});
