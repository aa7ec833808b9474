/**
 * Who else was on a GPU, by NVML's lists of processes and by its memory; and whether there may be others whom
 * nobody sees. Pure.
 */
import type { Bytes } from '../units.js';
import type { GpuProcess, NvmlTelemetry } from './gpu.js';

/**
 * In use by nobody who is listed, from which on somebody is there all the same: a context of CUDA alone takes
 * more, what only draws and rests takes less, and what the driver keeps for itself is not counted. No GPU has
 * confirmed that.
 */
export const LEAST_UNLISTED: Bytes = 64 * 2 ** 20;

export interface OthersOnGpu {
  /** At the least; without those of launches of our own. */
  readonly others: number;
  /** Of these, that only draw. */
  readonly drawing: number;
  /** Of these, that were there neither before the launch nor at its end. */
  readonly passing: number;
  /** In use before we were there, by nobody who is listed; null: not known. */
  readonly unlisted: Bytes | null;
  /** Why there may be others whom the lists do not hold; null: they hold everybody. */
  readonly mayHide: string | null;
}

const sumOf = (processes: readonly GpuProcess[]): Bytes | null =>
  processes.some(({ bytes }) => bytes === null)
    ? null
    : processes.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);

function unlistedBytes(
  { bytesInUseBefore, processesBefore }: NvmlTelemetry,
  besideHere: number,
): Bytes | null {
  const listed = sumOf(processesBefore ?? []);
  // Launches of our own may be on it already, some of which are not listed yet.
  return bytesInUseBefore == null || listed === null || besideHere > 0 ? null : bytesInUseBefore - listed;
}

interface Lists {
  readonly before: readonly GpuProcess[];
  readonly between: readonly GpuProcess[];
  readonly after: readonly GpuProcess[];
}

/** Of all that were ever listed, how many are not this process, at the least. */
function othersListed({ before, between, after }: Lists, { ownPid, ownPidNamespace }: NvmlTelemetry): number {
  const pids = new Set([...before, ...between, ...after].map(({ pid }) => pid));
  if (ownPid !== undefined && pids.has(ownPid)) return pids.size - 1;
  // In the machine's first namespace numbers are the driver's: none of them is ours.
  if (ownPidNamespace === false) return pids.size;
  // Elsewhere one of them may be ours under another number, but none that was there before we were.
  return Math.max(before.length, pids.size - 1);
}

/**
 * Why lists may lack somebody. We have work on the GPU when they are asked for the last time: those that do
 * not hold us hold not all. In a namespace of our own it may be our part of them alone that is shown, so that
 * only the memory in use speaks for the rest.
 */
function whyNotAll({ after }: Lists, nvml: NvmlTelemetry, unlisted: Bytes | null): string | null {
  const { ownPid, ownPidNamespace, drawingKnown } = nvml;
  if (after.length === 0) return 'NVML shows no process on this GPU, and ours is there';
  // Documents of older versions.
  if (ownPid === undefined) return null;
  if (ownPidNamespace === false) {
    if (!after.some(({ pid }) => pid === ownPid))
      return 'NVML’s list of processes lacks this one, which is on this GPU';
    return drawingKnown === false ? 'NVML does not show who draws on this GPU' : null;
  }
  return unlisted === null
    ? 'in a container NVML may leave out processes, and it does not tell how much memory was in use before'
    : null;
}

/**
 * @param besideHere launches of our own campaign that have work on this GPU
 * @returns null: NVML lists none at all
 */
export function othersOnGpu(nvml: NvmlTelemetry, besideHere: number): OthersOnGpu | null {
  const { processesBefore: before, processesAfter: after, processesBetween } = nvml;
  if (before == null || after == null) return null;
  const between = processesBetween ?? [];
  const lists = { before, between, after };
  const unlisted = unlistedBytes(nvml, besideHere);
  const drawing = [...before, ...between, ...after].filter(({ draws }) => draws === true);
  return {
    others: Math.max(0, othersListed(lists, nvml) - besideHere),
    drawing: new Set(drawing.map(({ pid }) => pid)).size,
    passing: between.length,
    unlisted,
    mayHide: whyNotAll(lists, nvml, unlisted),
  };
}
