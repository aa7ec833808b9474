// Which command lines need not wait until all of the addon is built.
import { expect, test } from 'vitest';
import { goesOnWithout, type HERE, neededPart } from '../../scripts/lib/needed-part.mjs';
import { measuringOptions } from '../../src/cli/common-options.js';
import { matmul } from '../../src/indicators/matmul.js';

const AVX512 = 'flags\t\t: fpu fma sse2 avx2 avx512f avx512dq avx512bw avx512vl';
const AVX2 = 'flags\t\t: fpu fma sse2 avx2';
const machine = (change: Partial<typeof HERE> = {}): typeof HERE => ({
  arch: 'x64',
  cpuinfo: () => `processor\t: 0\n${AVX512}\n\nprocessor\t: 1\n${AVX512}\n`,
  gpu: () => false,
  ...change,
});
const needed = (line: string, here = machine(), wholeThere = false): string =>
  neededPart(line.split(' '), wholeThere, here);

test('a float32 product by our own kernels needs what is built first', () => {
  for (const line of [
    'matmul',
    'matmul --size 512 --reps 2000',
    'matmul --size=512 --threads 1 --no-pin --json --quiet --out=/tmp/x',
    'matmul --m 3 --n 4 --k 5 --labels site=a',
  ])
    expect(needed(line), line).toBe('firstAvx512');
  expect(needed('matmul', machine({ cpuinfo: () => AVX2 }))).toBe('firstAvx2');
});

test('whatever may be another product, or no product, needs all of the addon', () => {
  for (const line of [
    '',
    'memory',
    'doctor',
    'sweep matmul --size 64,128',
    'matmul --dtype int8',
    'matmul --dtype=float64',
    'matmul --stack embedded:avx2',
    'matmul --stack-file mine.yaml',
    'matmul --device cuda:0',
    'matmul --size 64 --at-once only',
    'matmul --some-flag-of-tomorrow',
    'matmul -x',
  ])
    expect(needed(line), line).toBe('whole');
});

test('every flag that leaves the product a float32 one is a flag of matmul', () => {
  const flags = [...Object.keys(matmul.options), ...Object.keys(measuringOptions(matmul.measuring))];
  const free = flags.filter((flag) => needed(`matmul --${flag} 1`) === 'firstAvx512');
  expect(flags.filter((flag) => !free.includes(flag)).sort()).toEqual(
    ['at-once', 'device', 'dtype', 'settle', 'stack', 'stack-file'].sort(),
  );
});

test('a machine that cannot execute what is built first, or has a GPU to describe, needs all of the addon', () => {
  const without = (flag: string) => AVX512.replace(` ${flag}`, '');
  for (const here of [
    machine({ arch: 'arm64' }),
    machine({ gpu: () => true }),
    machine({ cpuinfo: () => '' }),
    machine({ cpuinfo: () => without('avx512dq') }),
    machine({ cpuinfo: () => without('fma') }),
    machine({ cpuinfo: () => AVX2.replace(' fma', '') }),
    machine({ cpuinfo: () => AVX2.replace(' avx2', '') }),
  ])
    expect(needed('matmul', here)).toBe('whole');
});

test('where the whole addon is there, it is what is used', () => {
  expect(needed('matmul', machine(), true)).toBe('whole');
});

test('who measures nothing needs no addon', () => {
  for (const line of [
    'show results/x',
    'report results/x --out page.html',
    'compare a b',
    'score a --reference b',
    'import thoth x',
    'fleet check x',
    'verdict results/x',
    'submit slurm --nodes 4 matmul',
    'on-node {}',
    'completion zsh',
    'help',
    'version',
    'matmul -h',
    '--get-yargs-completions matmul --s',
    '--help',
    'memory --help',
  ])
    for (const wholeThere of [true, false]) expect(needed(line, machine(), wholeThere), line).toBe('none');
  expect(neededPart([])).toBe('none');
  expect(needed('memory -- --help')).toBe('whole');
});

test('who says what is here goes on without the addon, and nobody who measures', () => {
  for (const line of ['doctor', 'doctor --json', 'machine'])
    expect(goesOnWithout(line.split(' '))).toBe(true);
  for (const line of ['matmul', 'qualify', 'stacks', 'resume x'])
    expect(goesOnWithout(line.split(' '))).toBe(false);
});
