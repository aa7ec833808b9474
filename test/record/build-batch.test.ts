/** What a batch says of its ceilings, its clock, its variance and its launches' independence, and that documents from before they were measured still read. */
import { describe, expect, it } from 'vitest';
import { matmul } from '../../src/indicators/matmul.js';
import { peak } from '../../src/indicators/peak.js';
import { basisText, intervalsText } from '../../src/readers/terminal/basis.js';
import { analyseInspection } from '../../src/record/analyse-inspection.js';
import { effectiveFrequency, operationsPerCycle } from '../../src/record/clock.js';
import { type RecordBatch, readable, written } from '../../src/record/schema.js';
import { normalFrom, randomFrom, series } from '../statistics/support.js';
import { batchOf, ceilingsOf, inTurnsOf, type Launch, matmulCase, peakCase } from '../support/batch.js';

const fits = (batch: RecordBatch) => written.record.shape.batches.element.safeParse(batch).error;
const kpiOf = (kpis: typeof matmul.kpis, name: string, batch: RecordBatch) =>
  kpis.find((kpi) => kpi.name === name)?.value(batch, { timeToResult: 1 });
const efficiencyOf = (batch: RecordBatch) => kpiOf(matmul.kpis, 'pibench_matmul_efficiency_ratio', batch);

describe('the stack of a batch', () => {
  it('executed what each launch chose', () => {
    const chosen = ['avx512', 'avx2', 'avx2'].map((implementation) => ({ seconds: 40e-6, implementation }));
    expect(batchOf(matmulCase(), chosen).stack.implementation).toBe('avx2 or avx512');
  });
});

describe('a library that was replaced while it was measured', () => {
  it('is another one: its launches have no part in the figures of the first', () => {
    const launches = ['old', 'old', 'new'].map((build, i) => ({ seconds: (i + 1) * 1e-3, build }));
    const batch = batchOf(matmulCase(), launches);
    expect(batch.stack.sha256).toBe('old');
    expect([batch.measured, batch.planned]).toEqual([2, 3]);
    expect(batch.elapsed?.median).toBeCloseTo(1.5e-3, 12);
    expect(batch.inspections[2]).toMatchObject({
      status: 'failed',
      reason: 'it ran another build of openblas than launch 1: new, not old',
      rate: null,
    });
  });
});

describe('a framework one of whose packages was replaced while it was measured', () => {
  it('is another one, though the file that computes is the same', () => {
    const launches = ['1.22.0', '1.22.0', '1.23.0'].map((version) => ({
      seconds: 1e-3,
      build: 'same',
      packages: { 'onnxruntime-node': '1.22.0', 'onnxruntime-common': version },
    }));
    const batch = batchOf(matmulCase(), launches);
    expect(batch.measured).toBe(2);
    expect(batch.inspections[2]).toMatchObject({
      status: 'failed',
      reason: 'it ran other packages than launch 1: onnxruntime-common 1.23.0, not 1.22.0',
      rate: null,
    });
  });
});

describe('an MPI library that was replaced while it was measured', () => {
  const path = '/usr/lib/libmpi.so.40';
  const launchesOf = (...builds: readonly (string | null)[]) =>
    batchOf(
      matmulCase(),
      builds.map((sha256, i) => ({
        seconds: (i + 1) * 1e-3,
        mpi: { version: 'Open MPI 4.1.4', path, sha256 },
      })),
    );

  it('is another one, though what calls it is the same', () => {
    const batch = launchesOf('old', 'old', 'new');
    expect(fits(batch)).toBeUndefined();
    expect(batch.measured).toBe(2);
    expect(batch.inspections[2]).toMatchObject({
      status: 'failed',
      reason: `it ran another build of the MPI library ${path} than launch 1: new, not old`,
    });
  });

  it('is told by its version where its file could not be read', () => {
    const launches = ['Open MPI 4.1.4', 'Open MPI 4.1.6'].map((version, i) => ({
      seconds: (i + 1) * 1e-3,
      mpi: { version, path, sha256: null },
    }));
    expect(batchOf(matmulCase(), launches).inspections.map(({ status }) => status)).toEqual([
      'measured',
      'failed',
    ]);
  });
});

