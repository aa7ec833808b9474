/**
 * kernel-launch: what it costs to have a GPU execute kernels that do nothing, by the host's clock: one at a time until the
 * host knows that it ended; many one behind the other; over several streams; as one graph.
 */
import { z } from 'zod';
import { asksForGpu } from '../devices/device.js';
import { UserError } from '../errors.js';
import { parseNames } from '../quantities/parse-list.js';
import type { KpiDeclaration } from '../record/kpi.js';
import { rateKpis } from '../record/rate-kpis.js';
import { GPU_PROCESS, gpuPlace } from './gpu.js';
import type { Indicator, Parameters } from './indicator.js';
import { refuseCpuFlags } from './threads.js';

/** Launches and streams of one repetition. A driver's queue has about a thousand places. */
const MODES = {
  latency: { launches: 1, streams: 1 },
  throughput: { launches: 500, streams: 1 },
  streams: { launches: 500, streams: 4 },
  graph: { launches: 500, streams: 1 },
} as const;
type Mode = keyof typeof MODES;
const NAMES = Object.keys(MODES) as [Mode, ...Mode[]];

const schema = z.strictObject({
  mode: z.enum(NAMES),
  launches: z.int().min(1).max(100_000),
  streams: z.int().min(1).max(128),
});

/** @throws UserError */
function read(parameters: Parameters): z.infer<typeof schema> {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  throw new UserError(`kernel-launch: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
}

const secondsKpi: KpiDeclaration = {
  name: 'pibench_kernel_launch_seconds',
  unit: () => 's',
  direction: 'lower',
  help: 'Seconds of one launch: those of a repetition / its launches, median over launches of the launch medians',
  statistic: 'median',
  display: () => ({ divisor: 1e-6, unit: 'µs', digits: 4 }),
  regression: true,
  value: ({ elapsed, case: { parameters } }) =>
    elapsed === null ? null : { value: elapsed.median / Number(parameters.launches), ci: null },
};

export const kernelLaunch: Indicator = {
  name: 'kernel-launch',
  summary: 'Launching kernels on a GPU: latency, throughput, over streams, as a graph',
  options: {
    mode: {
      type: 'string',
      group: 'Case:',
      describe: `Some of ${NAMES.join(', ')}`,
      defaultDescription: 'all',
    },
  },
  examples: [
    ['$0 kernel-launch --device cuda:0', 'what a launch costs, in four ways'],
    ['$0 kernel-launch --device cuda:0 --mode latency --reps 10k', 'one at a time, many times'],
  ],
  measuring: { inspections: 6, seconds: 0.3 },
  fromFlags(flags) {
    if (!asksForGpu(String(flags.device)))
      throw new UserError('kernel-launch measures a GPU: add --device cuda:0');
    refuseCpuFlags(flags, ['threads', 'pin']);
    const modes = flags.mode === undefined ? NAMES : parseNames(String(flags.mode), '--mode', NAMES);
    return modes.map((mode) => read({ mode, ...MODES[mode] }));
  },
  check: (parameters) => void read(parameters),
  work: (parameters) => ({ flop: 0, bytes: 0, launches: read(parameters).launches }),
  rateCounts: 'launches',
  kernels: 'arithmetic',
  memory: () => GPU_PROCESS,
  gpuMemory: () => GPU_PROCESS,
  threads: () => 1,
  dtype: () => 'none',
  title(parameters) {
    const { mode, launches, streams } = read(parameters);
    const how = [
      ...(launches > 1 ? [`${launches} launches`] : []),
      ...(streams > 1 ? [`${streams} streams`] : []),
    ];
    return [`kernel-launch ${mode}`, ...how].join(', ');
  },
  rateUnit: () => 'launches/s',
  nativeWorkload(parameters, placement) {
    const { mode, launches, streams } = read(parameters);
    return { workload: 'cuda-launch', parameters: { mode, launches, streams, ...gpuPlace(placement) } };
  },
  kpis: [...rateKpis('kernel_launch', 'launching kernels', 'launches'), secondsKpi],
  curves: [],
};
