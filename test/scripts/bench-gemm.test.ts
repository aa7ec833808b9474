/** bench:gemm's pure parts: which turns, which figures, which tables. Nothing here measures. */
import { describe, expect, it } from 'vitest';
import { nameOf, ownCandidates } from '../../scripts/bench-gemm/candidates.mjs';
import { readOptions } from '../../scripts/bench-gemm/options.mjs';
import { caseTable, footnotes, summary } from '../../scripts/bench-gemm/report.mjs';
import { figures, isOpen, targetFor } from '../../scripts/bench-gemm/results.mjs';
import { shapeNamed, skinnyShapes, square, variantOf } from '../../scripts/bench-gemm/shapes.mjs';
import { withMoreTurns } from '../../scripts/bench-gemm/turns.mjs';
import { random, shuffled } from '../../scripts/lib/draw.mjs';
import { judge, leftOutAtEachEnd, pairedRatio, roundsOfLaunches } from '../../scripts/lib/paired.mjs';
import { table } from '../../scripts/lib/table.mjs';

const turn = (median: number, disturbed = 0) => ({ median, min: median, count: 4, disturbed });
const situation = { type: 'float32', threads: 1, shape: square(100), cpus: [0] };
const run = (
  name: string,
  role: string,
  turns: ReturnType<typeof turn>[],
  trouble: string | null = null,
) => ({
  candidate: { name, role, setting: { label: '', environment: {} } },
  hello: { version: '', kernel: 'avx512', pinned: true, operations: 2e6 },
  turns,
  trouble,
});
const peak = run('peak', 'peak', [turn(1e-6)]);

describe('a library that was asked for', () => {
  it.each([
    ['cblas', '/opt/libopenblas_new.so.0', 'openblas_new'],
    ['onednn', '/opt/lib/libdnnl.so.3.13', 'onednn 3.13'],
    ['mkl', '/opt/libmkl_rt.so', 'mkl'],
    ['libxsmm', '/opt/something', 'libxsmm'],
  ])('of %s at %s is %s', (family, path, name) => {
    expect(nameOf(family, path)).toBe(name);
  });

  it('and fails alike everywhere is told so once', () => {
    const failed = [peak, run('own', 'own', [turn(1)]), run('onednn 9', 'library', [], 'failed: too new')];
    const at = (n: number) => figures({ ...situation, shape: square(n) }, failed);
    expect(footnotes([at(1), at(2)]).at(-1)).toBe('onednn 9: failed: too new (in every case)');
    const sound = figures(situation, failed.slice(0, 2));
    expect(footnotes([at(1), sound]).at(-1)).toBe('1: onednn 9: failed: too new');
  });
});

describe('an earlier build', () => {
  const asked = { stacks: ['embedded'], prepack: false };

  it('is a rival of the kernels, by its own program', () => {
    const before = process.execPath;
    const [own, earlier] = ownCandidates({ ...asked, before }, 'program');
    expect(own.processFor(situation).command).toBe('program');
    expect(earlier).toMatchObject({ name: 'before', role: 'library' });
    expect(earlier.processFor(situation).command).toBe(before);
  });

  it('has to be there', () => {
    expect(() => ownCandidates({ ...asked, before: '/nowhere/bench-gemm' }, 'program')).toThrow('--before');
  });
});

describe('the turns', () => {
  it('are drawn alike from one seed and otherwise from another', () => {
    const items = [...'abcdefgh'];
    const drawn = (seed: number) => shuffled(items, random(seed)).join('');
    expect(drawn(1)).toBe(drawn(1));
    expect(drawn(1)).not.toBe(drawn(2));
    expect([...drawn(1)].sort()).toEqual(items);
  });

  it('put each candidate first about equally often', () => {
    const draw = random(7);
    const firsts = Array.from({ length: 3000 }, () => shuffled(['a', 'b', 'c'], draw)[0]);
    for (const item of ['a', 'b', 'c']) {
      const count = firsts.filter((first) => first === item).length;
      expect(Math.abs(count - 1000)).toBeLessThan(130);
    }
  });

  it('are spread over the launches as evenly as they go', () => {
    expect(roundsOfLaunches(6, 2)).toEqual([3, 3]);
    expect(roundsOfLaunches(5, 2)).toEqual([3, 2]);
    const { rounds, launches } = readOptions(['--rounds', '2', '--launches', '3']);
    expect(roundsOfLaunches(rounds, launches)).toEqual([1, 1]);
  });
});