describe('a variable that was set before a campaign was resumed', () => {
  const outcomes = (batch: RecordBatch) => batch.inspections.map(({ status, reason }) => reason ?? status);

  it('makes another environment, whose launches have no part in the figures, also of our own kernels', () => {
    const before = { OMP_NUM_THREADS: '2', MALLOC_ARENA_MAX: '1' };
    const launches = [before, { ...before }, { OMP_NUM_THREADS: '2', LD_PRELOAD: '/a.so' }].map(
      (environment, i) => ({ seconds: (i + 1) * 1e-3, environment }),
    );
    const batch = batchOf(matmulCase(), launches);
    expect(outcomes(batch)).toEqual([
      'measured',
      'measured',
      'it ran in another environment than launch 1: LD_PRELOAD, MALLOC_ARENA_MAX changed',
    ]);
    expect(batch.measured).toBe(2);
    expect(batch.elapsed?.median).toBeCloseTo(1.5e-3, 12);
    expect(fits(batch)).toBeUndefined();
  });

  it('that nothing of the batch reads makes no other one, nor does a path that is empty', () => {
    const launches = [{ CUDA_VISIBLE_DEVICES: '0', LD_LIBRARY_PATH: '' }, { NCCL_DEBUG: 'INFO' }].map(
      (environment) => ({ seconds: 1e-3, environment }),
    );
    expect(outcomes(batchOf(matmulCase(), launches))).toEqual(['measured', 'measured']);
  });

  it('is not held against launches of which no environment is known', () => {
    const batch = batchOf(matmulCase(), [
      { seconds: 1e-3, implementation: 'avx2' },
      { seconds: 1e-3, environment: { OMP_NUM_THREADS: '2' } },
    ]);
    expect(outcomes(batch)).toEqual(['measured', 'measured']);
  });

  it('and had the library choose other code is seen from what it chose, too', () => {
    const launches = ['SkylakeX', 'Haswell'].map((chose) => ({ seconds: 1e-3, build: 'one', chose }));
    expect(outcomes(batchOf(matmulCase(), launches))).toEqual([
      'measured',
      'openblas chose other code than in launch 1: Haswell, not SkylakeX',
    ]);
  });
});

describe('what spoiled a launch', () => {
  const stolen = { name: 'stolen', reason: 'the hypervisor', evidence: {} };
  const samples = Array<number>(30).fill(1e-3);
  const good: Launch = { seconds: 1e-3, samples, disturbedShare: 0.1 };
  const lost: Launch = { ...good, flags: [stolen], disturbedShare: 0.9, status: 'timed-out' };

  it('is held against a batch whose numbers rest on it', () => {
    const batch = batchOf(matmulCase(), [good, { ...lost, status: 'measured' }]);
    expect(batch.flags).toEqual([{ ...stolen, inspections: [1] }]);
    expect(batch.disturbedShare).toBeCloseTo(0.5, 12);
  });

  it('is not where they do not, and stays to be seen at that launch', () => {
    const batch = batchOf(matmulCase(), [good, lost]);
    expect(batch.elapsed?.median).toBe(1e-3);
    expect([batch.flags, batch.disturbedShare]).toEqual([[], 0.1]);
    expect(batch.inspections[1]?.flags).toEqual([stolen]);
  });

  it('is told of all where there are no numbers, and of those cut short where nothing else is left', () => {
    const wrong = batchOf(matmulCase(), [{ ...good, passed: false }, lost]);
    expect(wrong.rate).toBeNull();
    expect(wrong.flags).toEqual([{ ...stolen, inspections: [1] }]);
    expect(wrong.disturbedShare).toBeCloseTo(0.5, 12);
    expect(batchOf(matmulCase(), [lost]).flags).toEqual([{ ...stolen, inspections: [0] }]);
  });
});

describe('the interval of a KPI', () => {
  const rateKpi = (batch: RecordBatch) =>
    kpiOf(matmul.kpis, 'pibench_matmul_rate_flops_per_second', batch)?.ci;
  const noisy = (): Launch => {
    const normal = normalFrom(randomFrom(5));
    return { seconds: 1e-3, samples: [...series(40, () => 1e-3 * (1 + 0.01 * normal()))] };
  };

  it('says what it rests on, as that of the batch does: one of a single launch is none of launches', () => {
    expect(rateKpi(batchOf(matmulCase(), [noisy()]))).toMatchObject({ basis: 'within one launch' });
    const medians = [1, 1.1, 1.2, 1.3, 1.4, 1.5].map((ms): Launch => ({ seconds: ms * 1e-3 }));
    expect(rateKpi(batchOf(matmulCase(), medians.slice(3)))).toMatchObject({ basis: 'few launches' });
    expect(rateKpi(batchOf(matmulCase(), medians))).toMatchObject({ basis: 'launches' });
  });
});

