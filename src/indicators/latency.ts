/**
 * latency: how long a load takes of which the next one needs the result, from sizes that fit into the first cache to sizes
 * far past the last. One thread follows a ring of pointers through all lines of its working set, in a random order, so that
 * no prefetcher knows what comes next, and nothing can be loaded before the load that names it. Others may read main memory
 * meanwhile.
 */
import { z } from 'zod';
import { asksForGpu } from '../devices/device.js';
import { UserError } from '../errors.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { CpuDescription, MachineDescription } from '../machine/types.js';
import { formatBytes } from '../quantities/format.js';
import { parseNames } from '../quantities/parse-list.js';
import { LOADS, latencyCurves, latencyKpis } from '../record/latency-kpis.js';
import type { Bytes } from '../units.js';
import { askedSizes, bytesOption } from './asked-sizes.js';
import type { Flags, Indicator, Parameters } from './indicator.js';
import {
  askedLoads,
  freeBeside,
  LOAD_STEP,
  loadedBytes,
  loadOption,
  loadText,
  MOST_LOAD,
} from './latency-load.js';
import { sizeText } from './memory-share.js';
import { defaultSizes, ofOneCore } from './memory-sizes.js';
import { threadOptions, threadsOf } from './threads.js';

const ORDERS = ['random', 'pages'] as const;

/** Of a cache, where nothing tells. */
const USUAL_LINE: Bytes = 64;
/** A pointer, and its place along the ring. */
const LINK: Bytes = 16;
const MOST_LINE: Bytes = 4096;
/** Fewer lines, and a chain that is some loads short might end where it has to. */
const LEAST_LINES = 16;
/** As many as the addon can number. */
const MOST_LINES = 2 ** 32;
/** In one repetition at least: 30 µs in the fastest cache, so that the clock's readings are less than 0.1 % of it. */
const LEAST_LOADS = 2 ** 15;
const HUGE_PAGE: Bytes = 2 * 2 ** 20;
/** Of a line, what it takes beside itself while lines are put in order, and while the ring is checked. */
const BESIDE_LINE: Bytes = 5;
/** Of a share of the memory: linking and checking that takes a minute or two. */
const MOST_OF_SHARE: Bytes = 16 * 2 ** 30;

const schema = z.strictObject({
  order: z.enum(ORDERS),
  bytes: z.int().min(1),
  /** Of the free memory, that was asked for and made the bytes. */
  share: z.number().gt(0).lt(1).exactOptional(),
  /** Bytes from one line to the next. */
  stride: z.int().min(LINK).max(MOST_LINE).multipleOf(8),
  threads: z.literal(1),
  pin: z.boolean(),
  /** Threads that read memory meanwhile; absent, with the bytes of each one’s set: nobody asked for any. */
  load: z.int().min(0).max(MOST_LOAD).exactOptional(),
  loadBytes: z.int().min(LOAD_STEP).multipleOf(LOAD_STEP).exactOptional(),
});
type Latency = z.infer<typeof schema>;

const linesOf = ({ bytes, stride }: Pick<Latency, 'bytes' | 'stride'>): number => Math.floor(bytes / stride);