describe('the ratio of two candidates', () => {
  it('pairs the turns of a round, so that a drift of the machine cancels', () => {
    const own = { turns: [turn(1), turn(2), turn(4)] };
    const other = { turns: [turn(1.1), turn(2.2), turn(4.4)] };
    const { ratio, clean } = pairedRatio(own, other);
    expect(ratio).toBeCloseTo(1.1, 12);
    expect(clean).toBe(true);
  });

  it('leaves out rounds without an undisturbed sample, and says when too few are left', () => {
    const own = { turns: [turn(1), turn(9, 4), turn(1)] };
    expect(pairedRatio(own, { turns: [turn(1), turn(1), turn(1)] })).toMatchObject({ ratio: 1, clean: true });
    expect(pairedRatio(own, { turns: [turn(1, 4), turn(1), turn(1)] }).clean).toBe(false);
  });

  it('decides against a target only by clean turns', () => {
    const own = { turns: [turn(1)] };
    const slower = { turns: [turn(1.2)] };
    const faster = { turns: [turn(0.8)] };
    const disturbed = { turns: [turn(1.2, 4)] };
    expect(judge(own, [slower], 1)).toBe(true);
    expect(judge(own, [slower, faster], 1)).toBe(false);
    expect(judge(own, [slower, disturbed], 1)).toBeNull();
    expect(judge(own, [faster, disturbed], 1)).toBe(false);
    expect(judge(own, [], 1)).toBeNull();
  });
});

describe('a ratio near its target', () => {
  const own = (ratios: number[]) => ({ turns: ratios.map(() => turn(1)) });
  const other = (ratios: number[]) => ({ turns: ratios.map((ratio) => turn(ratio)) });
  const judged = (ratios: number[], target: number) => judge(own(ratios), [other(ratios)], target);

  it('is a tie while its interval has the target inside, and decided when it has not', () => {
    const around = [0.99, 0.995, 0.997, 0.999, 1.001, 1.003, 1.005, 1.01];
    expect(judged(around, 1)).toBe('tie');
    expect(judged(around, 0.98)).toBe(true);
    expect(judged(around, 1.02)).toBe(false);
  });

  it('has the interval of the sign test: 8 values with all of them, 32 without 8 at each end', () => {
    expect([7, 8, 32].map(leftOutAtEachEnd)).toEqual([null, 0, 8]);
  });

  it('is measured again while it is open, unless nothing is there to compare with', () => {
    const rounds = Array.from({ length: 8 }, (_, i) => turn((0.99 + i * 0.003) * 2e-6));
    const mine = run(
      'embedded',
      'own',
      rounds.map(() => turn(2e-6)),
    );
    const open = figures(situation, [mine, run('one', 'library', rounds), peak]);
    expect(open.comparisons).toMatchObject([{ holds: 'tie' }]);
    expect(isOpen(open)).toBe(true);
    const twice = withMoreTurns([mine], [mine]);
    expect(twice[0]?.turns).toHaveLength(16);
    expect(isOpen(figures(situation, [mine, peak]))).toBe(false);
  });
});

describe('the targets', () => {
  const embedded = { name: 'embedded', kernel: 'avx512' };

  it('are the best library for the wide types, and for the narrow ones where AMX is', () => {
    expect(targetFor(situation, 'library', embedded)).toBe(1);
    expect(targetFor({ ...situation, type: 'int8' }, 'library', embedded)).toBeNull();
    expect(targetFor({ ...situation, type: 'int8' }, 'library', { ...embedded, kernel: 'amx_int8' })).toBe(1);
  });

  it('are generated code on one thread only, and nothing for skinny shapes and kernels asked for by name', () => {
    expect(targetFor(situation, 'jit', embedded)).toBe(0.95);
    expect(targetFor({ ...situation, threads: 2 }, 'jit', embedded)).toBeNull();
    expect(targetFor({ ...situation, shape: shapeNamed('1x8x8') }, 'library', embedded)).toBeNull();
    expect(targetFor(situation, 'library', { ...embedded, name: 'embedded:avx2' })).toBeNull();
    const transposed = variantOf(square(64), { transpose: 'NT', batch: 1 });
    expect(targetFor({ ...situation, shape: transposed }, 'library', embedded)).toBeNull();
  });
});