describe('the interval of a precision', () => {
  const rising = (step: number): readonly Launch[] =>
    Array.from({ length: 9 }, (_, i) => ({
      seconds: (1 + step * i) * 1e-3,
      samples: Array<number>(40).fill((1 + step * i) * 1e-3),
    }));

  it('of the rate is that of elapsed where launches rise so little that the precision is reached', () => {
    const { elapsed, rate, precision } = batchOf(matmulCase(), rising(0.001), 0.1);
    expect(precision).toMatchObject({ reached: true, worth: 1 });
    for (const { median, interval } of [elapsed, rate].flatMap((one) => one ?? [])) {
      expect(interval?.low).toBeGreaterThan(0);
      expect(interval?.low).toBeLessThan(median);
      expect(interval?.high).toBeGreaterThan(median);
    }
    expect((rate?.interval?.low ?? 0) * (elapsed?.interval?.high ?? 0)).toBeCloseTo(2e6, 3);
  });

  it('is kept where launches rise as under a neighbour’s growing load, with a word on how far it reaches', () => {
    const batch = batchOf(matmulCase(), rising(0.1), 0.01);
    const { elapsed, precision } = batch;
    expect(elapsed?.interval?.high).toBeGreaterThan(1.25 * (elapsed?.range?.[1] ?? 0));
    expect(precision).toMatchObject({ reached: false });
    expect(basisText(batch)).toBe(
      'over 9 launches, worth 1.0 independent ones as neighbours are alike: it reaches far beyond them; measure while less else comes and goes',
    );
  });
});

describe('the interval of three launches', () => {
  const told = (...seconds: number[]) =>
    basisText(
      batchOf(
        matmulCase(),
        seconds.map((one) => ({ seconds: one })),
      ),
    );

  it('is said to reach far beyond them where it does', () => {
    expect(told(1, 1.01, 1.02)).toBe('over only 3 launches, assuming normal spread');
    expect(told(1, 1.2, 1.5)).toBe(
      'over only 3 launches, assuming normal spread: it reaches far beyond them; use --inspections 6 or more',
    );
    const far = batchOf(
      matmulCase(),
      [1, 1.2, 1.5].map((one) => ({ seconds: one })),
    );
    expect(intervalsText([far, far])).toEqual([
      '95 % intervals over only 3 launches, assuming normal spread; some reach far beyond their launches (more --inspections narrow them)',
    ]);
  });
});

