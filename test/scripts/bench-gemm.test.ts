/** bench:gemm's pure parts: which turns, which figures, which tables. Nothing here measures. */
import { describe, expect, it } from 'vitest';
import { libraryCandidates, nameOf, ownCandidates } from '../../scripts/bench-gemm/candidates.mjs';
import { readOptions } from '../../scripts/bench-gemm/options.mjs';
import { caseTable, footnotes, summary } from '../../scripts/bench-gemm/report.mjs';
import { figures, isOpen, tableFigures, targetFor } from '../../scripts/bench-gemm/results.mjs';
import { shapeNamed, skinnyShapes, square, variantOf } from '../../scripts/bench-gemm/shapes.mjs';
import { withMoreLaunches } from '../../scripts/bench-gemm/turns.mjs';
import { random, shuffled } from '../../scripts/lib/draw.mjs';
import { roundsOfLaunches } from '../../scripts/lib/paired.mjs';
import { table } from '../../scripts/lib/table.mjs';
import { steady, type Turns, turn } from './turns.js';

const situation = { type: 'float32', threads: 1, shape: square(100), cpus: [0] };
const run = (name: string, role: string, launches: Turns[], trouble: string | null = null) => ({
  candidate: { name, role, setting: { label: '', environment: {} } },
  hello: { version: '', kernel: 'avx512', pinned: true, operations: 2e6 },
  launches,
  trouble,
});
const peak = run('peak', 'peak', steady(1e-6));

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
    const failed = [peak, run('own', 'own', steady(1)), run('onednn 9', 'library', [], 'failed: too new')];
    const at = (n: number) => figures({ ...situation, shape: square(n) }, failed);
    expect(footnotes([at(1), at(2)]).at(-1)).toBe('onednn 9: failed: too new (in every case)');
    const sound = figures(situation, failed.slice(0, 2));
    expect(footnotes([at(1), sound]).at(-1)).toBe('1: onednn 9: failed: too new');
  });
});

describe('the libraries that are here', () => {
  const found = (...files: string[]) =>
    libraryCandidates({ libraries: [], only: [], prepack: false }, 'program', {
      architecture: 'x64',
      loaderFolders: [],
      linkerCache: () => files.map((file) => `\t${file} (libc6,x86-64) => /there/${file}\n`).join(''),
      realPath: (path) => (path.startsWith('/there/') ? path : null),
    }).map(({ name, path }) => `${name} ${path}`);

  it.each(['libdnnl.so.2', 'libdnnl.so.3'])('are those that stacks find: %s', (file) => {
    expect(found(file)).toContain(`onednn /there/${file}`);
  });

  it('leave out what counts with integers of 64 bits, with which the candidate is not called', () => {
    expect(found('libopenblas64.so.0')).toEqual([]);
    expect(found('libopenblas64.so.0', 'libopenblas.so.0')).toEqual(['openblas /there/libopenblas.so.0']);
  });
});

