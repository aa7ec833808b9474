/** Stacks of one folder differ at the end of their paths, and a table that cuts that off cannot tell them apart. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differencesText } from '../../src/readers/comparison/comparable.js';
import { shortNames } from '../../src/readers/short-names.js';
import { type Cell, renderFitting } from '../../src/readers/terminal/fitting-table.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';

const LIBRARIES = ['wrong', 'crash', 'memoslow'].map((name) => `cblas:/tmp/j/c/lib/lib${name}.so`);

describe('names that are too long', () => {
  it('keep the end of a path, and of its beginning what there is room for', () => {
    expect(shortNames(['embedded', ...LIBRARIES], 24)).toEqual([
      'embedded',
      'cblas:/t…lib/libwrong.so',
      'cblas:/t…lib/libcrash.so',
      'cblas:/t…/libmemoslow.so',
    ]);
    expect(shortNames(LIBRARIES, 8)).toEqual(['…rong.so', '…rash.so', '…slow.so']);
  });

  it('keep their fronts where only these differ', () => {
    expect(shortNames(['512 2 threads, pinned', '1024 2 threads, pinned'], 10)).toEqual([
      '512 2 thr…',
      '1024 2 th…',
    ]);
  });

  it('keep what is short in them, as a size, where the libraries behind it differ in their middles only', () => {
    const stacks = ['one', 'two'].map(
      (middle) => `site-math-libraries-openblas-${middle}-with-a-long-name-for-testing`,
    );
    const names = [64, 128].flatMap((size) => stacks.map((stack) => `${size} NN ${stack}`));
    const short = shortNames(names, 24);
    expect(short.every((name) => name.length <= 24)).toBe(true);
    expect(new Set(short).size).toBe(4);
    expect(short[0]).toMatch(/^64 NN \S/);
    expect(short[3]).toMatch(/^128 NN \S/);
    // A library is the same wherever it stands.
    expect(short[2]).toBe(short[0]?.replace('64', '128'));
  });

  it('stay different where they differ, stay alike where they are, and fit', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 20 }), fc.integer({ min: 8, max: 30 }), (names, most) => {
        const short = shortNames(names, most);
        expect(short.every((name) => name.length <= most)).toBe(true);
        expect(new Set(short).size).toBe(new Set(names).size);
        for (const [i, name] of names.entries()) expect(short[i]).toBe(short[names.indexOf(name)]);
      }),
    );
    const middles = ['x', 'y', 'z'].map((letter) => `${'a'.repeat(20)}${letter}${'b'.repeat(20)}`);
    expect(new Set(shortNames(middles, 8)).size).toBe(3);
  });
});

describe('what differs between two records', () => {
  it('is told by what differs of it, however long both are alike', () => {
    const values = LIBRARIES.map((name) => `/some/where/else${name}`);
    expect(differencesText([{ label: 'stack', values }])).toMatch(
      /^stack \(\S+…\S*libwrong\.so \/ \S+…\S*libcrash\.so \/ \S+…\S*libmemoslow\.so\)$/,
    );
  });
});

describe('a table that is too wide', () => {
  const row = (stack: string, why: string): readonly Cell[] => [
    { head: 'stack', align: 'left', text: stack },
    { head: 'score', align: 'right', text: '0.7896' },
    { head: 'why', align: 'left', text: why },
  ];
  const shown = (why: string) =>
    renderFitting(
      LIBRARIES.map((name) => row(name, why)),
      { optional: [], shortened: 'stack', atLast: ['why'] },
      { ...terminalStyle({ isTTY: false }), width: 45 },
    );

  it('shortens its names no further than what is left takes, once a column had to be left out', () => {
    expect(shown('a reason that is far too long for such a terminal')).toContain(LIBRARIES[2]);
    expect(shown('short')).toMatch(/^ {2}cblas:\S*…\S*slow\.so +0\.7896 +short$/m);
  });
});