describe('the roofline of a batch', () => {
  it('rests on the medians of its launches: of the elapsed and of each ceiling', () => {
    // 2e6 operations in 40 µs are 50 GFLOP/s, of the median peak of 100.
    const batch = batchOf(matmulCase(), [
      { seconds: 30e-6, ceilings: ceilingsOf(90e9, 7e9) },
      { seconds: 40e-6, ceilings: ceilingsOf(100e9, 3e9) },
      { seconds: 90e-6, ceilings: ceilingsOf(500e9, 6e9) },
    ]);
    const { roofline } = batch;
    expect(roofline?.peak).toBe(100e9);
    expect(roofline?.efficiency).toBeCloseTo(0.5, 12);
    expect(roofline?.bandwidth).toBe(6e9);
    expect(roofline?.bytes).toBe(120_000);
    expect(roofline?.intensity).toBeCloseTo(2e6 / 120e3, 12);
    // 16.7 operations a byte x 6 GB/s allow 100 GFLOP/s, just as the peak.
    expect(roofline?.attainable).toBeCloseTo(100e9, 0);
    expect(efficiencyOf(batch)).toEqual({ value: roofline?.efficiency, ci: null });
    expect(fits(batch)).toBeUndefined();
  });

  it('is doubted by a flag where the rate passes a ceiling, and only there', () => {
    const names = (peak: number, reading: number | null): string[] =>
      batchOf(matmulCase(), [{ seconds: 40e-6, ceilings: ceilingsOf(peak, reading) }]).flags.map(
        ({ name }) => name,
      );
    // The case runs at 50 GFLOP/s; reading 2 GB/s would allow 33.
    expect(names(48e9, null)).toEqual(['above-ceiling']);
    expect(names(100e9, 2e9)).toEqual(['above-ceiling']);
    expect(names(49.5e9, null)).toEqual([]);
    expect(names(100e9, 6e9)).toEqual([]);
  });

  it('is doubted where the rate passes at all a peak that the launches do not agree on', () => {
    // As while other work ran in the launches that measured it, and not in those after them.
    const batch = (...peaks: number[]) =>
      batchOf(matmulCase(), [
        ...peaks.map((peak): Launch => ({ seconds: 40e-6, ceilings: ceilingsOf(peak, null) })),
        ...Array<Launch>(6).fill({ seconds: 40e-6, ceilings: null }),
      ]);
    const apart = batch(57e9, 49.5e9, 48.5e9);
    expect(apart.roofline?.efficiency).toBeCloseTo(1.0101, 4);
    expect(apart.roofline?.peaks).toEqual({ launches: 3, least: 48.5e9, most: 57e9 });
    expect(apart.flags.map(({ name }) => name)).toEqual(['above-ceiling']);
    expect(apart.flags[0]?.reason).toMatch(
      /^the rate is 101\.0 % of the ceiling in registers \(median of 3 launches that differ by 18 %\), which nothing can pass/,
    );
    expect(batch(49.8e9, 49.5e9, 49.4e9).flags).toEqual([]);
    expect(batch(60e9, 55e9, 51e9).flags).toEqual([]);
  });

  it('is doubted by a flag where the peak is another one from launch to launch, with what is known of the clock', () => {
    const reasons = (...launches: (readonly [peak: number | null, frequency: number | null])[]): string[] =>
      batchOf(
        matmulCase(),
        launches.map(([peak, frequency]) => ({
          seconds: 40e-6,
          ceilings: peak === null ? null : ceilingsOf(peak, null),
          frequency,
        })),
      ).flags.map(({ name, reason }) => `${name}: ${reason}`);
    const [shared, ...others] = reasons([70e9, 2e9], [132e9, 2.02e9], [100e9, 2e9]);
    expect(shared).toMatch(
      /^peak-moved: .*70\.00 GFLOP\/s in one launch and 132\.0 GFLOP\/s in another, which the clock rate of its first thread does not explain, /,
    );
    expect(others).toEqual([]);
    expect(reasons([100e9, 2e9], [140e9, 2.8e9])[0]).toContain('as the clock rate of its first thread was');
    expect(reasons([100e9, 2.8e9], [140e9, 2e9])[0]).toContain('does not explain');
    expect(reasons([100e9, null], [140e9, 2.8e9])[0]).toContain('because their clock moved');
    expect(reasons([100e9, 2e9], [124e9, 2e9])).toEqual([]);
    expect(reasons([100e9, 2e9])).toEqual([]);
    expect(reasons([100e9, 2e9], [null, 2e9])).toEqual([]);
  });

  it('has the median of what launches reached in turns with the peak, of those that looked', () => {
    const batch = batchOf(matmulCase(), [
      { seconds: 40e-6, ceilings: inTurnsOf(100e9, 6e9, 0.9) },
      { seconds: 40e-6, ceilings: inTurnsOf(200e9, 6e9, 0.8) },
      { seconds: 40e-6, ceilings: inTurnsOf(300e9, 6e9, 0.2) },
      { seconds: 40e-6, ceilings: ceilingsOf(100e9, 6e9) },
    ]);
    expect(batch.roofline?.inTurns).toEqual({ share: 0.8, turns: 30 });
    expect(fits(batch)).toBeUndefined();
  });

  it('is of the rate of the launches that measured a peak, and says which share of all they are', () => {
    const batch = batchOf(matmulCase(), [
      { seconds: 40e-6, ceilings: ceilingsOf(100e9, 2e9) },
      { seconds: 80e-6, ceilings: null },
      { seconds: 80e-6, ceilings: ceilingsOf(null, 9e9) },
    ]);
    expect(batch.rate?.median).toBeCloseTo(25e9, 0);
    expect(batch.roofline?.efficiency).toBeCloseTo(0.5, 12);
    expect(batch.roofline?.bandwidth).toBe(2e9);
    expect(batch.roofline?.measuredBy).toEqual({ launches: 1, of: 3 });
    expect(kpiOf(matmul.kpis, 'pibench_matmul_efficiency_ratio', batch)?.launches).toBe(1);
    expect(fits(batch)).toBeUndefined();
  });

  it('is without a bound where the rate of reading is not known', () => {
    const batch = batchOf(matmulCase(), [{ seconds: 40e-6, ceilings: ceilingsOf(100e9, null) }]);
    expect(batch.roofline).toMatchObject({ bound: null, attainable: null, share: null, bandwidth: null });
    expect(batch.roofline?.efficiency).toBeCloseTo(0.5, 12);
    expect(fits(batch)).toBeUndefined();
  });

  it.each([
    ['no launch measured ceilings', undefined],
    ['they are null', null],
    ['only that of reading is known', ceilingsOf(null, 6e9)],
  ])('is null, and there is no efficiency, where %s', (_, ceilings) => {
    const batch = batchOf(matmulCase(), [{ seconds: 40e-6, ceilings }]);
    expect(batch.roofline).toBeNull();
    expect(efficiencyOf(batch)).toBeNull();
    expect(fits(batch)).toBeUndefined();
  });

  it('rests on the launches that know it', () => {
    const batch = batchOf(matmulCase(), [
      { seconds: 40e-6, ceilings: ceilingsOf(100e9, 6e9) },
      { seconds: 40e-6, ceilings: null },
    ]);
    expect(batch.roofline?.peak).toBe(100e9);
  });

  it('is null where an output was wrong: no score, no efficiency', () => {
    const batch = batchOf(matmulCase(), [
      { seconds: 40e-6, ceilings: ceilingsOf(100e9, 6e9) },
      { seconds: 40e-6, ceilings: ceilingsOf(100e9, 6e9), passed: false },
    ]);
    expect([batch.rate, batch.roofline, efficiencyOf(batch)]).toEqual([null, null, null]);
  });
});

