/** By which code `fleet pairs` ends: 0 only where every node was looked at and no link is slow. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fleetPairsCommand } from '../../src/cli/commands/fleet-pairs.js';
import { firstPass, type Pair } from '../../src/fleet/pairs.js';
import { withFolder } from '../support/pi-bench.js';
import { recordOf, writeRecord } from '../support/records.js';

const EIGHT = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const SLOW = 4e9;
const GOOD = 1e10;

type Rate = (pair: Pair) => number;
const linesOf = (pairs: readonly Pair[], rate: Rate): string =>
  pairs.map((pair) => `${JSON.stringify({ pair, rate: rate(pair), unit: 'B/s' })}\n`).join('');

interface Passes {
  readonly nodes: readonly string[];
  readonly first: Rate;
  /** null: there was no second pass. */
  readonly second: readonly (readonly [...Pair, number])[] | null;
}

/** The exit code, and what was said. */
const run = ({ nodes, first, second }: Passes): Promise<readonly [code: unknown, said: string]> =>
  withFolder(async (folder) => {
    const [one, two] = [join(folder, 'first.jsonl'), join(folder, 'second.jsonl')];
    writeFileSync(one, linesOf(firstPass(nodes, 1).pairs, first));
    const again = (second ?? []).map(([a, b, rate]) => ({ pair: [a, b] as const, rate }));
    writeFileSync(two, again.map((line) => `${JSON.stringify({ ...line, unit: 'B/s' })}\n`).join(''));
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await fleetPairsCommand.handler({
      ...{ _: [], $0: '', nodes: nodes.join(','), seed: '1', margin: '10%' },
      ...{ first: [one], ...(second === null ? {} : { second: [two] }) },
    });
    return [process.exitCode, said.mock.calls.map(([text]) => String(text)).join('')];
  });

