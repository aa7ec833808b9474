/**
 * memory: how fast arrays of float64 are read, written, copied, scaled and added, from sizes that fit into the first
 * cache to sizes far past the last. Bytes are counted as STREAM does (McCalpin 1995): what the loads and stores of the
 * operation move. The line that a plain store reads before it writes one that no cache has (write-allocate) is named
 * beside them and is in no rate.
 */
import { z } from 'zod';
import { UserError } from '../errors.js';
import { availableMemory } from '../machine/capacity.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import { formatBytes, plural } from '../quantities/format.js';
import { parseNames } from '../quantities/parse-list.js';
import { rateCurve, rateKpis } from '../record/rate-kpis.js';
import type { Bytes } from '../units.js';
import { askedSizes, bytesOption } from './asked-sizes.js';
import type { Indicator, Parameters } from './indicator.js';
import { GPU_OPERATIONS, HOST_MEMORIES, memoryOnGpu } from './memory-gpu.js';
import { arraysOfPass, ELEMENT, PASS_NAMES, PASSES } from './memory-passes.js';
import { sizeText } from './memory-share.js';
import { defaultSizes } from './memory-sizes.js';
import { MOST_THREADS, threadOptions, threadsOf } from './threads.js';
import { withGpu } from './with-gpu.js';

const STORES = ['cached', 'streaming', 'auto'] as const;

/** Elements of a cache line: shares of threads do not meet in one. */
const LINE = 8;
/** What a thread moves in one repetition at least: 0.1 ms in the fastest cache, much more than calling the team takes. */
const LEAST_MOVED: Bytes = 16 * 2 ** 20;
/** Of a given size, what rounding to whole lines may take. */
const MOST_ROUNDED = 0.02;
const PAGE: Bytes = 4096;
const HUGE_PAGE: Bytes = 2 * 2 ** 20;
/**
 * Of a share of the memory, what each thread has at most: filling and checking that takes a minute or two, so that a machine with
 * much memory and few CPUs does not spend its time there.
 */
const MOST_OF_SHARE: Bytes = 32 * 2 ** 30;

const schema = z.strictObject({
  operation: z.enum(PASS_NAMES),
  stores: z.enum(['none', ...STORES]),
  bytes: z.int().min(1),
  /** Of the free memory, that was asked for and made the bytes. */
  share: z.number().gt(0).lt(1).exactOptional(),
  threads: z.int().min(1).max(MOST_THREADS),
  pin: z.boolean(),
});
type Memory = z.infer<typeof schema>;

/** Of each array of each thread: whole cache lines. */
function elementsOf({ operation, bytes, threads }: Memory): number {
  return Math.floor(bytes / (arraysOfPass(operation) * threads * ELEMENT * LINE)) * LINE;
}