describe('a launch whose document is gone', () => {
  it('was not measured, whatever the journal says of it', () => {
    const end = { index: 3, attempt: 1, status: 'measured', reason: null, wall: 1 } as const;
    const { entry, samples } = analyseInspection(end, null, null);
    expect([entry.status, entry.reason]).toEqual([
      'failed',
      'its document is missing, so nothing of it is known',
    ]);
    expect(samples).toHaveLength(0);
    const crashed = analyseInspection({ ...end, status: 'crashed', reason: 'SIGSEGV' }, null, null).entry;
    expect([crashed.status, crashed.reason]).toEqual(['crashed', 'SIGSEGV']);
  });
});

describe('the clock of a batch', () => {
  const launches = [
    { seconds: 1e-3, frequency: 3e9 },
    { seconds: 1e-3, frequency: 3.2e9 },
    { seconds: 1e-3, frequency: null },
    { seconds: 1e-3, frequency: 4e9 },
  ];

  it('is the median of the launches that know it', () => {
    const batch = batchOf(peakCase('float32'), launches);
    expect(effectiveFrequency(batch)).toBe(3.2e9);
    // 3 x 2^26 operations of each thread in 1 ms.
    expect(operationsPerCycle(batch)).toBeCloseTo((3 * 2 ** 26 * 1e3) / 3.2e9, 6);
    expect(kpiOf(peak.kpis, 'pibench_peak_effective_frequency_hertz', batch)).toMatchObject({
      value: 3.2e9,
      launches: 3,
    });
    expect(kpiOf(peak.kpis, 'pibench_peak_operations_per_cycle_ratio', batch)?.launches).toBe(3);
    expect(fits(batch)).toBeUndefined();
  });

  it('is set against the time on a CPU, which under other load is not all of it', () => {
    const flag = (name: string) => ({ name, reason: 'other work ran', evidence: {} });
    const perCycle = (rest: Partial<Launch>) =>
      operationsPerCycle(batchOf(peakCase('float32'), [{ seconds: 3e-3, frequency: 3e9, ...rest }]));
    const undisturbed = { disturbedShare: 0.6, undisturbedMedian: 1e-3, flags: [flag('preempted')] };
    expect(perCycle(undisturbed)).toBeCloseTo(2 ** 26 / 1e6, 6);
    // No repetition is left, nobody sees which, or what was taken shows in none.
    expect(perCycle({ ...undisturbed, disturbedShare: 1, undisturbedMedian: null })).toBeNull();
    expect(perCycle({ flags: [flag('preempted')] })).toBeNull();
    for (const name of ['stolen', 'throttled'])
      expect(perCycle({ undisturbedMedian: 1e-3, flags: [flag(name)] })).toBeNull();
  });

  it('and the operations of a cycle are not known where no launch knows it', () => {
    const batch = batchOf(peakCase('float32'), [{ seconds: 1e-3 }]);
    expect([effectiveFrequency(batch), operationsPerCycle(batch)]).toEqual([null, null]);
    expect(kpiOf(peak.kpis, 'pibench_peak_effective_frequency_hertz', batch)).toBeNull();
    expect(kpiOf(peak.kpis, 'pibench_peak_operations_per_cycle_ratio', batch)).toBeNull();
  });
});