/** @throws UserError */
function read(parameters: Parameters): Latency {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`latency: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  const { bytes, stride, load, loadBytes, pin } = parsed.data;
  if ((load === undefined) !== (loadBytes === undefined))
    throw new UserError('latency: load and loadBytes make a case together');
  if (!pin && (load ?? 0) > 0) throw new UserError('latency: loading threads are pinned: set pin to true');
  const lines = linesOf(parsed.data);
  const [least, most] = [LEAST_LINES * stride, MOST_LINES * stride];
  if (lines < LEAST_LINES)
    throw new UserError(
      `--bytes ${formatBytes(bytes)} is too small: latency takes ${formatBytes(least)} or more, ${LEAST_LINES} lines`,
    );
  if (lines > MOST_LINES)
    throw new UserError(
      `--bytes ${formatBytes(bytes)} is too large: latency takes ${formatBytes(most)} at most`,
    );
  return parsed.data;
}

/** A size is called what its whole lines take. */
const ofWholeLines = (latency: Latency): Latency => ({
  ...latency,
  bytes: linesOf(latency) * latency.stride,
});

/**
 * Loads of one repetition. Where lines are fewer, whole rounds and one load: after whole rounds alone a chain that was not
 * followed at all would end at the right line, too.
 */
function loadsOf(latency: Latency): number {
  const lines = linesOf(latency);
  return lines > LEAST_LOADS ? LEAST_LOADS : Math.ceil(LEAST_LOADS / lines) * lines + 1;
}

/** Of the caches with data; where they differ, the longest, so that none loads two of ours at once. */
function lineOf({ caches }: Pick<CpuDescription, 'caches'>): Bytes {
  const told = caches.flatMap(({ type, line }) => (type === 'instruction' || line === null ? [] : [line]));
  const line = Math.max(0, ...told);
  return line >= LINK && line <= MOST_LINE && line % 8 === 0 ? line : USUAL_LINE;
}

/** Only whether to pin is left to say. @throws UserError for more threads, QuantityError */
function pinOf(flags: Flags, machine: MachineDescription): boolean {
  const { threads, pin } = threadsOf({ threads: 1, ...flags }, machine);
  if (threads === 1) return pin;
  throw new UserError(
    `--threads ${threads}: latency is that of one thread: leave --threads out; with --load others read memory meanwhile`,
  );
}

export const latency: Indicator = {
  name: 'latency',
  summary: 'Latency of caches and memory: the time of one dependent load over sizes, verified',
  options: {
    bytes: bytesOption('Working sets'),
    order: {
      type: 'string',
      group: 'Case:',
      describe:
        'In which lines are loaded: random (past the TLB’s reach with the walk of page tables), pages (all lines of a page, then another page)',
      defaultDescription: 'random',
    },
    load: loadOption,
    ...threadOptions('1: latency is that of one thread', '1'),
  },
  examples: [
    ['$0 latency', 'a curve from the first cache to past the last'],
    ['$0 latency --bytes 32KiB,1MiB,1GiB', 'three sizes'],
    ['$0 latency --bytes main --order random,pages', 'main memory, with and without the walk of page tables'],
    ['$0 latency --bytes main --device numa:all', 'each NUMA node’s memory from its own CPUs'],
    ['$0 latency --bytes main --load 0,1,3', 'main memory while no, one and three other threads read it'],
  ],
  // A sweep is some dozens of launches: short ones, and few of each case.
  measuring: { inspections: 3, seconds: 0.1 },
  usualThreads: 1,
  fromFlags(flags, machine) {
    if (asksForGpu(String(flags.device ?? 'cpu')))
      throw new UserError(`latency measures the CPU’s caches and memory: leave --device ${flags.device} out`);
    const orders =
      flags.order === undefined ? (['random'] as const) : parseNames(String(flags.order), '--order', ORDERS);
    const pinned = pinOf(flags, machine);
    const allowed = parseCpuList(machine.limits.allowedCpus);
    const given = askedSizes(flags, machine, MOST_OF_SHARE);
    const ofOne = ofOneCore(machine.cpu);
    const loads = askedLoads(flags, machine, ofOne);
    const sizes =
      given?.sizes ?? defaultSizes(ofOne, { threads: 1, allowed }, freeBeside(loads ?? [], machine)).dense;
    const stride = lineOf(machine.cpu);
    return orders.flatMap((order) => {
      const taken = sizes.map((bytes) =>
        ofWholeLines(read({ order, bytes, ...given?.asked, stride, threads: 1, pin: pinned })),
      );
      // Several that are asked for may come to the same.
      const distinct = [...new Map(taken.map((one) => [one.bytes, one])).values()];
      return distinct.flatMap((one) => (loads ?? [{}]).map((load) => read({ ...one, ...load })));
    });
  },
  check: (parameters) => void read(parameters),
  work: (parameters) => ({ flop: 0, bytes: 0, loads: loadsOf(read(parameters)) }),
  rateCounts: 'loads',
  kernels: 'none',
  memory(parameters) {
    const { bytes, stride, load = 0, loadBytes = 0 } = read(parameters);
    // A small working set lies in memory for a ring of which one call does not come round.
    const lines = Math.max(linesOf({ bytes, stride }), 2 * LEAST_LOADS);
    return lines * (stride + BESIDE_LINE) + HUGE_PAGE + loadedBytes({ load, loadBytes });
  },
  lessMemory(parameters) {
    const { bytes, load = 0, loadBytes = 0 } = read(parameters);
    return load * loadBytes > bytes ? 'ask for fewer with --load' : 'choose a smaller size';
  },
  threads(parameters) {
    const { threads, load = 0 } = read(parameters);
    return threads + load;
  },
  dtype: () => 'none',
  title(parameters) {
    const { order, bytes, share, stride, pin, load } = read(parameters);
    const how = [
      sizeText(bytes, share),
      ...(stride === USUAL_LINE ? [] : [`lines of ${stride} B`]),
      `${order} order`,
      ...(load === undefined ? [] : [loadText(load)]),
      ...(pin ? ['pinned'] : []),
    ];
    return `latency ${how.join(', ')}`;
  },
  rateUnit: () => LOADS,
  nativeWorkload(parameters, { cpus }, _variant, seed) {
    const latency = read(parameters);
    const { order, stride, load = 0, loadBytes = 0 } = latency;
    const loading = load === 0 ? {} : { load, loadBytes };
    return {
      workload: 'latency',
      parameters: { lines: linesOf(latency), stride, order, loads: loadsOf(latency), cpus, seed, ...loading },
    };
  },
  kpis: latencyKpis,
  curves: latencyCurves,
};
