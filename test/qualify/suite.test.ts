import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TIERS } from '../../src/qualify/answer.js';
import { parseSuite, type Suite } from '../../src/qualify/suite.js';
import type { Tier } from '../../src/qualify/suite-file.js';
import { root } from '../support/pi-bench.js';

const shipped = (tier: Tier): string => readFileSync(join(root, 'assets', 'suites', `${tier}.yaml`), 'utf8');
const suite = (text: string): Suite => parseSuite(text, 'own.yaml', shipped);

const MEASURE = `
campaign:
  measure:
    - { indicator: matmul, parameters: { size: 64 }, labels: { part: small } }
    - { indicator: matmul, parameters: { size: 128 }, labels: { part: large } }
`;

/** Of each check of a kind the parts that it judges; null: all. */
const partsOf = ({ checks }: Suite, kind: string): readonly (readonly string[] | null)[] =>
  checks.flatMap((one) => (one.check === kind ? [('parts' in one ? one.parts : undefined) ?? null] : []));

describe('the shipped suites', () => {
  it.each(TIERS)('%s is a suite, and its checks name parts that it measures', (tier) => {
    const { checks, entries, name } = parseSuite(shipped(tier), `${tier}.yaml`, shipped, tier);
    expect(name).toBe(tier);
    expect(checks.length).toBeGreaterThan(5);
    expect(entries.length > 0).toBe(tier !== 't0');
  });

  it('grow: each checks everything that the one before it checks', () => {
    const kinds = TIERS.map((tier) =>
      parseSuite(shipped(tier), `${tier}.yaml`, shipped, tier).checks.map(({ check }) => check),
    );
    kinds.slice(1).forEach((own, i) => {
      expect(own).toEqual(expect.arrayContaining(kinds[i] ?? []));
    });
  });

  it('judge each part by one check of each kind', () => {
    for (const tier of TIERS) {
      const { checks } = parseSuite(shipped(tier), `${tier}.yaml`, shipped, tier);
      for (const kind of new Set(checks.map(({ check }) => check))) {
        const parts = checks.flatMap((one) =>
          one.check === kind && 'parts' in one ? (one.parts ?? []) : [],
        );
        expect(new Set(parts).size).toBe(parts.length);
      }
    }
  });
});