describe('the variance of a batch', () => {
  const normal = normalFrom(randomFrom(71));
  const spans = (measure: number) => [
    { name: 'start', seconds: 0.15 },
    { name: 'warm-up', seconds: 0.05 },
    { name: 'measure', seconds: measure },
    { name: 'write', seconds: 0.02 },
  ];
  const launch = (between: number, within: number, repetitions: number): Launch => {
    const level = 1e-3 * (1 + between * normal());
    const samples = Array.from(series(repetitions, () => level * (1 + within * normal())));
    return { seconds: level, samples, spans: spans(repetitions * 1.1e-3) };
  };

  it('has both levels, what a launch and a repetition cost, and what follows', () => {
    const { variance } = batchOf(
      matmulCase(),
      Array.from({ length: 100 }, () => launch(0.005, 0.03, 400)),
    );
    expect(variance?.between).toBeCloseTo(0.005, 3);
    // Of a median: sqrt(pi / 2) times that of the values.
    expect((variance?.within ?? 0) / (0.03 * Math.sqrt(Math.PI / 2))).toBeCloseTo(1, 1);
    expect(variance?.costOfLaunch).toBeCloseTo(0.22, 9);
    expect(variance?.costOfRepetition).toBeCloseTo(1.1e-3, 9);
    expect(variance?.repetitions).toBeCloseTo(400, 6);
    // sqrt((0.22 / 1.1e-3) (pi / 2) 36) = 106, known as well as the spread of 100 launches is.
    expect(variance?.bestRepetitions).toBeGreaterThan(85);
    expect(variance?.bestRepetitions).toBeLessThan(130);
    expect(variance?.launchesForOnePercent).toBe(6);
    const batch = batchOf(
      matmulCase(),
      [1, 2, 3].map(() => launch(0.005, 0.03, 400)),
    );
    expect(fits(batch)).toBeUndefined();
  });

  it('is null for two launches, and where an output was wrong', () => {
    const two = [launch(0.005, 0.03, 50), launch(0.005, 0.03, 50)];
    expect(batchOf(matmulCase(), two).variance).toBeNull();
    expect(batchOf(matmulCase(), [...two, { seconds: 1e-3, passed: false }]).variance).toBeNull();
  });

  it('does not know the best repetitions without the costs, or of launches that do not differ', () => {
    const noSpans = [1, 2, 3, 4].map(() => ({ ...launch(0.05, 0.01, 50), spans: [] }));
    expect(batchOf(matmulCase(), noSpans).variance).toMatchObject({
      costOfLaunch: null,
      bestRepetitions: null,
    });
    const equal = [1, 2, 3].map(() => ({ seconds: 1e-3, spans: spans(0.01) }));
    const batch = batchOf(matmulCase(), equal);
    expect(batch.variance).toMatchObject({ between: 0, bestRepetitions: null });
    expect(fits(batch)).toBeUndefined();
  });

  it('plans more launches than there are where these did not reach it, as of two modes', () => {
    const modes = [1, 1.001, 1.002, 1.1, 1.101, 1.102].map((seconds) => ({
      ...{ seconds: seconds * 1e-3, spans: spans(0.01) },
    }));
    const batch = batchOf(matmulCase(), modes);
    expect((batch.elapsed?.interval?.high ?? 0) / (batch.elapsed?.median ?? 1)).toBeGreaterThan(1.04);
    expect(batch.variance?.launchesForOnePercent).toBeGreaterThan(6);
    expect(fits(batch)).toBeUndefined();
  });

  it('plans no launches by the spread of fewer than six, which it has as a standard deviation', () => {
    const near = [1, 1.0001, 1.3].map((seconds) => ({ seconds: seconds * 1e-3, spans: spans(0.01) }));
    const batch = batchOf(matmulCase(), near);
    // Of the three, 0.3 / sqrt(3); two that happen to lie close would say 0.02 %, and 6 launches.
    expect(batch.variance?.between).toBeCloseTo(0.1732, 3);
    expect(batch.variance).toMatchObject({ launchesForOnePercent: null, launchesForOnePercentAtBest: null });
    expect(fits(batch)).toBeUndefined();
    const planned = (count: number) =>
      batchOf(
        matmulCase(),
        Array.from({ length: count }, () => launch(0.02, 0.03, 40)),
      ).variance;
    expect(planned(5)).toMatchObject({ launchesForOnePercent: null, launchesForOnePercentAtBest: null });
    expect(planned(6)?.launchesForOnePercent).toBeGreaterThanOrEqual(6);
    expect(planned(6)?.launchesForOnePercentAtBest).toBeGreaterThanOrEqual(6);
  });
});