describe('an earlier build', () => {
  const asked = { stacks: ['embedded'], prepack: false };

  it('is a rival of the kernels, by its own program', () => {
    const before = process.execPath;
    const [own, earlier] = ownCandidates({ ...asked, before }, 'program');
    expect(own.processFor(situation).command).toBe('program');
    expect(earlier).toMatchObject({ name: 'before', role: 'before' });
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

describe('a case', () => {
  it('is measured again while it is open, unless nothing is there to compare with', () => {
    const launches = [0, 4].map((first) =>
      Array.from({ length: 4 }, (_, i) => turn((0.99 + (first + i) * 0.003) * 2e-6)),
    );
    const mine = run('embedded', 'own', steady(2e-6));
    const open = figures(situation, [mine, run('one', 'library', launches), peak]);
    expect(open.comparisons).toMatchObject([{ verdict: 'tie' }]);
    expect(isOpen(open)).toBe(true);
    const twice = withMoreLaunches([mine], [mine]);
    expect(twice[0]?.launches).toHaveLength(4);
    expect(isOpen(figures(situation, [mine, peak]))).toBe(false);
  });

  it('is measured again while its rounds are too few', () => {
    const once = (seconds: number) => [[turn(seconds)]];
    const few = figures(situation, [
      run('embedded', 'own', once(2e-6)),
      run('one', 'library', once(3e-6)),
      peak,
    ]);
    expect(few.comparisons).toMatchObject([{ verdict: 'few', ratio: 1.5 }]);
    expect(isOpen(few)).toBe(true);
    expect(caseTable([few])).toContain('few |');
    expect(summary([few])).toEqual([
      'Of 1 targets 0 hold, 0 are ties (the target lies inside the interval of the ratio, or between launches), 0 were missed, 0 could not be judged. By the ratio alone, of too few rounds or launches for a verdict: 1 at or above the target, 0 below.',
      '',
      '- few float32 100, 1 thread: embedded 1.500 of one, target 1',
    ]);
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
      run('embedded', 'own', steady(2e-6)),
      run('one', 'library', steady(4e-6)),
      run('two', 'library', steady(3e-6)),
      peak,
    ]);
    expect(rows.map(({ rate }) => rate)).toEqual([1e12, 5e11, 2e6 / 3e-6]);
    expect(comparisons).toMatchObject([{ rival: 'two', ratio: 1.5, target: 1, verdict: 'holds' }]);
  });

  it('hold no rate above the peak of the threads asked for', () => {
    const runs = [run('embedded', 'own', steady(2e-6)), run('cheat', 'library', steady(0.5e-6)), peak];
    const [figure] = tableFigures([{ situation, runs }]);
    expect(figure?.rows[1]?.trouble).toContain('of the peak');
    expect(figure?.comparisons).toMatchObject([{ rival: null, verdict: 'rival failed', failed: ['cheat'] }]);
  });

  it('take the best peak of the table for that: one that was disturbed makes nobody a cheat', () => {
    const runs = [run('embedded', 'own', steady(2e-6)), run('fast', 'library', steady(1.1e-6))];
    const halved = run('peak', 'peak', steady(2e-6));
    const [first] = tableFigures([
      { situation, runs: [...runs, halved] },
      { situation, runs: [...runs, peak] },
    ]);
    expect(first?.comparisons).toMatchObject([{ rival: 'fast', verdict: 'missed', failed: [] }]);
  });

  it('are not judged where a rival failed, unless they are missed without it', () => {
    const broken = run('broken', 'library', [], 'failed: ended with 1');
    const cases = [3e-6, 1e-6].map((seconds) =>
      figures(situation, [
        run('embedded', 'own', steady(2e-6)),
        run('one', 'library', steady(seconds)),
        broken,
        run('unable', 'library', [], 'unsupported: no function'),
        peak,
      ]),
    );
    expect(cases.flatMap(({ comparisons }) => comparisons)).toMatchObject([
      { rival: 'one', ratio: 1.5, verdict: 'rival failed', failed: ['broken'] },
      { rival: 'one', ratio: 0.5, verdict: 'missed' },
    ]);
    expect(cases.map(isOpen)).toEqual([false, false]);
    expect(caseTable(cases)).toContain('not judged');
    expect(summary(cases)).toContain(
      '- not judged float32 100, 1 thread: embedded 1.500 (1.500 to 1.500) of one, target 1, broken failed',
    );
  });

  it('set the build before apart from libraries, without a target', () => {
    const found = figures(situation, [
      run('embedded', 'own', steady(2e-6)),
      run('before', 'before', steady(3e-6)),
      peak,
    ]);
    expect(found.comparisons).toMatchObject([
      { versus: 'library', rival: null, verdict: null },
      { versus: 'before', rival: 'before', ratio: 1.5, target: null, verdict: 'holds' },
    ]);
    expect(summary([found])[1]).toBe(
      'Without a target, beside the build before: of 1 cases at least as fast in 1, slower in 0, undecided in 0, not judged in 0.',
    );
    expect(summary([found]).join()).not.toContain('best library');
  });

  it('count a wrong result of ours as a missed target', () => {
    const { comparisons } = figures(situation, [
      run('embedded', 'own', [], 'WRONG: [0, 0] is 1, not 2'),
      run('one', 'library', steady(4e-6)),
      peak,
    ]);
    expect(comparisons).toMatchObject([{ verdict: 'missed' }]);
    expect(summary([{ situation, comparisons }])[0]).toBe(
      'Of 1 targets 0 hold, 0 are ties (the target lies inside the interval of the ratio, or between launches), 1 were missed, 0 could not be judged.',
    );
  });

  it('say nothing of targets where there are none', () => {
    const shape = variantOf(square(64), { transpose: 'NT', batch: 1 });
    const { comparisons } = figures({ ...situation, shape }, [
      run('embedded', 'own', steady(2e-6)),
      run('one', 'library', steady(4e-6)),
      peak,
    ]);
    expect(summary([{ situation, comparisons }])[0]).toBe(
      'Without a target, beside the best library: of 1 cases at least as fast in 1, slower in 0, undecided in 0, not judged in 0.',
    );
  });
});

describe('the tables', () => {
  it('set beside the libraries what they are about, not the kernels asked for by name', () => {
    const found = figures(situation, [
      run('embedded', 'own', steady(2e-6)),
      run('embedded:avx2', 'own', steady(4e-6)),
      run('one', 'library', steady(3e-6)),
      peak,
    ]);
    expect(caseTable([found])).toContain('1.500 (1.500 to 1.500) |');
  });

  it('count apart, without a target, what is undecided, disturbed or of too few rounds', () => {
    const shape = variantOf(square(64), { transpose: 'NT', batch: 1 });
    const beside = (launches: Turns[], own = steady(2e-6)) =>
      figures({ ...situation, shape }, [run('embedded', 'own', own), run('one', 'library', launches)]);
    const apart = [steady(1.9e-6)[0], steady(2.2e-6)[0]].map((launch) => launch ?? []);
    const cases = [steady(3e-6), steady(1e-6), steady(3e-6, 4), apart].map((launches) => beside(launches));
    const few = [[[turn(3e-6)]], [[turn(1e-6)]]].map((launches) => beside(launches, [[turn(2e-6)]]));
    expect(summary([...cases, ...few])[0]).toBe(
      'Without a target, beside the best library: of 6 cases at least as fast in 1, slower in 1, undecided in 1, not judged in 1; by the ratio alone at least as fast in 1 and slower in 1.',
    );
  });

  it('count what is generated for the shape, and what is prepacked, each by itself', () => {
    const shape = variantOf(square(64), { transpose: 'NT', batch: 1 });
    const found = figures({ ...situation, shape }, [
      run('embedded', 'own', steady(2e-6)),
      run('embedded prepacked', 'own prepacked', steady(2e-6)),
      run('one', 'library', steady(3e-6)),
      run('generated', 'jit', steady(1e-6)),
      run('one prepacked', 'prepacked', steady(1e-6)),
    ]);
    expect(summary([found]).slice(0, 3)).toEqual([
      expect.stringContaining('beside the best library: of 1 cases at least as fast in 1, slower in 0'),
      expect.stringContaining(
        'beside code generated for the shape: of 1 cases at least as fast in 0, slower in 1',
      ),
      expect.stringContaining(
        'beside the best with operands prepacked on both sides: of 1 cases at least as fast in 0, slower in 1',
      ),
    ]);
  });

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
    const text = caseTable([figures(situation, [run('embedded', 'own', steady(2e-6)), peak])]);
    expect(text).toContain('no library measured has this type');
    expect(text).toContain('not compared');
    expect(text).not.toContain('yes');
  });

  it('show a wrong result as a word, never as a rate', () => {
    const text = caseTable([
      figures(situation, [
        run('embedded', 'own', steady(2e-6)),
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
