/**
 * memory on a GPU: passes of our kernels over its memory, and the copies that the driver makes, within the device, from
 * and to the host, to another GPU. Passes count bytes as on the CPU, what loads and stores move; a copy within a device
 * is read and written; over a link every byte counts once.
 */
import { z } from 'zod';
import { gpuNamed, isGpu, ordinalOf } from '../devices/device.js';
import { UserError } from '../errors.js';
import { formatBytes, formatShare } from '../quantities/format.js';
import { parseByteList, parseNames } from '../quantities/parse-list.js';
import type { Work } from '../record/work.js';
import type { Bytes } from '../units.js';
import { GPU_PROCESS, gpuOf, gpuPlace } from './gpu.js';
import type { Flags, Parameters } from './indicator.js';
import { arraysOfPass, ELEMENT, PASS_NAMES, PASSES, type Pass } from './memory-passes.js';
import { bytesOfShare, parseMemoryShare, sizeText } from './memory-share.js';
import { refuseCpuFlags } from './threads.js';
import type { GpuSide } from './with-gpu.js';

/** Transfers that a copy makes at once, over a link or, within the device, reading and writing. */
const COPIES = {
  'device-copy': 2,
  'host-to-device': 1,
  'device-to-host': 1,
  'both-ways': 2,
  peer: 1,
} as const;
type Copy = keyof typeof COPIES;
const COPY_NAMES = Object.keys(COPIES) as [Copy, ...Copy[]];
export const GPU_OPERATIONS: readonly (Pass | Copy)[] = [...PASS_NAMES, ...COPY_NAMES];
export const HOST_MEMORIES = ['pinned', 'pageable'] as const;
type HostMemory = (typeof HOST_MEMORIES)[number];

/** Passes read and write 16 bytes at a time, and the copy engine whole lines. */
const GRAIN = 16;
const MIB: Bytes = 2 ** 20;
const TRANSFER: Bytes = 256 * MIB;

const schema = z.strictObject({
  operation: z.enum([...PASS_NAMES, ...COPY_NAMES]),
  bytes: z.int().min(1),
  /** Of the free memory, that was asked for and made the bytes. */
  share: z.number().gt(0).lt(1).exactOptional(),
  host: z.enum(['none', ...HOST_MEMORIES]),
  peer: z.string(),
});
type GpuMemory = z.infer<typeof schema>;

const isPass = (operation: Pass | Copy): operation is Pass => operation in PASSES;
const ofHost = (operation: Pass | Copy): boolean =>
  operation === 'host-to-device' || operation === 'device-to-host' || operation === 'both-ways';

/** Whether each repetition of a case sends data over the link between host and GPU; what does not has no memory of the host. */
export const overHostLink = ({ host = 'none' }: Parameters): boolean => host !== 'none';

/** What the addon says of a copy to a GPU that the first one cannot reach (native/cuda/copy_workload.cc). */
export const byTheHost = (implementation: string | null | undefined): boolean =>
  implementation?.includes('through the host') === true;

/** The GPU to which a case copies; null: none. */
export const peerOf = ({ peer = 'none' }: Parameters): string | null =>
  isGpu(String(peer)) ? String(peer) : null;

/** Arrays of the working set. */
function arraysOf(operation: Pass | Copy): number {
  if (isPass(operation)) return arraysOfPass(operation);
  return operation === 'device-copy' ? 2 : 1;
}

const elementsOf = ({ operation, bytes }: Pick<GpuMemory, 'operation' | 'bytes'>): number =>
  Math.floor(bytes / (arraysOf(operation) * ELEMENT * GRAIN)) * GRAIN;