/** @throws UserError */
function read(parameters: Parameters): Memory {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`memory: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  const memory = parsed.data;
  const { operation, stores, bytes, threads } = memory;
  if ((operation === 'read') !== (stores === 'none')) {
    throw new UserError(`memory: ${operation} with stores ${stores} makes no case`);
  }
  if (elementsOf(memory) < LINE) {
    const least = arraysOfPass(operation) * threads * ELEMENT * LINE;
    throw new UserError(
      `--bytes ${formatBytes(bytes)} is too small: ${operation} on ${plural(threads, 'thread')} takes ${formatBytes(least)} or more`,
    );
  }
  return memory;
}

/**
 * The same of the working set that whole lines of each array and thread make, where that is less by more than rounding: a size
 * is called what it is, and caches are implied from it.
 */
function ofWholeLines(memory: Memory): Memory {
  const taken = elementsOf(memory) * ELEMENT * arraysOfPass(memory.operation) * memory.threads;
  return memory.bytes - taken <= MOST_ROUNDED * memory.bytes ? memory : { ...memory, bytes: taken };
}

/** Passes over the arrays in one repetition. */
function passesOf(memory: Memory): number {
  const { loads, stores } = PASSES[memory.operation];
  return Math.max(1, Math.ceil(LEAST_MOVED / (elementsOf(memory) * (loads + stores) * ELEMENT)));
}

const memoryOnCpu: Indicator = {
  name: 'memory',
  summary: 'Memory and caches: rates of read, write, copy, scale, add, triad over sizes, verified',
  options: {
    bytes: bytesOption('Working sets, all arrays and threads together'),
    operation: {
      type: 'string',
      group: 'Case:',
      describe: `Some of ${PASS_NAMES.join(', ')}; on GPUs also ${GPU_OPERATIONS.slice(PASS_NAMES.length).join(', ')}`,
      defaultDescription: 'all',
    },
    stores: {
      type: 'string',
      group: 'Case:',
      describe: 'cached (plain), streaming (non-temporal), auto (the fastest of all by trial)',
      defaultDescription: 'cached,streaming',
    },
    host: {
      type: 'string',
      group: 'Case:',
      describe: `Of copies between host and GPU: ${HOST_MEMORIES.join(', ')}`,
      defaultDescription: 'both',
    },
    ...threadOptions('Threads, each with its own share'),
  },
  examples: [
    ['$0 memory', 'all operations from the first cache to past the last, about a minute and a half'],
    ['$0 memory --operation triad --bytes 1GiB --stores streaming', 'one rate of main memory'],
    ["$0 memory --operation read --bytes '16KiB..256MiB*1.5' --threads 1", 'the caches of one CPU'],
    ['$0 memory --device cuda:0', 'a GPU’s memory, and its copies from and to the host'],
  ],
  // A sweep is some hundred launches: short ones, and few of each case.
  measuring: { inspections: 3, seconds: 0.06 },
  fromFlags(flags, machine) {
    const operations =
      flags.operation === undefined
        ? PASS_NAMES
        : parseNames(String(flags.operation), '--operation', PASS_NAMES);
    const stores =
      flags.stores === undefined
        ? (['cached', 'streaming'] as const)
        : parseNames(String(flags.stores), '--stores', STORES);
    if (flags.host !== undefined)
      throw new UserError('--host is of copies to and from a GPU: add --device cuda:0');
    const { threads, pin } = threadsOf(flags, machine);
    const allowed = parseCpuList(machine.limits.allowedCpus);
    const defaults = defaultSizes(machine.cpu, { threads, allowed }, availableMemory(machine));
    const given = askedSizes(flags, machine, threads * MOST_OF_SHARE);
    return operations.flatMap((operation) => {
      const sizes = given?.sizes ?? (operation === 'read' ? defaults.dense : defaults.sparse);
      const ways = operation === 'read' ? (['none'] as const) : stores;
      return ways.flatMap((way) => {
        const taken = sizes.map((bytes) =>
          ofWholeLines(read({ operation, stores: way, bytes, ...given?.asked, threads, pin })),
        );
        // Several that are asked for may come to the same.
        return [...new Map(taken.map((one) => [one.bytes, one])).values()];
      });
    });
  },
  check: (parameters) => void read(parameters),
  work(parameters) {
    const memory = read(parameters);
    const { loads, stores, flop } = PASSES[memory.operation];
    const elements = elementsOf(memory) * memory.threads * passesOf(memory);
    const work = { flop: flop * elements, bytes: (loads + stores) * elements * ELEMENT };
    // Which stores `auto` takes the stack decides: what they add is not known here.
    if (memory.stores === 'auto') return work;
    return { ...work, writeAllocateBytes: memory.stores === 'cached' ? stores * elements * ELEMENT : 0 };
  },
  rateCounts: 'bytes',
  kernels: 'memory',
  memory(parameters) {
    const { operation, bytes, threads } = read(parameters);
    // Arrays are rounded up to pages, what each thread has to huge pages.
    return bytes + threads * (arraysOfPass(operation) * PAGE + HUGE_PAGE);
  },
  threads: (parameters) => read(parameters).threads,
  dtype: () => 'float64',
  title(parameters) {
    const { operation, stores, bytes, share, threads, pin } = read(parameters);
    const how = [
      sizeText(bytes, share),
      ...(stores === 'none' ? [] : [`${stores} stores`]),
      plural(threads, 'thread'),
      ...(pin ? ['pinned'] : []),
    ];
    return `memory ${operation} ${how.join(', ')}`;
  },
  rateUnit: () => 'B/s',
  nativeWorkload(parameters, { cpus }, variant, seed) {
    const memory = read(parameters);
    const { operation, stores, threads } = memory;
    return {
      workload: 'memory',
      parameters: {
        operation,
        stores: stores === 'none' ? 'auto' : stores,
        elements: elementsOf(memory),
        passes: passesOf(memory),
        threads,
        cpus,
        isa: variant ?? '',
        seed,
      },
    };
  },
  kpis: rateKpis('memory', 'a memory operation', 'bytes'),
  curves: [
    rateCurve('memory', 'a memory operation over its working set', 'bytes', {
      along: ['bytes'],
      x: ({ bytes }) => Number(bytes),
      xUnit: 'B',
    }),
  ],
};

export const memory = withGpu(memoryOnCpu, memoryOnGpu);
