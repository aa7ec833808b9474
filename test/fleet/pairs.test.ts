/** The pairing test: who is the culprit of a slow link. */
import { writeFileSync } from 'node:fs';
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