/** @throws UserError */
function read(parameters: Parameters): GpuMemory {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success) throw new UserError(`memory: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  const { operation, host, peer, bytes } = parsed.data;
  if (ofHost(operation) !== (host !== 'none') || (operation === 'peer') !== isGpu(peer))
    throw new UserError(`memory: ${operation} with host memory ${host} and peer ${peer} makes no case`);
  if (operation === 'both-ways' && host === 'pageable')
    throw new UserError('memory: pageable memory cannot be copied both ways at once: use --host pinned');
  if (elementsOf(parsed.data) < GRAIN)
    throw new UserError(`--bytes ${formatBytes(bytes)} is too small for ${operation} on a GPU`);
  return parsed.data;
}

/** Half of the L2, and what no L2 holds. */
function defaultSizes(l2: Bytes, memory: Bytes): readonly Bytes[] {
  const large = Math.min(Math.max(2 ** 30, 16 * l2), Math.floor(memory / 8 / MIB) * MIB);
  return [Math.max(1, Math.floor(l2 / 2 / 4096)) * 4096, large];
}

/** Of a GPU's memory alone: what only the device allocates. */
const isWithin = (operation: Pass | Copy): boolean => isPass(operation) || operation === 'device-copy';

interface Size {
  readonly bytes: Bytes;
  readonly share?: number;
}

/** @param free null: nothing tells */
function sharedSize(share: number, operation: Pass | Copy, free: Bytes | null): Size {
  if (!isWithin(operation))
    throw new UserError(
      `--bytes ${formatShare(share)}: ${operation} takes memory at both ends: give a size, such as 1GiB`,
    );
  return { bytes: bytesOfShare(share, free, (free ?? 0) - GPU_PROCESS), share };
}

function sizesOf(flags: Flags, operation: Pass | Copy, sizes: readonly Bytes[]): readonly Bytes[] {
  if (flags.bytes !== undefined) return parseByteList(String(flags.bytes), '--bytes');
  if (isPass(operation)) return sizes;
  return operation === 'device-copy' ? sizes.slice(-1) : [Math.min(TRANSFER, sizes.at(-1) ?? TRANSFER)];
}

/** Read also where no operation takes it: of a campaign file's lists each combination comes here by itself. */
const askedHosts = ({ host }: Flags): readonly HostMemory[] =>
  host === undefined ? HOST_MEMORIES : parseNames(String(host), '--host', HOST_MEMORIES);

/** Both ways at once only pinned memory is copied: of others it is left out, unless somebody names it, who is told so by `read`. */
function hostsOf(
  flags: Flags,
  operation: Pass | Copy,
  asked: readonly HostMemory[],
): readonly GpuMemory['host'][] {
  if (!ofHost(operation)) return ['none'];
  if (operation !== 'both-ways') return asked;
  const pinned = asked.filter((host) => host === 'pinned');
  return pinned.length === 0 && flags.operation !== undefined ? asked : pinned;
}

export const memoryOnGpu: GpuSide = {
  fromFlags(flags, machine) {
    refuseCpuFlags(flags, ['threads', 'pin', 'stores']);
    const gpu = gpuOf(flags, machine);
    const others = (machine.gpus?.devices ?? []).filter(({ ordinal }) => ordinal !== gpu.ordinal);
    const usual: readonly (Pass | Copy)[] = [
      'read',
      'write',
      'copy',
      'triad',
      'device-copy',
      'host-to-device',
      'device-to-host',
      'both-ways',
      ...(others.length > 0 ? (['peer'] as const) : []),
    ];
    const operations =
      flags.operation === undefined
        ? usual
        : parseNames(String(flags.operation), '--operation', GPU_OPERATIONS);
    if (operations.includes('peer') && others.length === 0)
      throw new UserError('--operation peer copies to another GPU, and there is only one here');
    const hosts = askedHosts(flags);
    const defaults = defaultSizes(gpu.l2Bytes, gpu.memoryBytes);
    const share = flags.bytes === undefined ? null : parseMemoryShare(String(flags.bytes));
    const sizes = (operation: Pass | Copy): readonly Size[] =>
      share === null
        ? sizesOf(flags, operation, defaults).map((bytes) => ({ bytes }))
        : [sharedSize(share, operation, gpu.freeBytes ?? null)];
    return operations.flatMap((operation) => {
      const peers = operation === 'peer' ? others.map(({ ordinal }) => gpuNamed(ordinal)) : ['none'];
      return hostsOf(flags, operation, hosts).flatMap((host) =>
        peers.flatMap((peer) => sizes(operation).map((size) => read({ operation, ...size, host, peer }))),
      );
    });
  },
  check: (parameters) => void read(parameters),
  work(parameters): Work {
    const memory = read(parameters);
    const { operation } = memory;
    const elements = elementsOf(memory);
    if (!isPass(operation)) return { flop: 0, bytes: COPIES[operation] * elements * ELEMENT };
    const { loads, stores, flop } = PASSES[operation];
    return { flop: flop * elements, bytes: (loads + stores) * elements * ELEMENT };
  },
  memory(parameters) {
    const { operation, bytes } = read(parameters);
    // Of what stays on GPUs an array is fetched to be checked; of reading only a sum.
    const array = bytes / arraysOf(operation);
    if (operation === 'read') return GPU_PROCESS;
    if (!ofHost(operation)) return array + GPU_PROCESS;
    // Each way what it reads or writes here, and what of it is fetched to be checked.
    return 2 * (operation === 'both-ways' ? 2 : 1) * array + GPU_PROCESS;
  },
  gpuMemory(parameters) {
    const { operation, bytes } = read(parameters);
    // One that copies to another GPU may have that one's copy here at the same time.
    return (operation === 'both-ways' || operation === 'peer' ? 2 : 1) * bytes + GPU_PROCESS;
  },
  dtype: () => 'float64',
  title(parameters) {
    const { operation, bytes, share, host, peer } = read(parameters);
    const how = [
      sizeText(bytes, share),
      ...(host === 'none' ? [] : [host]),
      ...(peer === 'none' ? [] : [`to ${peer}`]),
    ];
    return `memory ${operation} ${how.join(', ')}`;
  },
  rateUnit: () => 'B/s',
  nativeWorkload(parameters, placement, variant, seed) {
    const memory = read(parameters);
    const { operation, host, peer } = memory;
    const common = { operation, elements: elementsOf(memory), seed, ...gpuPlace(placement) };
    if (isPass(operation)) return { workload: 'cuda-pass', parameters: { ...common, isa: variant ?? '' } };
    return {
      workload: 'cuda-copy',
      parameters: {
        ...common,
        pinned: Number(host !== 'pageable'),
        peer: isGpu(peer) ? ordinalOf(peer) : 0,
      },
    };
  },
};
