/** Batches as a record has them, made from launches that a test describes. */
import type { AnalysedInspection } from '../../src/record/analyse-inspection.js';
import { buildBatch } from '../../src/record/build-batch.js';
import type { Case, RecordBatch, RecordInspection } from '../../src/record/schema.js';
import { quantileSorted } from '../../src/statistics/quantile.js';
import { launchNoise } from '../../src/statistics/variance.js';

export interface Launch {
  /** Of every repetition. */
  readonly seconds: number;
  /** In place of that, each. */
  readonly samples?: readonly number[];
  readonly spans?: RecordInspection['spans'];
  readonly ceilings?: RecordInspection['ceilings'];
  readonly hugePages?: NonNullable<RecordInspection['hugePages']>;
  readonly frequency?: RecordInspection['frequency'];
  readonly ranks?: NonNullable<RecordInspection['ranks']>;
  readonly overlap?: NonNullable<RecordInspection['overlap']>;
  readonly traffic?: NonNullable<RecordInspection['traffic']>;
  readonly cpusUsed?: RecordInspection['cpusUsed'];
  readonly disturbedShare?: RecordInspection['disturbedShare'];
  readonly undisturbedMedian?: RecordInspection['undisturbedMedian'];
  readonly passed?: boolean;
  /** How it ended, in place of by whether it passed. */
  readonly status?: RecordInspection['status'];
  readonly reason?: string;
  readonly flags?: RecordInspection['flags'];
  readonly notChecked?: RecordInspection['notChecked'];
  readonly endedAt?: RecordInspection['endedAt'];
  /** What the stack said that it executed. */
  readonly implementation?: string;
  /** The checksum of a library, in place of our own kernels. */
  readonly build?: string;
  /** The MPI library of its ranks. */
  readonly mpi?: NonNullable<RecordBatch['stack']['mpi']>;
  /** Variables that it may have read. */
  readonly environment?: Readonly<Record<string, string>>;
  /** npm packages of a framework. */
  readonly packages?: Readonly<Record<string, string>>;
  /** What a library said that it chose for this CPU. */
  readonly chose?: string;
}

const REPETITIONS = 10;
const EMBEDDED = { provider: 'embedded', variant: null, version: '0.0.0', file: null, sha256: null };

export function inspectionOf(
  {
    seconds,
    samples,
    passed = true,
    implementation,
    build,
    mpi,
    environment,
    packages,
    chose,
    ...rest
  }: Launch,
  index: number,
): AnalysedInspection {
  const own = new Float64Array(samples ?? new Float64Array(REPETITIONS).fill(seconds));
  const sorted = own.toSorted();
  // What else they say is asked of the samples; with a median launches would be compared in rounds.
  const statistics = {
    n: own.length,
    ...(rest.frequency == null ? {} : { median: quantileSorted(sorted, 0.5) }),
  } as unknown as RecordInspection['statistics'];
  const entry: RecordInspection = {
    index,
    status: passed ? 'measured' : 'wrong',
    reason: passed ? null : 'a wrong output',
    file: `inspections/${index}.json`,
    sha256: null,
    statistics,
    rate: passed ? { burst: 1 / seconds, sustained: 1 / seconds } : null,
    disturbedShare: null,
    undisturbedMedian: null,
    steady: null,
    verification: {
      passed,
      method: 'sums',
      tolerance: 'exact',
      worstError: passed ? 0 : 1,
      checked: 1,
      wrong: passed ? 0 : 1,
      firstWrong: passed ? '' : 'thread 0 counts 0',
    },
    flags: [],
    notChecked: [],
    spans: [],
    ...rest,
  };
  const document = [implementation, build, mpi, environment, packages, chose].every(
    (told) => told === undefined,
  )
    ? null
    : ({
        stack: {
          ...EMBEDDED,
          ...(build === undefined ? {} : { provider: 'openblas', sha256: build }),
          implementation: implementation ?? null,
          ...(mpi === undefined ? {} : { mpi }),
          ...(environment === undefined ? {} : { environment }),
          ...(packages === undefined ? {} : { packages }),
          ...(chose === undefined ? {} : { chose }),
        },
      } as AnalysedInspection['document']);
  return { entry, samples: own, sorted, document, noise: launchNoise(own) };
}

/** @param precision that decided how many launches there are */
export function batchOf(one: Case, launches: readonly Launch[], precision?: number): RecordBatch {
  return buildBatch(
    {
      case: one,
      stack: { provider: 'embedded', variant: null },
      device: 'cpu',
      // Nobody asks for none, and of what was asked for none may have been begun.
      inspections: Math.max(1, launches.length),
      sampling: { kind: 'fixed', repetitions: REPETITIONS },
      warmup: { kind: 'count', count: 1 },
      timeout: 60,
      ...(precision === undefined ? {} : { precision }),
    },
    EMBEDDED,
    launches.length,
    launches.map(inspectionOf),
  );
}

/** 2 x 100^3 operations and 120 kB in a repetition. */
export const matmulCase = (parameters: Case['parameters'] = {}): Case => ({
  indicator: 'matmul',
  parameters: {
    m: 100,
    n: 100,
    k: 100,
    dtype: 'float32',
    threads: 2,
    pin: true,
    cache: 'hot',
    ...parameters,
  },
});

export const peakCase = (dtype: string, threads = 2): Case => ({
  indicator: 'peak',
  parameters: { dtype, threads, pin: true },
});

/** As ceilingsOf, and what share of the peak was reached in turns with it. */
export const inTurnsOf = (
  peak: number,
  reading: number | null,
  share: number,
): RecordInspection['ceilings'] => ({
  arithmetic: { rate: peak, isa: 'avx2', inTurns: { share, turns: 10 } },
  memory: reading === null ? null : { rate: reading, bytes: 120_000 },
});

export const ceilingsOf = (peak: number | null, reading: number | null): RecordInspection['ceilings'] => ({
  arithmetic: peak === null ? null : { rate: peak, isa: 'avx2' },
  memory: reading === null ? null : { rate: reading, bytes: 120_000 },
});

/** Of multiply-adds in registers beside which the CPU has these for the type. */
export const noPeakBeside = (...unusedInstructions: string[]): RecordInspection['ceilings'] => ({
  arithmetic: null,
  memory: null,
  unusedInstructions,
});
