/**
 * What a collective's case is: its operations, data types and sizes, and the figures that follow from them alone. Sizes
 * and factors are those of nccl-tests: `bytes` is what a rank gives or gets, whichever is more. Pure.
 */
import { z } from 'zod';
import { UserError } from '../errors.js';
import { briefBytes, plural } from '../quantities/format.js';
import { parseNames } from '../quantities/parse-list.js';
import type { Bytes, Seconds } from '../units.js';
import type { Parameters } from './indicator.js';

export const OPERATIONS = [
  'all-reduce',
  'all-gather',
  'reduce-scatter',
  'broadcast',
  'reduce',
  'gather',
  'scatter',
  'all-to-all',
  'send-recv',
  'barrier',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Bytes of an element. */
export const ELEMENTS = {
  float32: 4,
  float64: 8,
  bfloat16: 2,
  float16: 2,
  float8_e4m3: 1,
  int8: 1,
  uint8: 1,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
} as const;
export type Element = keyof typeof ELEMENTS;
export const ELEMENT_NAMES = Object.keys(ELEMENTS) as [Element, ...Element[]];

/**
 * Several, with commas: each once, in the order of `ELEMENTS`.
 * @throws UserError for tf32, which no memory holds
 * @throws QuantityError for a name that no element has
 */
export function elementsNamed(text: string): readonly Element[] {
  if (text.split(',').some((name) => name.trim() === 'tf32'))
    throw new UserError(
      '--dtype tf32 is how a product rounds numbers that lie in memory as float32: to exchange them use --dtype float32',
    );
  return parseNames(text, '--dtype', ELEMENT_NAMES);
}

export const REDOPS = ['sum', 'prod', 'min', 'max', 'avg'] as const;
export const SYNCS = ['barrier', 'window', 'none'] as const;
export const INPUTS = ['fresh', 'clean'] as const;
export const PATTERNS = ['ring', 'pairs'] as const;
export const WORKERS = ['threads', 'processes'] as const;
export const TRANSPORTS = ['shm', 'mpi', 'nccl', 'gloo'] as const;
const OF_SHM = ['lines', 'direct', 'blocks', 'streaming'] as const;
const OF_GLOO = ['ring', 'bcube', 'halving-doubling'] as const;
export const ALGORITHMS = ['auto', ...OF_SHM, ...OF_GLOO] as const;
/** As nccl-tests writes it. */
export const NO_ROOT = -1;
export const MOST_RANKS = 256;

const REDUCING: readonly Operation[] = ['all-reduce', 'reduce-scatter', 'reduce'];
const ROOTED: readonly Operation[] = ['broadcast', 'reduce', 'gather', 'scatter'];
/** A block for each rank. */
const IN_BLOCKS: readonly Operation[] = ['all-gather', 'reduce-scatter', 'gather', 'scatter', 'all-to-all'];
/** Averages of so many ranks are exact. */
const MOST_OF_AVERAGE: Partial<Record<Element, number>> = { int8: 127, uint8: 255, float8_e4m3: 16 };
/**
 * And of so many that are no power of two, where a library multiplies by 1 / ranks before it adds: with more, what it rounds
 * hides a rank (native/collective/data.cc).
 */
const MOST_SCALED: Partial<Record<Element, number>> = { float8_e4m3: 2, bfloat16: 10, float16: 31 };
/** What MPI has no type for, and Gloo: it is moved, and nothing is computed with it. */
const MOVED_BY_MPI: readonly Element[] = ['bfloat16', 'float16', 'float8_e4m3'];
const MOVED_BY_GLOO: readonly Element[] = ['bfloat16', 'float8_e4m3'];

export const isReducing = (operation: Operation): boolean => REDUCING.includes(operation);
export const isRooted = (operation: Operation): boolean => ROOTED.includes(operation);

const schema = z.strictObject({
  operation: z.enum(OPERATIONS),
  bytes: z.int().min(0),
  dtype: z.enum(ELEMENT_NAMES),
  redop: z.enum(['none', ...REDOPS]),
  root: z.int().min(NO_ROOT),
  inPlace: z.boolean(),
  pattern: z.enum(['none', ...PATTERNS]),
  ranks: z.int().min(1).max(MOST_RANKS),
  workers: z.enum(WORKERS),
  pin: z.boolean(),
  sync: z.enum(SYNCS),
  inputs: z.enum(INPUTS),
  transport: z.enum(TRANSPORTS),
  algorithm: z.enum(ALGORITHMS),
  // Of MPI only, so that cases of shared memory are named as they were before there was another transport.
  /** The library's file. */
  library: z.string().min(1).exactOptional(),
  /** The command that starts the ranks, or `within NAME` where they are those of a job (mpi/choice.ts). */
  launcher: z.string().min(1).exactOptional(),
  /** Of NCCL, where each rank is a process: the place where they meet. */
  rendezvous: z.string().min(1).exactOptional(),
  /** Ranks on this host; absent: not known before they have met. */
  perHost: z.int().min(1).exactOptional(),
});
export type Collective = z.infer<typeof schema>;

/** What the smallest case of an operation takes: an element, or one for each rank. */
export function leastBytes({
  operation,
  dtype,
  ranks,
}: Pick<Collective, 'operation' | 'dtype' | 'ranks'>): Bytes {
  if (operation === 'barrier') return 0;
  return ELEMENTS[dtype] * (IN_BLOCKS.includes(operation) ? ranks : 1);
}

/**
 * The size of the case that `asked` bytes make: with a block for each rank, equal blocks of whole elements, as
 * nccl-tests rounds.
 * @throws UserError for what is no multiple of the type, or too small
 */
export function fittingBytes(asked: Bytes, of: Pick<Collective, 'operation' | 'dtype' | 'ranks'>): Bytes {
  if (of.operation === 'barrier') return 0;
  const element = ELEMENTS[of.dtype];
  if (asked % element !== 0) {
    throw new UserError(
      `--bytes ${asked} is no multiple of an element of ${of.dtype} (${element} B): choose one that is`,
    );
  }
  const least = leastBytes(of);
  if (asked < least) {
    throw new UserError(
      `--bytes ${asked} is too small: ${of.operation} of ${of.dtype} on ${plural(of.ranks, 'rank')} takes ${least} or more`,
    );
  }
  return asked - (asked % least);
}

/** What MPI has no call for. */
function lackingInMpi({
  operation,
  redop,
  dtype,
  inPlace,
  workers,
  algorithm,
  library,
  launcher,
}: Collective) {
  if (library === undefined || launcher === undefined)
    return 'a case of MPI names its library and its launcher';
  if (workers !== 'processes') return 'ranks of MPI are processes: leave --workers out';
  if (algorithm !== 'auto') return 'MPI chooses its algorithms itself: leave --algorithm out';
  if (redop === 'avg') return 'MPI has no average: use --redop sum';
  if (MOVED_BY_MPI.includes(dtype) && redop !== 'none')
    return `MPI cannot compute with ${dtype}: use float32, float64 or an integer`;
  if (operation === 'broadcast' && !inPlace)
    return 'MPI’s broadcast has one buffer, so it is in place: leave --no-in-place out';
  if (operation === 'reduce-scatter' && inPlace)
    return 'MPI puts the result of a reduce-scatter in place elsewhere than other transports: leave --in-place out';
  return null;
}

/** What NCCL has no call for, or its ranks cannot be. */
function lackingInNccl(one: Collective): string | null {
  const { operation, inPlace, workers, pin, algorithm, rendezvous, redop, dtype, ranks } = one;
  if (operation === 'barrier') return 'NCCL has no barrier: use --transport shm';
  if (operation === 'all-to-all' && inPlace) return 'NCCL has no all-to-all in place: leave --in-place out';
  if (workers !== (rendezvous === undefined ? 'threads' : 'processes'))
    return 'ranks of --transport nccl are threads, one for each GPU, or with --rendezvous processes: leave --workers out';
  if (pin) return 'ranks of --transport nccl are GPUs: leave --pin out';
  if (algorithm !== 'auto') return 'NCCL chooses its algorithms itself: leave --algorithm out';
  const most = MOST_SCALED[dtype] ?? MOST_RANKS;
  if (redop === 'avg' && ranks > most && !Number.isInteger(Math.log2(ranks)))
    return `NCCL multiplies by 1/${ranks} before it adds, and ${dtype} rounds that so much that an average could not be checked: use --redop sum, or 2, 4, 8 ... ranks`;
  return null;
}

/** What Gloo has no call for, or its ranks cannot be. */
function lackingInGloo(one: Collective): string | null {
  const { operation, redop, dtype, inPlace, workers, algorithm, bytes } = one;
  if (workers !== 'processes') return 'ranks of --transport gloo are processes: leave --workers out';
  if (redop === 'avg') return 'Gloo has no average: use --redop sum';
  if (MOVED_BY_GLOO.includes(dtype) && redop !== 'none')
    return `Gloo cannot compute with ${dtype}: use float16, float32, float64 or an integer`;
  if (operation === 'all-to-all' && inPlace) return 'Gloo has no all-to-all in place: leave --in-place out';
  if (operation === 'reduce-scatter' && !inPlace)
    return 'Gloo’s reduce-scatter works in place: leave --no-in-place out';
  if (algorithm !== 'auto' && (operation !== 'all-reduce' || !OF_GLOO.some((name) => name === algorithm)))
    return `Gloo has no algorithm ${algorithm} for ${operation}: ${operation === 'all-reduce' ? `it has ${OF_GLOO.join(', ')}` : 'leave --algorithm out'}`;
  if (algorithm === 'halving-doubling' && !inPlace)
    return 'Gloo’s halving-doubling works in place: add --in-place';
  const older = operation === 'reduce-scatter' || algorithm === 'halving-doubling';
  return older && bytes >= 2 ** 31
    ? `Gloo’s ${operation} by halving and doubling counts bytes in 32 bits: ${bytes} are too many`
    : null;
}

const LACKING: Readonly<Record<Collective['transport'], (one: Collective) => string | null>> = {
  shm: ({ algorithm }) =>
    OF_GLOO.some((name) => name === algorithm)
      ? `--algorithm ${algorithm} is of --transport gloo; shm has ${OF_SHM.join(', ')}`
      : null,
  mpi: lackingInMpi,
  nccl: lackingInNccl,
  gloo: lackingInGloo,
};

/** MPI's broadcast has one buffer; Gloo's reduce-scatter overwrites its own. */
export const isAlwaysInPlace = ({
  transport,
  operation,
}: Pick<Collective, 'transport' | 'operation'>): boolean =>
  (transport === 'mpi' && operation === 'broadcast') ||
  (transport === 'gloo' && operation === 'reduce-scatter');

function contradictionOf(one: Collective): string | null {
  const { operation, ranks, root, redop, pattern, inPlace, sync, inputs, dtype, bytes } = one;
  if (isRooted(operation) ? root < 0 || root >= ranks : root !== NO_ROOT)
    return `--root ${root} is none of ${operation}'s ${plural(ranks, 'rank')}: it takes 0 to ${ranks - 1}`;
  if (isReducing(operation) !== (redop !== 'none'))
    return `${operation} with the reduction ${redop} makes no case`;
  if ((operation === 'send-recv') !== (pattern !== 'none'))
    return `${operation} with the pattern ${pattern} makes no case`;
  if (ranks === 1 && (operation === 'send-recv' || operation === 'barrier'))
    return `${operation} of one rank makes no sense: use --ranks 2 or more`;
  if (pattern === 'pairs' && ranks % 2 !== 0)
    return `--pattern pairs takes an even number of ranks, not ${ranks}`;
  if (inPlace && (operation === 'send-recv' || operation === 'barrier'))
    return `${operation} has no in-place form: leave --in-place out`;
  // A broadcast in place reads the root's buffer and writes the others'.
  if (inPlace && operation !== 'broadcast' && (inputs === 'clean' || sync === 'none'))
    return isAlwaysInPlace(one)
      ? `${operation} of --transport ${one.transport} overwrites its inputs: it takes fresh ones, and --sync barrier or window`
      : '--in-place overwrites its inputs: it takes fresh ones, and --sync barrier or window';
  if (sync === 'none' && inputs === 'fresh')
    return '--sync none runs calls into each other, with no time for new inputs between them: add --inputs clean';
  const lacking = LACKING[one.transport](one);
  if (lacking !== null) return lacking;
  const ofMpi = one.library ?? one.launcher ?? one.perHost;
  if (one.transport !== 'mpi' && one.rendezvous === undefined && ofMpi !== undefined)
    return 'a library and a launcher belong to --transport mpi';
  const most = redop === 'avg' ? (MOST_OF_AVERAGE[dtype] ?? MOST_RANKS) : MOST_RANKS;
  if (ranks > most)
    return `an average of ${dtype} over ${ranks} ranks cannot be checked: use at most ${most}`;
  if (bytes !== fittingBytes(bytes, one))
    return `${bytes} bytes do not make equal blocks for ${plural(ranks, 'rank')}`;
  return null;
}

/** @throws UserError */
export function readCollective(parameters: Parameters): Collective {
  const parsed = schema.safeParse(parameters);
  if (!parsed.success)
    throw new UserError(`collective: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  const contradiction = contradictionOf(parsed.data);
  if (contradiction !== null) throw new UserError(contradiction);
  return parsed.data;
}

/** Elements, as MPI and NCCL count them: of one block where there is one for each rank. */
export function countOf({ operation, bytes, dtype, ranks }: Collective): number {
  return bytes / ELEMENTS[dtype] / (IN_BLOCKS.includes(operation) ? ranks : 1);
}

/** One rank whose output lies where its input does: whatever executes it has nothing to do, and most do nothing. */
export const movesNothing = ({ operation, ranks, inPlace }: Collective): boolean =>
  operation === 'barrier' || (ranks === 1 && inPlace);

/** Parts of so many pieces or more, of which one rank may have one more than another, are as good as equal. */
const MANY_PIECES = 20;
const LINE_BYTES: Bytes = 64;

/** Whether our own algorithms give each rank the same to do (native/collective/shm/shm_port.cc): what has a root never does. */
export function areAlike({ operation, bytes, dtype, ranks, inPlace }: Collective): boolean {
  if (isRooted(operation)) return false;
  const alike = (pieces: number, among: number): boolean =>
    pieces % among === 0 || pieces >= MANY_PIECES * among;
  if (operation === 'all-reduce') return alike(Math.ceil(bytes / LINE_BYTES), ranks);
  // Of each pair both move half of a block.
  if (operation === 'all-to-all' && inPlace) return alike(bytes / ELEMENTS[dtype] / ranks, 2);
  return true;
}

/** How long a rank waits for another before it is called lost, beside what the exchange may take. */
const PATIENCE: Seconds = 10;
/** Over 1 Gbit/s, a part of which other traffic has. */
const SLOWEST_RATE = 1e8;
/** That --sync none has run into each other. */
const CALLS_TOGETHER = 20;

/** A slow exchange is no loss: with that of all ranks at the slowest rate that is expected of a network. */
export function patienceOf({ bytes, ranks, sync }: Collective): Seconds {
  const calls = sync === 'none' ? CALLS_TOGETHER : 1;
  return PATIENCE + Math.round((calls * ranks * bytes) / SLOWEST_RATE);
}

/** Of one rank: what it gives and what it gets, once where they share memory (native/collective/problem.h). */
function operandsOfRank({ operation, bytes, ranks, inPlace }: Collective, isRoot: boolean): Bytes {
  const block = bytes / ranks;
  switch (operation) {
    case 'all-gather':
    case 'reduce-scatter':
      return bytes + (inPlace ? 0 : block);
    case 'gather':
    case 'scatter':
      return isRoot ? bytes + (inPlace ? 0 : block) : block;
    case 'broadcast':
    case 'reduce':
      return bytes * (isRoot && !inPlace ? 2 : 1);
    default:
      return bytes * (inPlace ? 1 : 2);
  }
}

/**
 * Operands of some ranks together: those of the root are the largest, and it may be one of them.
 * @param some of its ranks; left out: all
 */
export const operandBytes = (one: Collective, some = one.ranks): Bytes =>
  some === 0 ? 0 : operandsOfRank(one, true) + (some - 1) * operandsOfRank(one, false);

/**
 * Bus bandwidth / algorithm bandwidth, as nccl-tests defines it (its PERFORMANCE.md): what makes the rates of different
 * numbers of ranks comparable to that of the hardware. null for one rank, where no bus is used.
 */
export function busFactor(operation: Operation, ranks: number): number | null {
  if (ranks < 2 || operation === 'barrier') return null;
  switch (operation) {
    case 'all-reduce':
      return (2 * (ranks - 1)) / ranks;
    case 'broadcast':
    case 'reduce':
    case 'send-recv':
      return 1;
    default:
      return (ranks - 1) / ranks;
  }
}

/** `all-reduce float32 sum 1 MiB, 2 ranks (threads), pinned`. */
export function titleOf(one: Collective): string {
  const { operation, dtype, redop, bytes, root, ranks, workers, pin, inPlace, sync, inputs, pattern } = one;
  const what = [operation, ...(operation === 'barrier' ? [] : [dtype]), ...(redop === 'none' ? [] : [redop])];
  const how = [
    ...(operation === 'barrier' ? [] : [briefBytes(bytes)]),
    ...(pattern === 'none' ? [] : [pattern]),
    ...(root === NO_ROOT || root === 0 ? [] : [`root ${root}`]),
    ...(inPlace ? ['in place'] : []),
    one.transport === 'nccl'
      ? `${plural(ranks, 'GPU')}${one.rendezvous === undefined ? '' : ' (processes)'}`
      : `${plural(ranks, 'rank')} (${one.transport === 'gloo' ? 'Gloo' : (one.library?.replace(/^.*\//, '') ?? workers)})`,
    ...(pin ? ['pinned'] : []),
    ...(sync === 'barrier' ? [] : [`sync ${sync}`]),
    ...(inputs === 'fresh' ? [] : ['clean inputs']),
    ...(one.algorithm === 'auto' ? [] : [one.algorithm]),
  ];
  return `${what.join(' ')} ${how.join(', ')}`;
}