describe('a suite of one’s own', () => {
  it('extends a shipped one: what it says anew takes the place of what was there', () => {
    const own = suite('name: site\nextends: t0\nchecks:\n  - { check: quota, level: warn }\n');
    const base = parseSuite(shipped('t0'), 't0.yaml', shipped, 't0');
    expect(own.checks.map(({ check }) => check)).toEqual(base.checks.map(({ check }) => check));
    expect(own.checks.find(({ check }) => check === 'quota')?.level).toBe('warn');
    expect(own.tier).toBeNull();
    expect(own.sha256).not.toBe(base.sha256);
  });

  describe('measures in the place of a part all that it says of that part, once', () => {
    const sizes = (before: readonly number[], own: readonly number[]) => {
      const measuring = (all: readonly (readonly [part: string, size: number])[]) =>
        `campaign:\n  measure:\n${all.map(([part, size]) => `    - { indicator: matmul, parameters: { size: ${size} }, labels: { part: ${part} } }\n`).join('')}`;
      const exact = (all: readonly number[]) => all.map((size) => ['exact', size] as const);
      const base = `name: t1\n${measuring([['first', 1], ...exact(before), ['last', 2]])}`;
      const text = `name: site\nextends: t1\n${measuring([...exact(own), ['new', 3]])}`;
      return parseSuite(text, 'own.yaml', () => base).entries.map(
        ({ part, flags }) => `${part} ${flags.size}`,
      );
    };
    it.each([
      ['one for one', [64], [1024], ['exact 1024']],
      ['two for one', [64], [1024, 2048], ['exact 1024', 'exact 2048']],
      ['one for two', [64, 128], [1024], ['exact 1024']],
      ['two for two', [64, 128], [1024, 2048], ['exact 1024', 'exact 2048']],
    ] as const)('%s', (_, before, own, exact) => {
      expect(sizes(before, own)).toEqual(['first 1', ...exact, 'last 2', 'new 3']);
    });
  });

  it('may say how what it extends is measured, and measure nothing of its own', () => {
    const base = parseSuite(shipped('t1'), 't1.yaml', shipped, 't1');
    const own = suite('name: site\nextends: t1\ncampaign:\n  budget: 2min\n  labels: { node_name: n1 }\n');
    expect(own.entries).toEqual(base.entries);
    expect([own.labels.node_name, own.budget]).toEqual(['n1', 120]);
  });

  describe('says its own limit for what the suite names that it extends', () => {
    /** Each part's share of its peak, and for which models. */
    const efficiencies = (checks: string) =>
      suite(`name: site\nextends: t1\nchecks:\n${checks}`).checks.flatMap((one) =>
        one.check === 'efficiency'
          ? (one.parts ?? []).map((part) => [part, one.atLeast, one.models === undefined] as const)
          : [],
      );
    const gpus = ['gpu-gemm-bfloat16', 'gpu-memory'];
    const own = ([part]: readonly [string, ...unknown[]]) => gpus.includes(part);
    it.each([
      [
        'one of its parts',
        '[gpu-gemm-bfloat16]',
        [
          ['gpu-memory', 0.4, false],
          ['gpu-gemm-bfloat16', 0.6, true],
        ],
      ],
      [
        'its parts in another order',
        '[gpu-memory, gpu-gemm-bfloat16]',
        gpus.toReversed().map((part) => [part, 0.6, true]),
      ],
      ['its very parts', '[gpu-gemm-bfloat16, gpu-memory]', gpus.map((part) => [part, 0.6, true])],
    ])('by naming %s', (_, parts, expected) => {
      expect(efficiencies(`  - { check: efficiency, parts: ${parts}, atLeast: 0.6 }\n`).filter(own)).toEqual(
        expected,
      );
    });

    it('each in a check of its own', () => {
      const checks = gpus.map(
        (part, i) => `  - { check: efficiency, parts: [${part}], atLeast: 0.${6 + i} }\n`,
      );
      expect(efficiencies(checks.join('')).filter(own)).toEqual([
        ['gpu-gemm-bfloat16', 0.6, true],
        ['gpu-memory', 0.7, true],
      ]);
    });

    it('by naming none, where that one was for some models only', () => {
      const all = efficiencies('  - { check: efficiency, atLeast: 0.6 }\n');
      expect(all.filter(own)).toEqual(gpus.map((part) => [part, 0.6, true]));
      expect(all).toContainEqual(['gemm-float32', 0.6, true]);
      expect(new Set(all.map(([part]) => part)).size).toBe(all.length);
    });

    const [h200, h100, b200] = ['NVIDIA H200', 'NVIDIA H100 80GB HBM3', 'NVIDIA B200'];
    const [gemm = '', memory = ''] = gpus;
    it.each([
      [
        'one of its parts',
        `parts: [${gemm}], models: [${b200}]`,
        { [h200]: [0.4, 0.4], [b200]: [0.6, null] },
      ],
      [
        'its very parts',
        `parts: [${gpus}], models: [${b200}]`,
        { [h100]: [0.4, 0.4], [h200]: [0.4, 0.4], [b200]: [0.6, 0.6] },
      ],
      ['no part', `models: [${b200}]`, { [h200]: [0.4, 0.4], [b200]: [0.6, 0.6] }],
      [
        'one of its parts and models',
        `parts: [${gemm}], models: [${h200}]`,
        { [h100]: [0.4, 0.4], [h200]: [0.6, 0.4], [b200]: [null, null] },
      ],
      ['its models and no part', `models: [${h200}, ${b200}]`, { [h100]: [0.4, 0.4], [h200]: [0.6, 0.6] }],
    ])('and leaves the models as they were for which it says nothing: %s', (_, what, expected) => {
      const { checks } = suite(
        `name: site\nextends: t1\nchecks:\n  - { check: efficiency, ${what}, atLeast: 0.6 }\n`,
      );
      const limits = (model: string) =>
        [gemm, memory].map((part) => {
          const own = checks.flatMap((one) =>
            one.check === 'efficiency' && one.parts?.includes(part) && one.models?.includes(model)
              ? one.atLeast
              : [],
          );
          expect(own.length).toBeLessThan(2);
          return own[0] ?? null;
        });
      expect(Object.fromEntries(Object.keys(expected).map((model) => [model, limits(model)]))).toEqual(
        expected,
      );
    });

    it('and leaves those that one names of its parts to what was there, where another names none', () => {
      const own = `  - { check: efficiency, parts: [${gemm}], models: [${b200}], atLeast: 0.5 }\n  - { check: efficiency, atLeast: 0.6 }\n`;
      expect(efficiencies(own).filter(([part]) => gpus.includes(part))).toEqual([
        [gemm, 0.4, false],
        [gemm, 0.5, false],
        [memory, 0.6, true],
      ]);
    });

    it('not for some models only of what was held to it on every device', () => {
      const own = `name: site\nextends: t1\nchecks:\n  - { check: efficiency, parts: [gemm-float32], models: [${b200}], atLeast: 0.1 }\n`;
      expect(() => suite(own)).toThrow('part gemm-float32 is named by two checks efficiency');
    });
  });

  it('gives a check without parts those that no other check of its kind names', () => {
    const own = suite(
      `name: site${MEASURE}checks:\n  - { check: stability, p05AtLeast: 0.5 }\n  - { check: stability, parts: [large], p05AtLeast: 0.9 }\n`,
    );
    expect(partsOf(own, 'stability')).toEqual([['small'], ['large']]);
  });

  it.each<[string, readonly (readonly string[] | null)[]]>([
    ['{ check: complete }', [null]],
    ['{ check: correctness }', [null]],
    ['{ check: correctness, parts: [large] }', [['large'], ['small']]],
    ['{ check: correctness, parts: [large, small] }', [['large', 'small']]],
  ])('that measures something is judged by correctness in each of its parts, also with no check but %s', (one, parts) => {
    expect(partsOf(suite(`name: site${MEASURE}checks:\n  - ${one}\n`), 'correctness')).toEqual(parts);
  });

  it('that measures nothing has the checks of its file alone', () => {
    expect(suite('name: site\nchecks:\n  - { check: swap }\n').checks).toEqual([{ check: 'swap' }]);
  });

  it('keeps a look at the counters over the whole run where each of its parts has limits of its own', () => {
    const own = suite(
      `name: site${MEASURE}checks:\n  - { check: counters }\n  - { check: counters, parts: [large, small], correctedAtMost: 3 }\n`,
    );
    expect(partsOf(own, 'counters')).toEqual([[], ['large', 'small']]);
  });

  it.each([
    [
      'name: a\nchecks:\n  - { check: quotta }\n',
      /own\.yaml:3: checks\.0\.check: there is no such check; there is counts, /,
    ],
    ['name: a\nchecks:\n  - { check: quota, limit: 3 }\n', /own\.yaml:3: checks\.0: "limit" is unknown here/],
    ['name: a\nchecks:\n  - check: efficiency\n', /own\.yaml:3: checks\.0\.atLeast/],
    ['name: a\nchecks:\n  - { check: efficiency, atLeast: 60 }\n', /own\.yaml:3: checks\.0\.atLeast/],
    [
      `name: a${MEASURE}checks:\n  - { check: clock, atMost: 0.1, parts: [huge] }\n`,
      /there is no part huge; there is small, large/,
    ],
    [
      'name: a\nextends: t1\ncampaign:\n  defaults: { duration: 5s }\n',
      /^own\.yaml:4: campaign\.defaults: they are for the entries of measure in this file, and there are none$/,
    ],
    [
      'name: a\ncampaign:\n  budget: 5min\n',
      /^own\.yaml:3: campaign\.measure: it is missing, and may be where a suite extends another: say what/,
    ],
    ['name: a\nextends: t1\ncampaign:\n  measure: []\n', /own\.yaml:4: campaign\.measure: takes a list/],
    [
      'name: a\ncampaign:\n  measure:\n    - { indicator: matmul }\n',
      /own\.yaml:4: labels\.part: each entry of a suite has a part/,
    ],
    [
      'name: a\ncampaign:\n  measure:\n    - { indicator: matmul, labels: { part: "gemm#2" } }\n',
      /own\.yaml:4: labels\.part: gemm#2 is what a check calls one of several batches of a part/,
    ],
    [
      'name: a\ncampaign:\n  measure:\n    - { indicator: matmull, labels: { part: x } }\n',
      /own\.yaml:4: .*there is no such indicator/,
    ],
    ['name: a\nextends: t7\n', /own\.yaml:2: extends/],
    ['name: a\ncooldown: soon\n', /own\.yaml:2: cooldown takes a time/],
    ['name: a b\n', /own\.yaml:1: name/],
    ['name: t1\n', /own\.yaml:1: name: t1 is a shipped suite/],
    ['name: a\nchecks:\n  - { check: correctness, level: warn }\n', /own\.yaml:3: checks\.0\.level/],
    ['name: a\nchecks:\n  - { check: correctness, required: false }\n', /own\.yaml:3: checks\.0\.required/],
    [
      'name: a\nchecks:\n  - { check: load }\n  - { check: load, busyAtMost: 0.2 }\n',
      /own\.yaml:4: checks\.1: load stands here twice: say all of its limits in one check/,
    ],
    [
      `name: a${MEASURE}checks:\n  - { check: stability, cvAtMost: 0.1 }\n  - { check: stability, p05AtLeast: 0.9 }\n`,
      /checks\.1: stability stands here twice/,
    ],
    [
      `name: a${MEASURE}checks:\n  - { check: clock, atMost: 0.1, parts: [small] }\n  - { check: clock, atMost: 0.2, parts: [small, large] }\n`,
      /part small is named by two checks clock/,
    ],
    [
      `name: a${MEASURE}checks:\n  - { check: clock, atMost: 0.1, parts: [small, small] }\n`,
      /part small is named by two checks clock/,
    ],
  ])('%j is refused with a line that says why', (text, says) => {
    expect(() => suite(text)).toThrow(says);
  });
});
