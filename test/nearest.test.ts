/** A name that there is not is answered by the one that is likely to be meant. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distance, likely, nearest, thereIs } from '../src/nearest.js';

const word = fc.string({ maxLength: 12 });

describe('the distance of two words', () => {
  it('is that of published examples', () => {
    expect(distance('kitten', 'sitting')).toBe(3);
    expect(distance('saturday', 'sunday')).toBe(3);
    expect(distance('', 'abc')).toBe(3);
    expect(distance('ca', 'ac')).toBe(1);
  });

  it('is 0 for the same only, the same both ways, and between the difference of their lengths and the longer one', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const [m, n] = [[...a].length, [...b].length];
        expect(distance(a, b) === 0).toBe(a === b);
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b)).toBeLessThanOrEqual(Math.max(m, n));
        expect(distance(a, b)).toBeGreaterThanOrEqual(Math.abs(m - n));
      }),
    );
  });

  it('is one for two neighbours that changed places', () => {
    fc.assert(
      fc.property(word, fc.nat(), (a, at) => {
        const letters = [...a];
        const i = at % Math.max(1, letters.length - 1);
        const [one = '', other = ''] = letters.slice(i, i + 2);
        const swapped = [...letters.slice(0, i), other, one, ...letters.slice(i + 2)].join('');
        expect(distance(a, swapped)).toBe(one === other || other === '' ? 0 : 1);
      }),
    );
  });
});

describe('the name that is meant', () => {
  const commands = ['matmul', 'memory', 'peak', 'score', 'show', 'run', 'resume', 'report', 'machine'];

  it.each([
    ['matmull', commands, 'matmul'],
    ['mamtul', commands, 'matmul'],
    ['MATMUL', commands, 'matmul'],
    ['sise', ['size', 'm', 'n', 'k'], 'size'],
    ['opneblas', ['embedded', 'openblas', 'blis'], 'openblas'],
    ['OpenBLAS', ['embedded', 'openblas', 'blis'], 'openblas'],
    ['flaot32', ['float32', 'float64', 'bfloat16', 'int8'], 'float32'],
    ['reps', ['indicator', 'repetitions', 'stacks'], 'repetitions'],
  ])('%s is %s', (given, known, meant) => {
    expect(nearest(given, known)).toBe(meant);
  });

  it.each([
    ['frob', commands],
    ['x', ['m', 'n', 'k']],
    ['resultant', ['resume', 'restart']],
    ['anything', []],
  ])('%s is none, where none is near or several only begin alike', (given, known) => {
    expect(nearest(given, known)).toBeNull();
  });

  it('is found through one letter too many, too few or another, of any word of three letters and more', () => {
    const name = fc.stringMatching(/^[a-z]{3,12}$/);
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('', '_', '__'), (meant, at, put) => {
        const i = at % meant.length;
        const given = meant.slice(0, i) + (put === '__' ? `_${meant[i]}` : put) + meant.slice(i + 1);
        fc.pre(given.length > 2);
        expect(nearest(given, ['0123456789', meant])).toBe(meant);
      }),
    );
  });

  it('is one of those that there are, and each of the likely ones is listed once', () => {
    fc.assert(
      fc.property(word, fc.uniqueArray(word), (given, known) => {
        const some = likely(given, known);
        expect(new Set(some).size).toBe(some.length);
        expect(known).toEqual(expect.arrayContaining([...some]));
        const meant = nearest(given, known);
        if (meant !== null) expect(some[0]).toBe(meant);
      }),
    );
  });

  it('stands behind the names that there are', () => {
    expect(thereIs('blsi', ['blis', 'mkl'])).toBe('there is blis, mkl; did you mean blis?');
    expect(thereIs('frob', ['blis', 'mkl'])).toBe('there is blis, mkl');
    expect(thereIs('fp32', ['float32'], 'float32')).toBe('there is float32; did you mean float32?');
  });
});
