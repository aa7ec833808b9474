/** What the benchmark of collectives reads of others' benchmarks, and makes of our own times to compare with it. */
import { describe, expect, it } from 'vitest';
import {
  benchmarks,
  linkedMpi,
  medianMean,
  readImb,
  readOsu,
  slowestMean,
} from '../../scripts/bench-collective/benchmarks.mjs';
import { againstTarget, agreement, intervalText } from '../../scripts/bench-collective/verdicts.mjs';

const IMB = `
# MPI_Datatype for reductions    :   MPI_FLOAT
#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 2
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         4096          250         5.01         5.50         5.25
         4096          250       905.01       907.25       906.13
         4096          250         5.11         5.75         5.43
      4194304           40      1380.00      1390.50      1385.25


# All processes entering MPI_Finalize
`;

const OSU = `
# OSU MPI Allreduce Latency Test v7.4
# Datatype: MPI_FLOAT.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations  P50 Tail Lat(us)
4096                    5.11              5.09              5.13        1000              4.54
`;

describe('what others’ benchmarks of MPI print', () => {
  it('is, of IMB, the slowest rank’s mean in the median of all rows of a size', () => {
    const found = readImb(IMB, 4096);
    expect(found?.time).toBeCloseTo(5.75e-6, 12);
    expect(found?.repetitions).toBe(250);
    expect(readImb(IMB, 4_194_304)).toEqual({ time: expect.closeTo(1390.5e-6, 12), repetitions: 40 });
  });

  it('is, of OSU’s, the median', () => {
    expect(readOsu(OSU, 4096)).toEqual({ time: expect.closeTo(4.54e-6, 12), repetitions: 1000 });
  });

  it('is nothing where the size, or a column, is not there', () => {
    for (const [read, text] of [
      [readImb, IMB],
      [readOsu, OSU],
    ] as const) {
      expect(read(text, 8)).toBeUndefined();
      expect(read('mpirun was unable to launch\n4096 1 2 3 4 5\n', 4096)).toBeUndefined();
    }
    expect(readOsu(OSU.replaceAll(/ {2}P50.*|( {14}4\.54)/g, ''), 4096)).toBeUndefined();
  });
});

describe('our own times, as others’ benchmarks reckon', () => {
  // Two ranks: in each repetition rank 1 takes 2 more.
  const times = [1, 3, 2, 4, 100, 102, 3, 5, 4, 6, 5, 7, 9, 9];

  it('are, as IMB does, the slowest rank’s mean over rows of repetitions, of which the median counts', () => {
    // Rows of two: 3.5, 53.5, 6.5; the last repetition has no second.
    expect(slowestMean(times, 2, 2)).toBe(6.5);
    expect(slowestMean([1, 9, 8, 1], 2, 1000)).toBe(5);
  });

  it('are, as OSU’s does, the median of the ranks’ mean', () => {
    expect(medianMean(times, 2)).toBe(5);
  });
});

describe('a benchmark that is named', () => {
  it('belongs to the MPI that it is linked to', () => {
    const said = (soname: string) => `\tlinux-vdso.so.1\n\t${soname} => /usr/lib/${soname} (0x7f)\n`;
    expect(linkedMpi(said('libmpi.so.40'))?.name).toBe('Open MPI');
    expect(linkedMpi(said('libmpich.so.12'))?.name).toBe('MPICH');
    expect(linkedMpi(said('libmpi.so.12'))).toBeUndefined();
  });

  it('is refused where it is no program, or of an MPI that is not compared', () => {
    const options = { folder: '/nowhere', ranks: 2, threads: 'single' };
    expect(() => benchmarks({ osu: [import.meta.filename] }, [], options)).toThrow(
      /^--osu \S+ is no program: /,
    );
    expect(() => benchmarks({ imb: [process.execPath] }, [], options)).toThrow(
      /^--imb \S+ is linked to no MPI that is known, which is not compared here: build it with mpicc\.openmpi or/,
    );
  });
});

describe('what rounds say', () => {
  const seven = [3.47, 3.9, 4.1, 4.22, 4.5, 4.9, 5.14];

  it('of a target is by the whole interval, whatever the median', () => {
    expect(againstTarget(seven, 3.4)).toBe('meets');
    expect(againstTarget(seven, 4)).toBe('open');
    expect(againstTarget(seven, 5.1)).toBe('open');
    expect(againstTarget(seven, 5.2)).toBe('MISSES');
  });

  it('of fewer than six is nothing: not even their ends are an interval of 95 %', () => {
    expect(againstTarget(seven.slice(0, 5), 1)).toBe('few');
    expect(agreement([1, 1, 1, 1, 1])).toBe('few');
    expect(intervalText(seven.slice(0, 5))).toBe('');
    expect(intervalText(seven.slice(0, 6))).toBe('3.47 to 4.90');
    expect(intervalText(seven)).toBe('3.47 to 5.14');
    expect(intervalText([...seven, 9, 9])).toBe('3.90 to 9.00');
  });

  it('of two callers is that they agree only where the whole interval does', () => {
    const around = (middle: number, reach: number) =>
      [-1, -0.6, -0.3, 0, 0.3, 0.6, 1].map((step) => middle + step * reach);
    expect(agreement(around(1, 0.09))).toBe('agrees');
    expect(agreement(around(1, 0.2))).toBe('open');
    expect(agreement(around(1.2, 0.15))).toBe('open');
    expect(agreement(around(1.2, 0.05))).toBe('DIFFERS');
    expect(agreement(around(0.8, 0.05))).toBe('DIFFERS');
  });
});
