/** The pairing test: who is the culprit of a slow link. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  besidePlan,
  firstPass,
  judgePairs,
  judgeSecondPass,
  type MeasuredPair,
  type Pair,
  secondPass,
} from '../../src/fleet/pairs.js';
import { readPairs } from '../../src/fleet/read-pairs.js';
import { renderPairsVerdict } from '../../src/readers/terminal/fleet.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { digestOf } from '../../src/record/digest.js';
import { MOVED } from '../../src/store/moved.js';
import type { Launch } from '../support/batch.js';
import { withFolder } from '../support/pi-bench.js';
import { recordOf, writeRecord } from '../support/records.js';

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`);

/** A link is as fast as the slower of its ends, and slow where both of a bad way are at it. */
const measure = (pairs: readonly Pair[], bad: ReadonlySet<string>, way: Pair | null = null): MeasuredPair[] =>
  pairs.map((pair, i) => {
    const slow = pair.some((node) => bad.has(node)) || (way?.every((node) => pair.includes(node)) ?? false);
    return { pair, rates: { '': (slow ? 4e9 : 1e10) * (1 + 0.001 * i) } };
  });

describe('the pairing test', () => {
  it('measures each node once, and leaves one of an odd number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 50 }), fc.nat(), (count, seed) => {
        const { pairs, left } = firstPass(names(count), seed);
        expect([...pairs.flat(), ...left].sort()).toEqual(names(count).sort());
        expect(left.length).toBe(count % 2);
      }),
    );
  });

  it('names every culprit and nobody else, while fewer than a quarter of the nodes are bad', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 40 }), fc.nat(), fc.nat(), (count, seed, which) => {
        const bad = new Set(
          names(Math.max(1, Math.floor(count / 8))).map((_, i) => `n${(which + 3 * i) % count}`),
        );
        const first = firstPass(names(count), seed);
        const judged = judgePairs(measure(first.pairs, bad), 0.1);
        const second = secondPass(judged);
        const { suspects, between } = judgeSecondPass(judged, measure(second.pairs, bad));
        const culprits = suspects.filter(({ verdict }) => verdict === 'culprit').map(({ node }) => node);
        expect(culprits.sort()).toEqual([...bad].filter((node) => !first.left.includes(node)).sort());
        expect(between).toEqual([]);
      }),
    );
  });

  it('blames the way between two nodes that are slow only together', () => {
    const first = firstPass(names(8), 3);
    const way = first.pairs[2] as Pair;
    const judged = judgePairs(measure(first.pairs, new Set(), way), 0.1);
    const { suspects, between } = judgeSecondPass(judged, measure(secondPass(judged).pairs, new Set(), way));
    expect(suspects.map(({ verdict }) => verdict)).toEqual(['cleared', 'cleared']);
    expect(between).toEqual([way]);
  });

  it('says who was not measured again, and takes a failed link for a slow one', () => {
    const first: MeasuredPair[] = [
      { pair: ['a', 'b'], rates: null },
      { pair: ['c', 'd'], rates: { '': 1 } },
      { pair: ['e', 'f'], rates: { '': 1 } },
    ];
    const judged = judgePairs(first, 0.1);
    expect(secondPass(judged).pairs).toEqual([
      ['a', 'c'],
      ['b', 'd'],
    ]);
    const { suspects } = judgeSecondPass(judged, [{ pair: ['a', 'c'], rates: null }]);
    expect(suspects.map(({ node, verdict }) => [node, verdict])).toEqual([
      ['a', 'culprit'],
      ['b', 'not measured'],
    ]);
  });

  it('measures nobody again with whom it was slow with, and names nobody by such a pair', () => {
    const rate = (one: number) => ({ '': one });
    const first: MeasuredPair[] = [
      { pair: ['e', 'f'], rates: rate(1) },
      { pair: ['a', 'b'], rates: rate(1) },
      { pair: ['c', 'd'], rates: rate(1) },
      // The odd node, measured with one that has passed.
      { pair: ['g', 'a'], rates: rate(0.4) },
      { pair: ['x', 'y'], rates: rate(0.4) },
    ];
    const judged = judgePairs(first, 0.1);
    const { pairs, left } = secondPass(judged);
    expect([pairs, left]).toEqual([
      [
        ['g', 'b'],
        ['x', 'a'],
        ['y', 'c'],
      ],
      [],
    ]);
    const verdictOf = (...again: MeasuredPair[]) =>
      judgeSecondPass(judged, again).suspects.find(({ node }) => node === 'g');
    const same: MeasuredPair = { pair: ['a', 'g'], rates: rate(0.4) };
    expect(verdictOf(same)).toMatchObject({ verdict: 'not measured', second: null });
    const good: MeasuredPair = { pair: ['g', 'b'], rates: rate(1) };
    expect(verdictOf(same, good)?.verdict).toBe('cleared');
    const slow: MeasuredPair = { pair: ['g', 'c'], rates: rate(0.4) };
    expect(verdictOf(good, slow)).toMatchObject({ verdict: 'culprit', second: slow });
  });

  const judgedOf = (passed: readonly string[], slow: readonly Pair[]) => ({
    limits: { '': 1 },
    rated: 3,
    passed,
    slow: slow.map((pair) => ({ pair, rates: null })),
  });

  it('leaves whom only nodes are left for that it was slow with, and says who was slow with all of them', () => {
    const slow: Pair[] = [
      ['g', 'a'],
      ['g', 'b'],
    ];
    expect(secondPass(judgedOf(['a', 'b'], slow))).toEqual({ pairs: [], left: ['g'], slowWithAll: ['g'] });
    expect(secondPass(judgedOf(['a', 'b'], [...slow, ['x', 'y'], ['z', 'a']]))).toEqual({
      pairs: [
        ['x', 'a'],
        ['y', 'b'],
      ],
      left: ['g', 'z'],
      slowWithAll: ['g'],
    });
  });

  it('names who was slow with several in the first pass, one of which passed, without a second one', () => {
    const slow: Pair[] = [
      ['g', 'x'],
      ['g', 'a'],
      ['h', 'b'],
      ['y', 'z'],
      ['y', 'w'],
    ];
    const { suspects } = judgeSecondPass(judgedOf(['a', 'b'], slow), []);
    const [g] = suspects;
    expect([g?.first.pair, g?.second?.pair]).toEqual([
      ['g', 'x'],
      ['g', 'a'],
    ]);
    expect(suspects.map(({ node, verdict }) => [node, verdict])).toEqual([
      ['g', 'culprit'],
      ['x', 'not measured'],
      // With one node, which may be why, and with two of which nobody knows whether they are as they should be.
      ['h', 'not measured'],
      ['y', 'not measured'],
      ['z', 'not measured'],
      ['w', 'not measured'],
    ]);
    const [first, ...more] = judgeSecondPass(
      judgedOf(
        ['a', 'b'],
        [
          ['g', 'a'],
          ['g', 'x'],
        ],
      ),
      [],
    ).suspects;
    expect(first).toMatchObject({ node: 'g', verdict: 'culprit', first: { pair: ['g', 'x'] } });
    expect(more).toHaveLength(1);
  });

  it('clears such a one by a second pass in which it was good, whose slow pair was the doing of its other node', () => {
    const pairs = (rates: Readonly<Record<string, number>>): MeasuredPair[] =>
      Object.entries(rates).map(([[a = '', b = ''], rate]) => ({ pair: [a, b], rates: { '': rate } }));
    const judged = judgePairs(pairs({ xy: 1, xa: 1, yc: 1, ab: 10, cd: 10, ef: 10, gh: 10 }), 0.1);
    const verdict = judgeSecondPass(judged, pairs({ xe: 10, xg: 10, yf: 1 }));
    expect(verdict.suspects.map(({ node, verdict: is, second }) => [node, is, second?.pair])).toEqual([
      ['x', 'cleared', ['x', 'e']],
      ['y', 'culprit', ['y', 'f']],
    ]);
    expect(verdict.between).toEqual([['x', 'a']]);
  });

  it('says of such a one with whom it was slow', () => {
    const rate = (one: number) => ({ '': one });
    const all: MeasuredPair[] = (['ab', 'ac', 'bc'] as const).map((both) => ({
      pair: [both[0], both[1]] as unknown as Pair,
      rates: rate(both.includes('a') ? 0.4 : 1),
    }));
    all.push({ pair: ['d', 'e'], rates: rate(1) });
    const said = renderPairsVerdict(judgeSecondPass(judgePairs(all, 0.1), []), 'B/s', terminalStyle({}));
    expect(said).toMatch(/^slow link at a; /);
    expect(said).toMatch(/\ba +culprit .*\b[bc]\b/);
  });

  it('finds a partner for all who can have one, whoever was given which first', () => {
    const slow: Pair[] = [
      ['A', 'p3'],
      ['B', 'p2'],
      ['B', 'p3'],
    ];
    expect(secondPass(judgedOf(['p1', 'p2', 'p3'], slow))).toEqual({
      pairs: [
        ['A', 'p2'],
        ['B', 'p1'],
      ],
      left: [],
      slowWithAll: [],
    });
  });

  it('says that the culprit is not known where a suspect was not measured, and that there is none where all are cleared', () => {
    const rates = { '': 1e10 };
    const judged = judgePairs(
      [
        { pair: ['a', 'b'], rates: { '': 4e9 } },
        { pair: ['c', 'd'], rates },
        { pair: ['e', 'f'], rates },
      ],
      0.1,
    );
    const said = (...again: Pair[]) =>
      renderPairsVerdict(
        judgeSecondPass(
          judged,
          again.map((pair) => ({ pair, rates })),
        ),
        'B/s',
        terminalStyle({}),
      ).replaceAll(/\s+/g, ' ');
    expect(said(['c', 'e'])).toMatch(
      /^the culprit of a slow link is not known: nobody measured a, b with a node that passed; /,
    );
    expect(said(['a', 'c'], ['b', 'd'])).toMatch(/^no node is the culprit of a slow link; /);
  });

  it('holds each size against the same size, so that one that is slow at a large one is slow', () => {
    const rates = (small: number, large: number) => ({ small, large });
    const first: MeasuredPair[] = [
      { pair: ['a', 'b'], rates: rates(1, 10) },
      { pair: ['c', 'd'], rates: rates(1, 20) },
      { pair: ['e', 'f'], rates: rates(1, 20) },
    ];
    const judged = judgePairs(first, 0.1);
    expect(judged.limits).toEqual({ small: 0.9, large: 18 });
    expect(judged.slow.map(({ pair }) => pair)).toEqual([['a', 'b']]);
    const again = judgeSecondPass(judged, [
      { pair: ['a', 'c'], rates: rates(1, 10) },
      { pair: ['b', 'd'], rates: rates(1, 20) },
    ]);
    expect(again.suspects.map(({ node, verdict }) => [node, verdict])).toEqual([
      ['a', 'culprit'],
      ['b', 'cleared'],
    ]);
  });

  it('refuses pairs that measured different things', () => {
    const one: MeasuredPair = { pair: ['a', 'b'], rates: { large: 20 } };
    const other: MeasuredPair = { pair: ['c', 'd'], rates: { small: 1 } };
    expect(() => judgePairs([one, one, other], 0.1)).toThrow(/^c and d did not measure what/);
    expect(() => judgeSecondPass(judgePairs([one], 0.1), [other])).toThrow(/^c and d did not/);
  });

  it('reads of a record each case by itself, and takes a failed pair beside records', () =>
    withFolder(async (folder) => {
      const record = recordOf({
        batches: [64, 128].map((size, i) => ({
          launches: [(i + 1) * 1e-6],
          parameters: { m: size },
          labels: { pair: 'a b' },
        })),
      });
      const lost = join(folder, 'lost.jsonl');
      writeFileSync(lost, '{"pair": ["c", "d"], "rate": null}\n');
      const { measured } = readPairs([writeRecord(join(folder, 'a'), record), lost]);
      expect(Object.keys(measured[0]?.rates ?? {})).toHaveLength(2);
      expect(judgePairs(measured, 0.1).slow.map(({ pair }) => pair)).toEqual([['c', 'd']]);
    }));

  it('takes a planned pair of which nothing is there for failed, and says who was in none', () => {
    const plan = firstPass(names(7), 1);
    const [gone, ...rest] = plan.pairs;
    const { measured, absent, alone } = besidePlan(plan, measure(rest, new Set()));
    expect([absent, alone]).toEqual([[gone], plan.left]);
    expect(judgePairs(measured, 0.1).slow).toEqual([{ pair: gone, rates: null }]);
    // Whichever node is named first, and with the odd one measured afterwards.
    const turned = plan.pairs.map(([a, b]): Pair => [b, a]);
    const odd: Pair = [plan.left[0] as string, 'n1'];
    const whole = besidePlan(plan, measure([...turned, odd], new Set()));
    expect([whole.absent, whole.alone]).toEqual([[], []]);
    const other = firstPass(names(7), 2);
    expect(() => besidePlan(plan, measure(other.pairs, new Set()))).toThrow(
      /no pair of a first pass over these nodes: give the --nodes and the --seed/,
    );
  });

  it('says how many pairs its limits rest on, of which one alone is never slow', () => {
    const pairs: MeasuredPair[] = [
      { pair: ['a', 'b'], rates: { '': 1 } },
      { pair: ['c', 'd'], rates: null },
    ];
    expect(judgePairs(pairs, 0.1)).toMatchObject({ rated: 1, slow: [{ pair: ['c', 'd'] }] });
  });

  it('takes of a pair that was measured several times the newest, whichever node is named first', () =>
    withFolder(async (folder) => {
      const at = (name: string, day: number, seconds: number, pair: string): string =>
        writeRecord(
          join(folder, name),
          recordOf({
            createdAt: `2026-01-0${day}T00:00:00.000Z`,
            batches: [{ launches: [seconds], labels: { pair } }],
          }),
        );
      const again = at('a', 2, 1e-6, 'a b');
      const before = at('b', 1, 1e-3, 'b a');
      const lines = join(folder, 'pairs.jsonl');
      writeFileSync(lines, '{"pair": ["c", "d"], "rate": 3}\n{"pair": ["d", "c"], "rate": null}\n');
      const { measured, repeated } = readPairs([again, before, lines]);
      expect(repeated).toEqual([
        ['a', 'b'],
        ['c', 'd'],
      ]);
      expect(measured.map(({ pair }) => pair)).toEqual([
        ['a', 'b'],
        ['d', 'c'],
      ]);
      // Lines tell no time: the last one counts.
      expect(measured[1]?.rates).toBeNull();
    }));

  const pairRecord = (pair: string, launches: readonly (number | Launch)[]) =>
    recordOf({ batches: [{ launches, labels: { pair } }] });

  it('takes a link for failed over which launches were lost, and says where they did not come to their end', () =>
    withFolder(async (folder) => {
      const lost: Launch = { seconds: 1e-6, status: 'timed-out', reason: 'it took longer than 60 s' };
      const records = [
        pairRecord('a b', [1e-6, ...Array<Launch>(3).fill(lost)]),
        pairRecord('c d', [1e-6, 1e-6]),
        pairRecord('e f', [1e-6, { seconds: 1e-6, status: 'interrupted' }]),
        pairRecord('g h', [1e-6, 1e-6]),
      ];
      const { measured, cut } = readPairs(records.map((one, i) => writeRecord(join(folder, `${i}`), one)));
      const { rated, slow } = judgePairs(measured, 0.1);
      expect([rated, slow.map(({ pair }) => pair)]).toEqual([3, [['a', 'b']]]);
      expect(cut).toEqual([{ pair: ['e', 'f'], why: '1 of 2 launches did not come to their end' }]);
    }));

  it('judges the others where a campaign left no record, and refuses a path where there is nothing', () =>
    withFolder(async (folder) => {
      const killed = join(folder, 'killed');
      mkdirSync(killed);
      writeFileSync(join(killed, 'journal.ndjson'), '');
      const { measured, unread } = readPairs([writeRecord(folder, pairRecord('a b', [1e-6])), killed]);
      expect(measured.map(({ pair }) => pair)).toEqual([['a', 'b']]);
      expect(unread).toEqual([expect.stringMatching(/killed has no record: the campaign has not ended/)]);
      expect(() => readPairs([join(folder, 'nowhere')])).toThrow(/there is no \S+nowhere/);
    }));

  it('refuses a record that is there and cannot be read, and one that went elsewhere, which say nothing of their links', () =>
    withFolder(async (folder) => {
      const record = pairRecord('a b', [1e-6]);
      const at = (name: string, one: object): string => {
        const path = join(folder, name);
        mkdirSync(path);
        writeFileSync(join(path, 'record.json'), JSON.stringify(one));
        return path;
      };
      const newer = at('newer', { ...record, schemaVersion: record.schemaVersion + 1 });
      expect(() => readPairs([newer])).toThrow(/schema version \d+; this pi-bench reads up to/);
      const altered = at('altered', { ...record, labels: { ...record.labels, machine: 'two' } });
      expect(() => readPairs([altered])).toThrow(/altered/);
      // As in a folder that may not be searched, which says nothing to root.
      const hidden = join(folder, 'hidden');
      mkdirSync(hidden);
      symlinkSync('record.json', join(hidden, 'record.json'));
      expect(() => readPairs([hidden])).toThrow(/cannot read the record: ELOOP/);
      const moved = join(folder, 'moved');
      for (const [link, where] of [
        ['moved', newer],
        ['out-of-sight', join(folder, 'gone')],
      ] as const) {
        mkdirSync(join(folder, link));
        symlinkSync(where, join(folder, link, MOVED));
      }
      expect(() => readPairs([moved])).toThrow(/all of it is in/);
      expect(() => readPairs([join(folder, 'out-of-sight')])).toThrow(/the rest went to/);
      const empty = join(folder, 'empty');
      mkdirSync(empty);
      expect(readPairs([writeRecord(folder, record), empty]).unread).toEqual([
        expect.stringMatching(/empty holds no record\.json/),
      ]);
    }));

  it('refuses a record with an error injected on purpose', () =>
    withFolder(async (folder) => {
      const record = pairRecord('a b', [1e-6]);
      const spoiled = {
        ...record,
        campaign: { ...record.campaign, fault: { kind: 'stall', inspection: 0, at: 0 } as const },
      };
      const path = writeRecord(folder, { ...spoiled, digest: digestOf(spoiled) });
      expect(() => readPairs([path])).toThrow(/a fault was injected \(stall\)/);
    }));

  it('refuses a barrier, whose rate is that of no link and always 0', () =>
    withFolder(async (folder) => {
      const record = recordOf({ batches: [{ launches: [1e-6], idle: true, labels: { pair: 'a b' } }] });
      expect(() => readPairs([writeRecord(folder, record)])).toThrow(
        /moves nothing, so it has no rate of a link/,
      );
    }));

  it('refuses what cannot be paired or judged', () => {
    expect(() => firstPass(['a'], 1)).toThrow(/two nodes or more/);
    expect(() => firstPass(['a', 'b', 'a'], 1)).toThrow(/node a is named twice/);
    expect(() => judgePairs([{ pair: ['a', 'b'], rates: null }], 0.1)).toThrow(/no pair has a rate/);
  });
});