describe('the figures of a case', () => {
  it('name the library that leaves the smallest ratio', () => {
    const { rows, comparisons } = figures(situation, [
      run('embedded', 'own', [turn(2e-6)]),
      run('one', 'library', [turn(4e-6)]),
      run('two', 'library', [turn(3e-6)]),
      peak,
    ]);
    expect(rows.map(({ rate }) => rate)).toEqual([1e12, 5e11, 2e6 / 3e-6]);
    expect(comparisons).toMatchObject([{ rival: 'two', ratio: 1.5, target: 1, holds: true }]);
  });

  it('hold no rate above the peak of the threads asked for', () => {
    const { rows, comparisons } = figures(situation, [
      run('embedded', 'own', [turn(2e-6)]),
      run('cheat', 'library', [turn(0.5e-6)]),
      peak,
    ]);
    expect(rows[1]?.trouble).toContain('of the peak');
    expect(comparisons).toMatchObject([{ rival: null, holds: null }]);
  });

  it('count a wrong result of ours as a missed target', () => {
    const { comparisons } = figures(situation, [
      run('embedded', 'own', [], 'WRONG: [0, 0] is 1, not 2'),
      run('one', 'library', [turn(4e-6)]),
      peak,
    ]);
    expect(comparisons).toMatchObject([{ holds: false }]);
    expect(summary([{ situation, comparisons }])[0]).toBe(
      'Of 1 targets 0 hold, 0 are ties (the target lies inside the interval of the ratio), 1 were missed, 0 could not be judged.',
    );
  });

  it('say nothing of targets where there are none', () => {
    const shape = variantOf(square(64), { transpose: 'NT', batch: 1 });
    const { comparisons } = figures({ ...situation, shape }, [
      run('embedded', 'own', [turn(2e-6)]),
      run('one', 'library', [turn(4e-6)]),
      peak,
    ]);
    expect(summary([{ situation, comparisons }])[0]).toBe(
      'Without a target: at least as fast as the best library in 1 of 1 cases.',
    );
  });
});

describe('the tables', () => {
  it('are aligned in a terminal and markdown at once', () => {
    expect(
      table(
        ['n', 'rate'],
        [
          ['64', '1.0'],
          ['4096', '123.4'],
        ],
      ),
    ).toBe('| n    |  rate |\n|------|------:|\n| 64   |   1.0 |\n| 4096 | 123.4 |');
  });

  it('say that nothing was there to compare with, which is no pass', () => {
    const text = caseTable([figures(situation, [run('embedded', 'own', [turn(2e-6)]), peak])]);
    expect(text).toContain('no library here has this type');
    expect(text).toContain('not compared');
    expect(text).not.toContain('yes');
  });

  it('show a wrong result as a word, never as a rate', () => {
    const text = caseTable([
      figures(situation, [
        run('embedded', 'own', [turn(2e-6)]),
        run('one', 'library', [], 'WRONG: [0, 0] is 1, not 2'),
        peak,
      ]),
    ]);
    expect(text).toContain('WRONG');
  });
});

describe('the flags', () => {
  it('give the seven squares and twelve skinny shapes by default', () => {
    const { shapes, portable } = readOptions([]);
    expect(shapes).toHaveLength(19);
    expect(skinnyShapes()).toHaveLength(12);
    expect(portable).toBe(true);
  });

  it('narrow what is measured', () => {
    const names = (...args: string[]) => readOptions(args).shapes.map(({ name }) => name);
    expect(names('--size', '64,100')).toEqual(['64', '100']);
    expect(names('--skinny')).toHaveLength(12);
    expect(names('--no-skinny')).toHaveLength(7);
    expect(names('--shape', '8x16x32')).toEqual(['8x16x32']);
    expect(names('--quick')).toEqual(['64', '512', '1024']);
    expect(names('--size', '64,100', '--transpose', 'NN,NT')).toEqual(['64', '64 NT', '100', '100 NT']);
    expect(names('--size', '64', '--transpose', 'TN', '--batch', '1,8')).toEqual(['64 TN', '64 TN batch 8']);
  });

  it('refuse what they do not know', () => {
    expect(() => readOptions(['--dtype', 'float16'])).toThrow('--dtype knows');
    expect(() => readOptions(['--shape', '8x16'])).toThrow('three sides');
    expect(() => readOptions(['--rounds', 'x'])).toThrow('--rounds');
    expect(() => readOptions(['--batch', '1.5'])).toThrow('--batch is a whole number');
    expect(() => readOptions(['--transpose', 'T'])).toThrow('--transpose knows NN, NT, TN, TT, not T');
  });
});
