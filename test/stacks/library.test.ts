import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.js';
import { distinctStacks, findStack, parseStack, stackText } from '../../src/stacks/index.js';

/** Of a shared library of 64 bits. */
function elfHeader(): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF', 'latin1');
  header.set([2, 1], 4);
  return header;
}

describe('a stack on the command line', () => {
  it('is a provider, with a library’s path where one is given', () => {
    expect(parseStack('openblas')).toEqual({ provider: 'openblas', variant: null });
    expect(parseStack('embedded:avx2')).toEqual({ provider: 'embedded', variant: 'avx2' });
    expect(parseStack('cblas:/opt/a:b.so')).toEqual({ provider: 'cblas', variant: '/opt/a:b.so' });
    expect(stackText(parseStack('cblas:/opt/x.so'))).toBe('cblas:/opt/x.so');
  });

  it('keeps its path where a campaign is resumed from another folder', () => {
    expect(parseStack('cblas:lib/x.so').variant).toBe(resolve('lib/x.so'));
  });

  it('is one where the same file is typed in several ways', () => {
    const typed = [
      'embedded',
      'cblas:lib/x.so',
      'cblas:./lib/x.so',
      'blis:lib/x.so',
      'cblas:lib/y.so',
      'embedded',
    ];
    expect(distinctStacks(typed.map((text) => parseStack(text))).map(stackText)).toEqual([
      'embedded',
      `cblas:${resolve('lib/x.so')}`,
      `blis:${resolve('lib/x.so')}`,
      `cblas:${resolve('lib/y.so')}`,
    ]);
    const own = ['a', 'b', 'a'].map((name) => ({ provider: 'cblas', variant: null, own: name }));
    expect(distinctStacks(own).map((one) => one.own)).toEqual(['a', 'b']);
  });

  it('that is unknown is named, with those that there are', () => {
    expect(() => parseStack('atlas')).toThrow(/--stack atlas is unknown; there is embedded, openblas, blis/);
  });
});

describe('what a library cannot do is said before anything is launched', () => {
  const check =
    (provider: string, variant: string | null, dtype: string, more = {}, indicator = 'matmul') =>
    () =>
      findStack(provider).check(variant, indicator, dtype, { threads: 1, prepack: false, ...more }, 'cpu');

  it.each([
    ['another indicator', check('openblas', null, 'float64', {}, 'memory'), /executes matmul, not memory/],
    ['a data type', check('onednn', null, 'float64'), /no matrix product for float64; it has float32/],
    ['a prepacked B', check('blis', null, 'float32', { prepack: true }), /leave --prepack out/],
    ['threads', check('libxsmm', null, 'float32', { threads: 2 }), /computes with one thread/],
    ['a path that is not there', check('blis', '/no/libblis.so', 'float32'), /there is no such file/],
    ['a path that is a folder', check('cblas', '/usr', 'float32'), /cblas:\/usr: that is a folder/],
    ['a path that is neither', check('cblas', '/dev/null', 'float32'), /that is no file/],
    [
      'a path of a file that is no library',
      check('cblas', '/etc/passwd', 'float32'),
      /that is no shared library$/,
    ],
    ['cblas without a path', check('cblas', null, 'float32'), /takes the path of a library/],
  ])('%s', (_, action, message) => {
    expect(action).toThrow(UserError);
    expect(action).toThrow(message);
  });
});

describe('bfloat16 of a library with the interface of CBLAS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-library-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Of a build that names these functions. */
  const check = (dtype: string, ...functions: readonly string[]) => {
    const path = join(folder, `${functions.join('-')}.so`);
    writeFileSync(path, Buffer.concat([elfHeader(), Buffer.from(`\0${functions.join('\0')}\0`)]));
    return () => findStack('openblas').check(path, 'matmul', dtype, { threads: 1, prepack: false }, 'cpu');
  };

  it('is refused where the build has no such product, and listed where it has', () => {
    const without = ['cblas_sgemm', 'cblas_dgemm'];
    expect(check('bfloat16', ...without)).toThrow(/no matrix product for bfloat16; it has float32, float64$/);
    expect(check('int8', ...without)).toThrow(/no matrix product for int8; it has float32, float64$/);
    expect(check('float32', ...without)).not.toThrow();
    expect(check('bfloat16', ...without, 'cblas_sbgemm')).not.toThrow();
    expect(check('int8', 'cblas_sgemm', 'cblas_sbgemm')).toThrow(/it has float32, float64, bfloat16$/);
    expect(check('bfloat16', 'cblas_sgemm', 'cblas_gemm_bf16bf16f32')).not.toThrow();
  });

  it('is left to the launch where the file names no product at all: another file may have them', () => {
    expect(check('bfloat16', 'wrapper')).not.toThrow();
  });
});