describe('fleet pairs', () => {
  const before = process.exitCode;
  beforeEach(() => {
    process.exitCode = undefined;
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = before;
  });

  const good: Rate = () => GOOD;
  const { pairs, left } = firstPass(EIGHT.slice(0, 7), 1);

  it('ends with 0 where every link is good, and with 2 where a node was in no pair', async () => {
    expect(await run({ nodes: EIGHT, first: good, second: null })).toEqual([
      0,
      expect.stringMatching(/no pair is slower/),
    ]);
    expect(pairs).toHaveLength(3);
    expect(await run({ nodes: EIGHT.slice(0, 7), first: good, second: null })).toEqual([
      2,
      expect.stringContaining(`${left[0]} was in no pair, so nothing is known of it`),
    ]);
  });

  /** The first pair of the first pass is slow; the others passed. */
  const [suspects, other, further] = firstPass(EIGHT, 1).pairs as [Pair, Pair, Pair];
  const first: Rate = (pair) => (pair.includes(suspects[0]) ? SLOW : GOOD);
  const [one, two] = suspects;

  it.each<[string, Passes['second'], number]>([
    ['nobody measured again', null, 2],
    [
      'one is slow again',
      [
        [one, other[0], SLOW],
        [two, other[1], GOOD],
      ],
      1,
    ],
    [
      'both are good with others, so that the way between them is slow',
      [
        [one, other[0], GOOD],
        [two, other[1], GOOD],
      ],
      2,
    ],
    ['only one of its nodes was measured again', [[one, other[0], GOOD]], 2],
    ['neither of its nodes was measured again', [[further[0], other[0], GOOD]], 2],
  ])('a slow link, of which %s: ends with its code', async (_, second, code) => {
    const [ended] = await run({ nodes: EIGHT, first, second });
    expect(ended).toBe(code);
  });

  it('judges the other pairs where one left a journal and no record, of which a plan says whose it was', () =>
    withFolder(async (folder) => {
      const plan = firstPass(EIGHT, 1).pairs;
      const folders = plan.map((pair, i) => {
        const label = { pair: pair.join(' ') };
        return writeRecord(
          join(folder, `${i}`),
          recordOf({ batches: [{ launches: [1e-6], labels: label }] }),
        );
      });
      const [killed = ''] = folders;
      rmSync(join(killed, 'record.json'));
      writeFileSync(join(killed, 'journal.ndjson'), '');
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      const pass = async (more: Readonly<Record<string, string>>) => {
        process.exitCode = undefined;
        said.mockClear();
        printed.mockClear();
        await fleetPairsCommand.handler({ _: [], $0: '', seed: '1', margin: '10%', first: folders, ...more });
        const [out, err] = [printed, said].map(({ mock }) =>
          mock.calls.map(([text]) => String(text)).join(''),
        );
        expect(err).toMatch(/has no record: the campaign has not ended/);
        return [process.exitCode, out];
      };
      const [one = '', two = ''] = plan[0] ?? [];
      expect(await pass({ nodes: EIGHT.join(',') })).toEqual([
        2,
        expect.stringMatching(new RegExp(`^${one} \\w\n${two} \\w\n$`)),
      ]);
      expect(await pass({})).toEqual([2, '']);
    }));

  it('ends with 2 where a pair was not measured to its end, however fast it was before', () =>
    withFolder(async (folder) => {
      const folders = firstPass(EIGHT, 1).pairs.map((pair, i) => {
        const launches = [1e-6, { seconds: 1e-6, ...(i === 0 ? { status: 'interrupted' as const } : {}) }];
        return writeRecord(
          join(folder, `${i}`),
          recordOf({ batches: [{ launches, labels: { pair: pair.join(' ') } }] }),
        );
      });
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      await fleetPairsCommand.handler({ _: [], $0: '', seed: '1', margin: '10%', first: folders });
      const text = said.mock.calls.map(([line]) => String(line)).join('');
      expect(text).toMatch(/not measured to the end: \w and \w \(1 of 2 launches did not/);
      expect([process.exitCode, text]).toEqual([2, expect.stringMatching(/no pair is slower/)]);
    }));

  /** Every pair of these nodes, those with a bad one slow. */
  const everyPair = (folder: string, nodes: readonly string[], bad: readonly string[]): string => {
    const file = join(folder, 'first.jsonl');
    const all = nodes.flatMap((one, i) => nodes.slice(i + 1).map((other): Pair => [one, other]));
    writeFileSync(
      file,
      linesOf(all, (pair) => (pair.some((node) => bad.includes(node)) ? SLOW : GOOD)),
    );
    return file;
  };

  it('names who was slow with every node that passed, with whom no second pass is left', () =>
    withFolder(async (folder) => {
      const first = [everyPair(folder, ['a', 'b', 'c', 'd'], ['a'])];
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      await fleetPairsCommand.handler({ _: [], $0: '', seed: '1', margin: '10%', first });
      const text = said.mock.calls.map(([line]) => String(line)).join('');
      expect(text).toContain('slow with every node that passed, and so culprits without a second pass: a');
      expect(text).not.toContain('wait for another');
      expect(process.exitCode).toBe(1);
    }));

  /** Of a first pass in which x was slow with every node that passed. */
  const namesNobody = async (first: readonly string[]): Promise<void> => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await fleetPairsCommand.handler({ _: [], $0: '', seed: '1', margin: '10%', first });
    const text = said.mock.calls.map(([line]) => String(line)).join('');
    expect(text).toMatch(/slow with every node that passed: x\n/);
    expect(text).not.toContain('culprit');
    expect(process.exitCode).toBe(2);
  };

  it('names no culprit, and ends with 2, where fewer than three pairs have a rate', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'first.jsonl');
      const rates = { xa: 1, xb: null, ab: 10 };
      const lines = Object.entries(rates).map(
        ([pair, rate]) => `${JSON.stringify({ pair: [...pair], rate })}\n`,
      );
      writeFileSync(file, lines.join(''));
      await namesNobody([file]);
    }));

  it('names no culprit, and ends with 2, where a pair was not measured to its end', () =>
    withFolder(async (folder) => {
      const cut = { seconds: 1e-6, status: 'interrupted' } as const;
      const pairsOf = { xa: 1e-3, xb: 1e-3, ab: 1e-6, cd: 1e-6, xc: 1e-3, xd: 1e-3, ac: 1e-6, bd: 1e-6 };
      const records = Object.entries(pairsOf).map(([pair, seconds]) => {
        const launches = pair === 'bd' ? [seconds, cut] : [seconds, seconds];
        const labels = { pair: [...pair].join(' ') };
        return writeRecord(join(folder, pair), recordOf({ batches: [{ launches, labels }] }));
      });
      await namesNobody(records);
    }));

  it('ends with 2 where others are left to be measured beside who was slow with every node that passed', () =>
    withFolder(async (folder) => {
      const file = everyPair(folder, ['a', 'b', 'c', 'd', 'e'], ['a']);
      writeFileSync(
        file,
        linesOf([['x', 'y']], () => SLOW),
        { flag: 'a' },
      );
      vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      await fleetPairsCommand.handler({ _: [], $0: '', seed: '1', margin: '10%', first: [file] });
      expect(printed.mock.calls.map(([line]) => String(line)).join('')).toBe('x b\ny c\n');
      expect(process.exitCode).toBe(2);
    }));

  it('ends with 2 after a second pass of good links, too, where a node was in no pair', async () => {
    const second = [[pairs[0]?.[0] ?? '', pairs[1]?.[0] ?? '', GOOD]] as const;
    const [ended] = await run({ nodes: EIGHT.slice(0, 7), first: good, second });
    expect(ended).toBe(2);
  });
});
