import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/record/digest.js';
import {
  type Candidates,
  candidatesOf,
  rangeKey,
  STRATEGIES,
  tryingOrder,
} from '../../../src/stacks/own/candidates.js';
import { parseStackFile } from '../../../src/stacks/own/stack-file.js';

const parse = (stacks: readonly object[]) => parseStackFile(JSON.stringify({ stacks }), 's.json');
const all = (candidates: Candidates) => Array.from({ length: candidates.count }, (_, i) => candidates.at(i));
const none = new Map<string, readonly string[]>();

const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
/** An entry, and how many candidates it describes. */
const entries = fc
  .array(
    fc.record({
      debian: fc.array(some(['liba1', 'libb1-x', 'libb1-y']), { maxLength: 2 }),
      first: some(['a', 'b-c', '1', '2']),
      second: some(['a', '1', '3']),
      threads: fc.subarray([1, 2, 4]),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((given) => ({
    stacks: given.map(({ debian, first, second, threads }, i) => ({
      name: `s${i}`,
      stack: 'embedded',
      ...(debian.length === 0 ? {} : { debian: debian.map((any) => ({ any: any })) }),
      environment: { FIRST: first, SECOND: second },
      ...(threads.length === 0 ? {} : { threads }),
    })),
    count: given.reduce(
      (sum, { debian, first, second, threads }) =>
        sum +
        debian.reduce((product, any) => product * any.length, 1) *
          first.length *
          second.length *
          Math.max(1, threads.length),
      0,
    ),
  }));

describe('the candidates of a stack file', () => {
  it('are every combination of its possibilities, each once, under names of their own', () => {
    fc.assert(
      fc.property(entries, ({ stacks, count }) => {
        const made = all(candidatesOf(parse(stacks), none));
        expect(made).toHaveLength(count);
        expect(new Set(made.map(({ name }) => name)).size).toBe(count);
        const content = made.map(({ request: { name: _, ...rest }, threads, name }) =>
          canonicalJson([name.split('+')[0]?.split(' ')[0], rest, threads]),
        );
        expect(new Set(content).size).toBe(count);
      }),
    );
  });

  it('are tried each once in every strategy, and in the same order for the same seed', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 2 ** 32 - 1 }), ({ stacks }, seed) => {
        const candidates = candidatesOf(parse(stacks), none);
        for (const strategy of STRATEGIES) {
          const order = tryingOrder(candidates, strategy, seed);
          expect([...order].sort((a, b) => a - b)).toEqual(all(candidates).map((_, i) => i));
          expect(tryingOrder(candidates, strategy, seed)).toEqual(order);
        }
      }),
    );
  });

  it('come in another order for another seed', () => {
    const [stacks] = [[{ name: 'a', stack: 'embedded', environment: { X: [...'abcdefghijklmnop'] } }]];
    const candidates = candidatesOf(parse(stacks), none);
    expect(tryingOrder(candidates, 'random', 1)).not.toEqual(tryingOrder(candidates, 'random', 2));
  });

  const published = new Map([
    [rangeKey('one', '^1.0.0'), ['1.0.0', '1.1.0', '1.2.0']],
    [rangeKey('@scope/two', '>=2'), ['2.0.0', '3.0.0']],
  ]);
  const versioned = parse([
    { name: 'js', stack: 'embedded', npm: { packages: { one: '^1.0.0', '@scope/two': '>=2' } } },
  ]);

  it('have one published version for each range', () => {
    const made = all(candidatesOf(versioned, published));
    expect(made).toHaveLength(6);
    expect(made[3]).toEqual({
      name: 'js+1.1.0+3.0.0',
      threads: null,
      choices: { one: '1.1.0', '@scope/two': '3.0.0' },
      request: expect.objectContaining({
        name: 'js+1.1.0+3.0.0',
        npm: expect.objectContaining({ packages: { one: '1.1.0', '@scope/two': '3.0.0' } }),
      }),
    });
  });

  it('are tried from the newest versions on by latest', () => {
    const candidates = candidatesOf(versioned, published);
    const names = [...tryingOrder(candidates, 'latest', 0)].map((i) => candidates.at(i).name);
    expect(names.slice(0, 3)).toEqual(['js+1.2.0+3.0.0', 'js+1.1.0+3.0.0', 'js+1.2.0+2.0.0']);
    expect(names.at(-1)).toBe('js+1.0.0+2.0.0');
  });

  it('have names that say what was chosen, in short where that is enough', () => {
    const names = (entry: object) =>
      all(candidatesOf(parse([{ name: 'b', stack: 'embedded', ...entry }]), none)).map(({ name }) => name);
    expect(names({ debian: [{ any: ['libblis4-pthread', 'libblis4-openmp'] }], threads: [1, 2] })).toEqual([
      'b+pthread 1 thread',
      'b+pthread 2 threads',
      'b+openmp 1 thread',
      'b+openmp 2 threads',
    ]);
    expect(names({ environment: { CORE: ['SkylakeX', null], TILE: [1, 2] } })).toEqual([
      'b+SkylakeX+TILE=1',
      'b+SkylakeX+TILE=2',
      'b+unset+TILE=1',
      'b+unset+TILE=2',
    ]);
    expect(names({ environment: { A: ['x', 'y'], B: ['x', 'z'] } })[0]).toBe('b+A=x+B=x');
    expect(names({ environment: { A: 'x' } })).toEqual(['b']);
  });
});
