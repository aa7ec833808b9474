/**
 * What NVML counted while a launch failed on a GPU. Such a launch leaves no document: its reason says it, in words that are
 * written and read here, so that a fault of the hardware is not taken for a launch that was lost. Pure.
 */
import { type GpuTelemetry, type NvmlTelemetry, newRemaps } from './gpu.js';

/** Of all GPUs of the launch together, since it began; the names are those of the flag `device-errors`. */
export interface GpuFaults {
  /** `79,48`, of those that were watched; empty: none came on any; null: none is known of, and not all were watched. */
  readonly xids: string | null;
  /** Of those that tell; null: none is known of, and not all tell. */
  readonly eccUncorrected: number | null;
  readonly newRowsUncorrected: number;
  readonly newRowsCorrected: number;
  readonly newRemapPending: boolean;
  readonly newRemapFailed: boolean;
}

const BEGIN = '; NVML since the launch began: ';

/** The driver itself says that memory was wrong, also where NVML tells nothing. */
const UNCORRECTABLE = 'CUDA_ERROR_ECC_UNCORRECTABLE';

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/**
 * What came on the GPUs that tell. That nothing came is said only where all of them do.
 * @param came null: nothing
 * @param gpus of the launch, of which `told` tell
 */
function inWords(
  { what, came, none }: { readonly what: string; readonly came: string | null; readonly none: string },
  told: number,
  gpus: number,
): readonly string[] {
  if (told === 0) return [`${what} not seen`];
  if (told === gpus) return [came ?? none];
  return [...(came === null ? [] : [came]), `${what} of ${gpus - told} of ${gpus} GPUs not seen`];
}

function xidsInWords(all: readonly NvmlTelemetry[]): readonly string[] {
  const watched = all.flatMap(({ xids }) => (xids == null ? [] : [xids]));
  const came = watched.flat().join(',');
  return inWords(
    { what: 'fault reports', came: came === '' ? null : `XID ${came}`, none: 'XID none' },
    watched.length,
    all.length,
  );
}

function errorsInWords(all: readonly NvmlTelemetry[]): readonly string[] {
  const counted = all.flatMap(({ eccUncorrected }) => eccUncorrected ?? []);
  const errors = sumOf(counted);
  const text = `uncorrected memory errors ${errors}`;
  return inWords(
    { what: 'memory errors', came: errors === 0 ? null : text, none: text },
    counted.length,
    all.length,
  );
}

function rowsInWords(all: readonly NvmlTelemetry[]): readonly string[] {
  const remaps = all.flatMap((nvml) => newRemaps(nvml) ?? []);
  const uncorrected = sumOf(remaps.map((rows) => rows.uncorrected));
  const corrected = sumOf(remaps.map((rows) => rows.corrected));
  return [
    ...(uncorrected > 0 ? [`rows replaced after uncorrected errors ${uncorrected}`] : []),
    ...(corrected > 0 ? [`rows replaced after corrected errors ${corrected}`] : []),
    ...(remaps.some(({ pending }) => pending) ? ['a row waits for a reset to be replaced'] : []),
    ...(remaps.some(({ failed }) => failed) ? ['a row could not be replaced'] : []),
  ];
}

/** To be put behind the reason. @param report of the addon, as JSON in the shape of `GpuTelemetry` */
export function faultsInWords(report: string): string {
  const { nvml, others = [] } = JSON.parse(report) as Pick<GpuTelemetry, 'nvml' | 'others'>;
  const all = [nvml, ...others];
  const problems = all.flatMap(({ problem }) => problem ?? []);
  const why = [...new Set(problems)].join('; ');
  if (problems.length === all.length) return `${BEGIN}nothing is known: ${why}`;
  const silent = problems.length === 0 ? [] : [`${problems.length} of ${all.length} GPUs silent: ${why}`];
  return BEGIN + [...xidsInWords(all), ...errorsInWords(all), ...rowsInWords(all), ...silent].join(', ');
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
