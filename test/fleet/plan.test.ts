/** Which checks have paid for their time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyOf, unitOf } from '../../src/fleet/history.js';
import type { NodeCheck, NodeLine } from '../../src/fleet/node-line.js';
import { type CheckHistory, type Defect, planChecks } from '../../src/fleet/plan.js';
import { binomialRange } from '../../src/fleet/proportion.js';
import { renderPlan } from '../../src/readers/terminal/fleet.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { CPU, healthyNodes, KEY, kpiOf, nodeOf, ratesOf } from './support.js';

const CHECKS: readonly CheckHistory[] = [
  { name: 'gemm', seconds: 10, runs: 100 },
  { name: 'memory', seconds: 20, runs: 100 },
  { name: 'soak', seconds: 300, runs: 100 },
  { name: 'untimed', seconds: null, runs: 100 },
];

const defects = (...found: readonly (readonly string[])[]): Defect[] =>
  found.map((names, i) => ({ node: `n${i}`, found: new Set(names) }));

describe('fleet plan', () => {
  it('takes what finds most new defects for its time, and not what finds the same again', () => {
    const seen = defects(
      ['gemm', 'soak'],
      ['gemm', 'soak'],
      ['gemm'],
      ['memory'],
      ['memory', 'soak'],
      ['soak'],
      ['untimed'],
    );
    const plan = planChecks(CHECKS, seen, 60);
    expect(plan.checks.map(({ name, found, added }) => [name, found, added])).toEqual([
      ['gemm', 3, 3],
      ['memory', 2, 2],
    ]);
    expect([plan.covered, plan.defects, plan.seconds]).toEqual([5, 7, 30]);
    expect(plan.leftOut.map(({ name, added }) => [name, added])).toEqual([['soak', 1]]);
    expect(plan.untimed).toEqual([{ name: 'untimed', runs: 100, found: 1 }]);
  });

  it('always takes what takes no time, whatever it found, also beside a single dear check', () => {
    const looks = ['ecc', 'quota'].map((name) => ({ name, seconds: 0, runs: 9 }));
    const dear: CheckHistory = { name: 'dear', seconds: 100, runs: 9 };
    const cheap: CheckHistory = { name: 'cheap', seconds: 1, runs: 9 };
    const seen = defects(['ecc'], ['ecc'], ['cheap'], ...Array.from({ length: 9 }, () => ['dear']));
    const chosen = (budget: number) => {
      const { checks, covered, expected } = planChecks([dear, cheap, ...looks], seen, budget);
      return [checks.map(({ name, found }) => [name, found]), covered, expected?.share];
    };
    expect(chosen(1)).toEqual([
      [
        ['ecc', 2],
        ['quota', 0],
        ['cheap', 1],
      ],
      3,
      2 / 12,
    ]);
    expect(chosen(100)).toEqual([
      [
        ['ecc', 2],
        ['quota', 0],
        ['dear', 9],
      ],
      11,
      11 / 12,
    ]);
    expect(planChecks(looks, seen, 0).checks).toHaveLength(2);
    const shown = renderPlan(planChecks([dear, ...looks, ...CHECKS], seen, 10), 10, 9, terminalStyle({}));
    expect(shown).toMatch(/^ *ecc +0 s +2 +2 +-/m);
    expect(shown).toMatch(/not planned +nobody knows how long they take: untimed \(found 0\)/);
  });

  it('takes one dear check where it finds more than all the cheap ones that fit', () => {
    const cheap: CheckHistory = { name: 'cheap', seconds: 1, runs: 9 };
    const dear: CheckHistory = { name: 'dear', seconds: 100, runs: 9 };
    const seen = defects(['cheap'], ...Array.from({ length: 40 }, () => ['dear']));
    expect(planChecks([cheap, dear], seen, 100).checks.map(({ name }) => name)).toEqual(['dear']);
    expect(planChecks([cheap, dear], seen, 101).covered).toBe(41);
  });

  it('never spends more than the budget, and never claims more than it covers', () => {
    const some = fc.array(fc.subarray(['gemm', 'memory', 'soak'], { minLength: 1 }), { maxLength: 30 });
    fc.assert(
      fc.property(some, fc.double({ min: 0, max: 400, noNaN: true }), (found, budget) => {
        const plan = planChecks(CHECKS, defects(...found), budget);
        expect(plan.seconds).toBeLessThanOrEqual(budget);
        expect(plan.covered).toBe(plan.checks.reduce((sum, { added }) => sum + added, 0));
        const { low, share, high } = plan.expected ?? { low: 0, share: 0, high: 1 };
        expect(low).toBeLessThanOrEqual(share);
        expect(share).toBeLessThanOrEqual(high);
      }),
    );
  });

  it('expects less of defects that it has not seen, and nothing from fewer than two', () => {
    const each = defects(['gemm'], ['memory'], ['gemm']);
    // Each defect that one check alone finds is missed where it is left out, if the check then finds nothing.
    const { expected, covered } = planChecks(CHECKS, each, 60);
    expect(covered).toBe(3);
    expect(expected?.share).toBeCloseTo(2 / 3, 6);
    expect(planChecks(CHECKS, defects(['gemm']), 60).expected).toBeNull();
  });

  it('expects nothing of what it knows: a node that stays broken is left out with all that was found on it', () => {
    const week = Array.from({ length: 7 }, () => ({ node: 'broken', found: new Set(['memory']) }));
    const other = { node: 'other', found: new Set(['gemm']) };
    const { expected } = planChecks(CHECKS, [...week, other], 60);
    // Without the node nobody found anything by memory, without the other nobody by gemm.
    expect(expected?.share).toBe(0);
    expect(expected?.high).toBeGreaterThan(0.6);
    expect(planChecks(CHECKS, week, 60).expected).toBeNull();
    const found = [...week, { node: 'other', found: new Set(['memory']) }];
    expect(planChecks(CHECKS, found, 60).expected).toMatchObject({ share: 1, low: binomialRange(2, 2).low });
  });

  it('knows a share as Wilson’s interval does', () => {
    // Agresti & Coull's example of a proportion that was never seen, and one half.
    expect(binomialRange(0, 10).high).toBeCloseTo(0.2775, 3);
    expect(binomialRange(5, 10).low).toBeCloseTo(0.2366, 3);
    expect(binomialRange(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe('a history', () => {
  it('pays once for what several criteria judge', () => {
    expect(unitOf('floor/matmul@cpu')).toBe('matmul');
    expect(unitOf('clock-events')).toBe('clock-events');
    const node = nodeOf('n', [], {
      checks: [
        { name: 'floor/matmul@cpu', verdict: 'pass', cause: null, reason: null, seconds: 4 },
        { name: 'stability/matmul@cpu', verdict: 'fail', cause: null, reason: null, seconds: 4 },
        { name: 'memory', verdict: 'skipped', cause: null, reason: null, seconds: 9 },
      ],
    });
    const { checks, defects: found } = historyOf([[node], [node]], 1);
    expect(checks).toEqual([{ name: 'matmul', seconds: 4, runs: 2 }]);
    expect(found.map((one) => [...one.found])).toEqual([['matmul'], ['matmul']]);
  });

  it('takes the time of all devices: one after the other, or the longest where they are measured at once', () => {
    const checked = (name: string, seconds: number | null, atOnce?: boolean): NodeCheck => ({
      name,
      verdict: 'pass',
      cause: null,
      reason: null,
      seconds,
      ...(atOnce === undefined ? {} : { atOnce }),
    });
    const gpus = [0, 1, 2, 3];
    const node = nodeOf('n', [], {
      checks: [
        checked('complete/gemm', null),
        checked('complete/copies', null),
        ...gpus.flatMap((i) => [
          checked(`floor/gemm@cuda:${i}`, 5),
          checked(`stability/gemm@cuda:${i}`, 5),
          checked(`floor/copies@cuda:${i}`, 2 + i, true),
          checked(`floor/lost@cuda:${i}`, i === 1 ? null : 3),
        ]),
      ],
    });
    const times = historyOf([[node]], 1).checks.map(({ name, seconds }) => [name, seconds]);
    expect(Object.fromEntries(times)).toEqual({ gemm: 20, copies: 5, lost: null });
    const device = { ...CPU, kind: 'gpu' as const };
    const measured = nodeOf(
      'n',
      gpus.flatMap((i) => [
        kpiOf(ratesOf(i), { on: `cuda:${i}`, seconds: 5 }),
        kpiOf(ratesOf(i), { on: `cuda:${i}`, seconds: 2 + i, key: KEY.replace('@', '&atOnce=true@') }),
      ]),
      { devices: Object.fromEntries(gpus.map((i) => [`cuda:${i}`, device])) },
    );
    expect(historyOf([[measured]], 1).checks.map(({ seconds }) => seconds)).toEqual([20, 5]);
  });

  it('knows that a look takes no time, and not how long another tool’s check took', () => {
    const checked = (name: string, verdict: NodeCheck['verdict'] = 'pass'): NodeCheck => ({
      name,
      verdict,
      cause: null,
      reason: null,
      seconds: null,
    });
    const own = nodeOf('n', [], {
      checks: [
        checked('ecc@cuda:0', 'fail'),
        checked('ecc@cuda:1'),
        checked('quota'),
        checked('floor/gemm@cpu'),
      ],
    });
    const others = nodeOf('m', [], {
      tool: { name: 'dcgmi', version: '3', commit: null },
      checks: [checked('memory@cuda:0')],
    });
    const times = historyOf([[own, others]], 1).checks.map(({ name, seconds }) => [name, seconds]);
    expect(Object.fromEntries(times)).toEqual({ ecc: 0, quota: 0, gemm: null, memory: null });
  });

  it('does not take nodes for one whose containers had the id of their image', () => {
    const found = (hostname: (i: number) => string) =>
      historyOf(
        [
          [0, 1, 2].map((i) =>
            nodeOf(`n${i}`, [], {
              machine: 'image',
              hostname: hostname(i),
              checks: [{ name: 'ecc', verdict: 'fail', cause: null, reason: null, seconds: null }],
            }),
          ),
        ],
        1,
      ).defects.map(({ node }) => node);
    expect(found((i) => `host${i}`)).toEqual(['n0', 'n1', 'n2']);
    // One machine at three times, called by its folders.
    expect(found(() => 'host')).toEqual(['image', 'image', 'image']);
  });

  it('holds nodes without verdicts against the others of their file', () => {
    const slow = nodeOf('slow', [kpiOf(ratesOf(3, { level: 0.8e11 }))]);
    const { defects: found, runs } = historyOf([[...healthyNodes(5), slow], healthyNodes(5)], 1);
    expect(found.map(({ node }) => node)).toEqual(['hash-of-slow']);
    expect(runs).toBe(11);
  });

  it('holds nodes against those of their own hardware and version: what an older one reached is no defect', () => {
    const by = (version: string) => (node: NodeLine) => ({
      ...node,
      hardware: { ...node.hardware, pibench_version: version },
    });
    const before = [0, 1, 2].map((i) => nodeOf(`old${i}`, [kpiOf(ratesOf(i, { level: 0.9e11 }))]));
    const nodes = [...healthyNodes(8).map(by('2')), ...before.map(by('1'))];
    expect(historyOf([nodes], 1)).toMatchObject({ defects: [], runs: 11 });
    const slow = by('2')(nodeOf('slow', [kpiOf(ratesOf(9, { level: 0.8e11 }))]));
    expect(historyOf([[...nodes, slow]], 1).defects.map(({ node }) => node)).toEqual(['hash-of-slow']);
  });
});