describe('the rate that 95 % of the repetitions reach', () => {
  const of = (repetitions: number, launches = 12) => {
    const normal = normalFrom(randomFrom(repetitions));
    const noisy = (): Launch => ({
      seconds: 1e-3,
      samples: [...series(repetitions, () => 1e-3 * (1 + 0.01 * normal()))],
    });
    return batchOf(matmulCase(), Array.from({ length: launches }, noisy));
  };
  it('has an interval where a launch has a slowest twentieth, and there are launches to compare', () => {
    expect(of(20).rate?.p05Interval).not.toBeNull();
    expect(of(20, 1).rate?.p05Interval).toBeNull();
  });
  it('has none where it is the slowest repetition of each launch, however many agree on that', () => {
    const batch = of(19);
    expect(batch.rate?.p05).toBeGreaterThan(0);
    expect(batch.rate?.p05Interval).toBeNull();
    expect(batch.rate?.interval).not.toBeNull();
    expect(kpiOf(matmul.kpis, 'pibench_matmul_rate_p05_flops_per_second', batch)).toEqual({
      value: batch.rate?.p05,
      ci: null,
    });
    expect(fits(batch)).toBeUndefined();
  });
});

describe('the intervals of launches whose number a precision decided', () => {
  const rising = (count: number, precision?: number) =>
    batchOf(
      matmulCase(),
      Array.from({ length: count }, (_, i) => {
        const level = 1e-3 * (1 + i / 100);
        return { seconds: level, samples: Array.from({ length: 120 }, (__, j) => level * (1 + j / 1e4)) };
      }),
      precision,
    );
  const reach = (interval: { low: number; high: number } | null | undefined, middle = 0) =>
    interval == null ? null : (interval.high - interval.low) / middle;

  it('pay for looking and for what neighbours have in common, those of late repetitions as that of the median', () => {
    const { rate, elapsed } = rising(12, 0.01);
    const ofMedian = reach(rate?.interval, rate?.median) ?? 0;
    expect(ofMedian).toBeGreaterThan(0.4);
    expect((reach(rate?.p05Interval, rate?.p05 ?? 0) ?? 0) / ofMedian).toBeCloseTo(1, 1);
    expect((reach(elapsed?.p99Interval, elapsed?.p99) ?? 0) / ofMedian).toBeCloseTo(1, 1);
    expect(rate?.p05Interval?.method).toMatch(/reserve for looking.*widened by/);
    expect(fits(rising(12, 0.01))).toBeUndefined();
    // Of a fixed number of launches it is the plain one, which takes them for independent.
    const fixed = rising(12).rate;
    expect(reach(fixed?.p05Interval, fixed?.p05 ?? 0)).toBeLessThan(ofMedian / 3);
  });

  it('are none where there is none of the median', () => {
    for (const count of [1, 3, 6]) {
      const { rate, elapsed } = rising(count, 0.01);
      if (count > 1) expect(rate?.interval).toBeNull();
      expect([rate?.p05Interval, elapsed?.p99Interval]).toEqual([null, null]);
    }
    expect(rising(3).rate?.p05Interval).not.toBeNull();
  });
});

