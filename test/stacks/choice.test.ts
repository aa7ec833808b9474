/** Whether a library's choice of code fits the CPU, and what asked for it. */
import { describe, expect, it } from 'vitest';
import { type Chosen, choiceAdvice, poorChoice } from '../../src/stacks/choice.js';
import { findStack } from '../../src/stacks/index.js';
import type { LibrarySpec } from '../../src/stacks/library-spec.js';

const WIDE = ['avx2', 'avx512bw', 'avx512f', 'fma'];
const NARROW = ['avx2', 'fma'];

function specOf(provider: string): LibrarySpec {
  const { library } = findStack(provider);
  if (library === null) throw new Error(`${provider} is no library`);
  return library;
}

const judged = (
  provider: string,
  chose: string | null,
  features: readonly string[],
  environment: Chosen['environment'] = {},
) => poorChoice(specOf(provider), { chose, features, environment });

describe('what a library chose', () => {
  it.each([
    ['blis', 'haswell', WIDE, 'AVX-512'],
    ['blis', 'zen3', WIDE, 'AVX-512'],
    ['blis', 'generic', NARROW, 'AVX2'],
    ['openblas', 'Haswell', WIDE, 'AVX-512'],
    ['openblas', 'Prescott', NARROW, 'AVX2'],
    ['onednn', 'cpu_isa_avx2', WIDE, 'AVX-512'],
    ['libxsmm', 'hsw', WIDE, 'AVX-512'],
    ['mkl', 'def', NARROW, 'AVX2'],
  ])('%s: "%s" is below what the CPU has', (provider, chose, features, has) => {
    expect(judged(provider, chose, features)).toEqual({
      text: `chose its code for "${chose}" on a CPU with ${has}`,
      remedy: specOf(provider).choices?.remedy(has === 'AVX2' ? 'avx2' : 'avx512'),
    });
  });

  it.each([
    ['blis', 'skx', WIDE],
    ['blis', 'haswell', NARROW],
    ['openblas', 'SkylakeX', WIDE],
    ['openblas', 'Cooperlake', WIDE],
    ['openblas', 'Zen', NARROW],
    ['onednn', 'cpu_isa_avx512_core_amx', WIDE],
    ['libxsmm', 'clx', WIDE],
    ['mkl', null, WIDE],
    ['blis', 'firestorm', ['asimd']],
    ['openblas', 'Prescott', []],
    ['cblas', 'Prescott', WIDE],
  ])('%s: %s is good, or nobody knows', (provider, chose, features) => {
    expect(judged(provider, chose, features)).toBeNull();
  });
});

describe('a variable that decides on the choice', () => {
  it.each([
    ['openblas', 'Prescott', 'OPENBLAS_CORETYPE', 'prescott'],
    ['onednn', 'cpu_isa_avx2', 'ONEDNN_MAX_CPU_ISA', 'AVX2'],
    ['onednn', 'cpu_isa_sse41', 'DNNL_MAX_CPU_ISA', 'SSE41'],
    ['libxsmm', 'hsw', 'LIBXSMM_TARGET', 'hsw'],
  ])('of %s that names "%s" asked for it', (provider, chose, variable, value) => {
    const { text, remedy } = judged(provider, chose, WIDE, { [variable]: value }) ?? {};
    expect(text).toMatch(new RegExp(`, as ${variable}=${value} asks$`));
    expect(remedy).toBe(specOf(provider).choices?.remedy('avx512'));
    expect(remedy).toContain(variable);
  });

  it('that names something else is told, and not called the reason', () => {
    const { text, remedy } = judged('blis', 'haswell', WIDE, { BLIS_ARCH_TYPE: '3' }) ?? {};
    expect(text).toMatch(/, with BLIS_ARCH_TYPE=3 in its environment$/);
    expect(remedy).toBe(specOf('blis').choices?.remedy('avx512'));
  });

  it('is offered with what the CPU has, and no more', () => {
    expect(judged('openblas', 'Prescott', NARROW)?.remedy).toContain('OPENBLAS_CORETYPE=Haswell');
    expect(judged('blis', 'generic', NARROW)?.remedy).toMatch(/: haswell, /);
  });

  it('that names good code and did not get it is no remedy', () => {
    const { text, remedy } = judged('openblas', 'Prescott', WIDE, { OPENBLAS_CORETYPE: 'SkylakeX' }) ?? {};
    expect(text).toMatch(/, with OPENBLAS_CORETYPE=SkylakeX in its environment$/);
    expect(remedy).toBe('this build of it does not take that: try another version or build');
  });

  it('of another library says nothing', () => {
    expect(judged('blis', 'haswell', WIDE, { OPENBLAS_CORETYPE: 'Haswell' })?.text).toMatch(/AVX-512$/);
  });
});

it('doctor’s advice has the same words, with the file', () => {
  const poor = judged('openblas', 'Prescott', WIDE);
  if (poor === null) throw new Error('it is poor');
  expect(choiceAdvice(specOf('openblas'), '/lib/x.so', poor)).toMatchObject({
    topic: 'openblas-choice',
    level: 'important',
    seen: '/lib/x.so chose its code for "Prescott" on a CPU with AVX-512',
    action: expect.stringContaining('OPENBLAS_CORETYPE=SkylakeX'),
  });
});
