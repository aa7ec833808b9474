/**
 * peak: multiply-adds in registers only, on all threads at once. It is the ceiling of this CPU for a data type, what any
 * program that also has to read its operands is measured against, unless the CPU has instructions that the loop does not use:
 * each launch names those (`ceilings.unusedInstructions`).
 */
import { z } from 'zod';
import { UserError } from '../errors.js';
import { plural } from '../quantities/format.js';
import {
  effectiveFrequency,
  launchesOfCycles,
  launchesOfFrequency,
  operationsPerCycle,
} from '../record/clock.js';
import type { KpiDeclaration, KpiValue } from '../record/kpi.js';
import { rateKpis } from '../record/rate-kpis.js';
import type { Flop } from '../units.js';
import { cpuDataTypesNamed, DATA_TYPES, ONLY_ON_GPUS, rateUnitOf } from './data-types.js';
import type { Indicator, Parameters } from './indicator.js';
import { peakOnGpu } from './peak-gpu.js';
import { MOST_THREADS, threadOptions, threadsOf } from './threads.js';
import { withGpu } from './with-gpu.js';

/**
 * Of each thread in one repetition: 0.03 to 10 ms from the fastest to the slowest loop there is. 3 x 2^26, because the
 * loops run 12 or 24 chains of powers of two at a time (test/native/gemm_check.cc).
 */
const OPERATIONS_PER_THREAD: Flop = 3 * 2 ** 26;

const schema = z.strictObject({
  dtype: z.enum(DATA_TYPES),
  threads: z.int().min(1).max(MOST_THREADS),
  pin: z.boolean(),
});
type Peak = z.infer<typeof schema>;

/** @throws UserError */
function read(parameters: Parameters): Peak {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`peak: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  return parsed.data;
}

const operationsOf = (threads: number): Flop => OPERATIONS_PER_THREAD * threads;

const scalar = (value: number | null, launches: number): KpiValue | null =>
  value === null ? null : { value, ci: null, launches };

const frequencyKpi: KpiDeclaration = {
  name: 'pibench_peak_effective_frequency_hertz',
  unit: () => 'Hz',
  direction: 'higher',
  help: 'Clock rate of the first thread, by chains of dependent instructions before and after the repetitions: median over launches',
  statistic: 'median',
  display: () => ({ divisor: 1e9, unit: 'GHz', digits: 3 }),
  regression: false,
  value: (batch) => scalar(effectiveFrequency(batch), launchesOfFrequency(batch)),
};

const perCycleKpi: KpiDeclaration = {
  name: 'pibench_peak_operations_per_cycle_ratio',
  unit: () => '1',
  direction: 'higher',
  help: 'Operations that one thread executes in a cycle of the effective frequency, in repetitions in which no thread lost its CPU: median over launches',
  statistic: 'median',
  display: () => ({ divisor: 1, unit: 'operations', digits: 3 }),
  regression: false,
  value: (batch) => scalar(operationsPerCycle(batch), launchesOfCycles(batch)),
};

const peakOnCpu: Indicator = {
  name: 'peak',
  summary: 'Arithmetic peak: multiply-adds in registers only, for a data type and a number of threads',
  options: {
    dtype: {
      type: 'string',
      group: 'Case:',
      describe: `${DATA_TYPES.join(', ')}, or several with commas; on GPUs also ${ONLY_ON_GPUS.join(', ')}`,
      defaultDescription: 'all',
    },
    ...threadOptions('Threads that compute at the same time'),
  },
  examples: [
    ['$0 peak', 'each data type, on all CPUs'],
    ['$0 peak --dtype float32 --threads 1', 'of one CPU'],
    ['$0 peak --dtype float64 --stack embedded:avx2', 'of a chosen instruction set'],
    ['$0 peak --device cuda:0', 'of a GPU, for each data type'],
  ],
  measuring: { inspections: 6, seconds: 0.3 },
  fromFlags(flags, machine) {
    const dtypes = flags.dtype === undefined ? DATA_TYPES : cpuDataTypesNamed(String(flags.dtype));
    const { threads, pin } = threadsOf(flags, machine);
    return dtypes.map((dtype) => read({ dtype, threads, pin }));
  },
  check: (parameters) => void read(parameters),
  work: (parameters) => ({ flop: operationsOf(read(parameters).threads), bytes: 0 }),
  rateCounts: 'flop',
  kernels: 'arithmetic',
  memory: () => 0,
  threads: (parameters) => read(parameters).threads,
  dtype: (parameters) => read(parameters).dtype,
  title(parameters) {
    const { dtype, threads, pin } = read(parameters);
    return `peak ${dtype}, ${[plural(threads, 'thread'), ...(pin ? ['pinned'] : [])].join(', ')}`;
  },
  rateUnit: (parameters) => rateUnitOf(read(parameters).dtype),
  nativeWorkload(parameters, { cpus }, variant) {
    const { dtype, threads } = read(parameters);
    return {
      workload: 'peak',
      parameters: { dtype, threads, cpus, isa: variant ?? '', operations: operationsOf(threads) },
    };
  },
  kpis: [...rateKpis('peak', 'multiply-adds in registers', 'flops'), frequencyKpi, perCycleKpi],
  curves: [],
};

export const peak = withGpu(peakOnCpu, peakOnGpu);