describe('the time that 99 % of the repetitions stay below', () => {
  const normal = normalFrom(randomFrom(73));
  const of = (repetitions: number, launches = 8): RecordBatch =>
    batchOf(
      matmulCase(),
      Array.from({ length: launches }, () => ({
        seconds: 1e-3,
        samples: Array.from(series(repetitions, () => 1e-3 * (1 + 0.01 * normal()))),
      })),
    );

  it('is the median over launches of their own, with an interval where a launch has repetitions beyond it', () => {
    const batch = of(200);
    const own = batch.inspections.map(({ statistics }) => Number(statistics?.n));
    expect(own).toEqual(Array(8).fill(200));
    expect(batch.elapsed?.p99Interval?.low).toBeLessThan(batch.elapsed?.p99 ?? 0);
    expect(batch.elapsed?.p99Interval?.high).toBeGreaterThan(batch.elapsed?.p99 ?? 1);
    // 2.326 deviations above the median.
    expect(batch.elapsed?.p99).toBeCloseTo(1.0233e-3, 5);
    expect(fits(batch)).toBeUndefined();
  });

  it('has no interval where the slowest repetition stands for it, nor of one launch', () => {
    expect(of(99).elapsed?.p99Interval).toBeNull();
    expect(of(100).elapsed?.p99Interval).not.toBeNull();
    expect(of(100, 1).elapsed?.p99Interval).toBeNull();
  });

  it('is not that of the launch which stalls most, as of all repetitions together', () => {
    const launches = Array.from({ length: 9 }, (_, i) => ({
      seconds: 1e-3,
      samples: Array.from({ length: 100 }, (__, j) => (i === 4 && j < 20 ? 9e-3 : 1e-3 + j * 1e-9)),
    }));
    const batch = batchOf(matmulCase(), launches);
    expect(batch.elapsed?.p99).toBeLessThan(1.1e-3);
    expect(batch.pooled?.p99).toBeGreaterThan(8e-3);
  });
});

describe('the rate over the wall clock', () => {
  it('is that of the median time of an even number of launches, as the other rates are', () => {
    // Work of 1 in 1 s and in 3 s: 2 s between them.
    const { rate } = batchOf(matmulCase(), [{ seconds: 1 }, { seconds: 3 }]);
    expect(rate?.sustained).toBeCloseTo(1 / 2, 12);
    expect(rate?.median).toBeCloseTo(2e6 / 2, 6);
    expect(rate?.p05).toBeCloseTo(2e6 / 2, 6);
  });
});

describe('all repetitions together', () => {
  it('are no series whose values follow each other where they are of several launches', () => {
    const samples = Array.from({ length: 200 }, (_, i) => 1e-3 * (1 + Math.floor(i / 20) / 10));
    const [one, other] = [{ seconds: 1e-3, samples }, { seconds: 1e-3 }];
    expect(batchOf(matmulCase(), [one]).pooled?.lag1).toBeGreaterThan(0.9);
    expect(batchOf(matmulCase(), [one]).pooled?.effectiveSampleSize).toBeLessThan(50);
    expect(batchOf(matmulCase(), [one, other]).pooled).toMatchObject({
      n: 210,
      lag1: null,
      effectiveSampleSize: null,
    });
  });

  it('do not drift where launches that do not are put one after the other', () => {
    const level = (at: number): Launch => ({
      seconds: at,
      samples: Array.from({ length: 40 }, (_, i) => at * (1 + (i % 3) / 1e4)),
    });
    const levels = Array.from({ length: 6 }, (_, i) => level(1e-3 * (1 + i / 50)));
    const batch = batchOf(matmulCase(), levels);
    expect(batch.pooled).toMatchObject({ drift: null });
    expect(fits(batch)).toBeUndefined();
    expect(batchOf(matmulCase(), [level(1e-3)]).pooled?.drift).not.toBeNull();
  });
});

describe('launches that followed each other', () => {
  it('and are alike are flagged in the batch, all of them', () => {
    const wave = Array.from({ length: 24 }, (_, i) => ({ seconds: 1e-3 * (1 + 0.05 * Math.sin(i / 4)) }));
    const batch = batchOf(matmulCase(), wave);
    const flag = batch.flags.find(({ name }) => name === 'launches-not-independent');
    expect(flag?.inspections).toHaveLength(24);
    expect(flag?.reason).toContain('24 launches are worth about');
    expect(fits(batch)).toBeUndefined();
  });

  it('and are not alike are not', () => {
    const normal = normalFrom(randomFrom(72));
    const launches = Array.from({ length: 24 }, () => ({ seconds: 1e-3 * (1 + 0.05 * normal()) }));
    expect(batchOf(matmulCase(), launches).flags).toEqual([]);
  });
});

describe('a batch from before there were ceilings', () => {
  it('still fits, written and read', () => {
    const {
      roofline: _,
      rateCounts: __,
      variance: _____,
      ...batch
    } = batchOf(matmulCase(), [{ seconds: 40e-6 }]);
    const { ceilings: ___, frequency: ____, ...entry } = { ...batch.inspections[0] };
    const before = { ...batch, inspections: [entry] };
    for (const { record } of [written, readable]) {
      expect(record.shape.batches.element.safeParse(before).error).toBeUndefined();
    }
  });
});
