/**
 * What NVML counted while a launch failed on a GPU. Such a launch leaves no document: its reason says it, in words that are
 * written and read here, so that a fault of the hardware is not taken for a launch that was lost. Pure.
 */
import { type GpuTelemetry, type NvmlTelemetry, newRemaps } from './gpu.js';

/** Of all GPUs of the launch together, since it began; the names are those of the flag `device-errors`. */
export interface GpuFaults {
  /** `79,48`; empty: none came; null: nobody could watch. */
  readonly xids: string | null;
  /** null: not known. */
  readonly eccUncorrected: number | null;
  readonly newRowsUncorrected: number;
  readonly newRowsCorrected: number;
  readonly newRemapPending: boolean;
  readonly newRemapFailed: boolean;
}

const BEGIN = '; NVML since the launch began: ';

/** The driver itself says that memory was wrong, also where NVML tells nothing. */
const UNCORRECTABLE = 'CUDA_ERROR_ECC_UNCORRECTABLE';

/** null: none of them knows. */
function sumOf(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => value != null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function faultsOf(all: readonly NvmlTelemetry[]): GpuFaults {
  const remaps = all.flatMap((nvml) => newRemaps(nvml) ?? []);
  const watched = all.flatMap(({ xids }) => (xids == null ? [] : [xids]));
  return {
    xids: watched.length === 0 ? null : watched.flat().join(','),
    eccUncorrected: sumOf(all.map(({ eccUncorrected }) => eccUncorrected)),
    newRowsUncorrected: sumOf(remaps.map(({ uncorrected }) => uncorrected)) ?? 0,
    newRowsCorrected: sumOf(remaps.map(({ corrected }) => corrected)) ?? 0,
    newRemapPending: remaps.some(({ pending }) => pending),
    newRemapFailed: remaps.some(({ failed }) => failed),
  };
}

/** To be put behind the reason. @param report of the addon, as JSON in the shape of `GpuTelemetry` */
export function faultsInWords(report: string): string {
  const { nvml, others = [] } = JSON.parse(report) as Pick<GpuTelemetry, 'nvml' | 'others'>;
  const all = [nvml, ...others];
  const silent = all.find(({ problem }) => problem !== null);
  if (silent !== undefined) return `${BEGIN}nothing is known: ${silent.problem}`;
  const faults = faultsOf(all);
  return (
    BEGIN +
    [
      faults.xids === null ? 'fault reports not seen' : `XID ${faults.xids === '' ? 'none' : faults.xids}`,
      faults.eccUncorrected === null
        ? 'memory errors not seen'
        : `uncorrected memory errors ${faults.eccUncorrected}`,
      ...(faults.newRowsUncorrected > 0
        ? [`rows replaced after uncorrected errors ${faults.newRowsUncorrected}`]
        : []),
      ...(faults.newRowsCorrected > 0
        ? [`rows replaced after corrected errors ${faults.newRowsCorrected}`]
        : []),
      ...(faults.newRemapPending ? ['a row waits for a reset to be replaced'] : []),
      ...(faults.newRemapFailed ? ['a row could not be replaced'] : []),
    ].join(', ')
  );
}

/** @param reason of a launch that failed @returns null where it tells of no GPU's counters */
export function faultsIn(reason: string): GpuFaults | null {
  const place = reason.lastIndexOf(BEGIN);
  const said = place < 0 ? '' : reason.slice(place + BEGIN.length);
  const wrong = reason.includes(UNCORRECTABLE);
  if (said === '' && !wrong) return null;
  const number = (what: string): number | null => {
    const found = new RegExp(`${what} (\\d+)`).exec(said)?.[1];
    return found === undefined ? null : Number(found);
  };
  const xids = /XID (none|[\d,]*\d)/.exec(said)?.[1] ?? null;
  const counted = number('uncorrected memory errors');
  return {
    xids: xids === 'none' ? '' : xids,
    eccUncorrected: wrong ? Math.max(1, counted ?? 0) : counted,
    newRowsUncorrected: number('replaced after uncorrected errors') ?? 0,
    newRowsCorrected: number('replaced after corrected errors') ?? 0,
    newRemapPending: said.includes('waits for a reset'),
    newRemapFailed: said.includes('could not be replaced'),
  };
}
