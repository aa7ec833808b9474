/** What the reason of a launch that failed on a GPU keeps of its counters, and what is read of it. */
import { describe, expect, it } from 'vitest';
import { type GpuTelemetry, type NvmlTelemetry, newRemaps } from '../../src/telemetry/gpu.js';
import { faultsIn, faultsInWords } from '../../src/telemetry/gpu-faults.js';

const ROWS = { corrected: 2, uncorrected: 1, pending: false, failed: false };
const sound: NvmlTelemetry = {
  problem: null,
  eccUncorrected: 0,
  remappedRowsBefore: ROWS,
  remappedRows: ROWS,
  xids: [],
};
const said = (nvml: NvmlTelemetry, others: readonly NvmlTelemetry[] = []): string => {
  const report: Pick<GpuTelemetry, 'nvml' | 'others'> = { nvml, others };
  return `cuEventSynchronize: CUDA_ERROR_UNKNOWN${faultsInWords(JSON.stringify(report))}`;
};

describe('the reason of a launch that failed on a GPU', () => {
  it('says in one line which faults came, and that none did', () => {
    expect(said({ ...sound, xids: [48, 63], eccUncorrected: 2 })).toBe(
      'cuEventSynchronize: CUDA_ERROR_UNKNOWN; NVML since the launch began: XID 48,63, uncorrected memory errors 2',
    );
    expect(said(sound)).toMatch(/XID none, uncorrected memory errors 0$/);
    expect(said({ ...sound, xids: null, eccUncorrected: null })).toMatch(
      /fault reports not seen, memory errors not seen$/,
    );
  });

  it.each<[string, Partial<NvmlTelemetry>]>([
    ['none', {}],
    ['a fault report', { xids: [79] }],
    ['several, and errors', { xids: [48, 63, 94], eccUncorrected: 3 }],
    ['rows', { remappedRows: { corrected: 3, uncorrected: 4, pending: true, failed: true } }],
    ['what nobody saw', { xids: null, eccUncorrected: null, remappedRows: null }],
  ])('is read back as it was: %s', (_, more) => {
    const nvml = { ...sound, ...more };
    const fresh = newRemaps(nvml);
    expect(faultsIn(said(nvml))).toEqual({
      xids: nvml.xids?.join(',') ?? null,
      eccUncorrected: nvml.eccUncorrected ?? null,
      newRowsUncorrected: fresh?.uncorrected ?? 0,
      newRowsCorrected: fresh?.corrected ?? 0,
      newRemapPending: fresh?.pending ?? false,
      newRemapFailed: fresh?.failed ?? false,
    });
  });

  it('has all GPUs of the launch together', () => {
    const both = faultsIn(said({ ...sound, xids: [74] }, [{ ...sound, xids: [79], eccUncorrected: 1 }]));
    expect(both).toMatchObject({ xids: '74,79', eccUncorrected: 1 });
  });

  it('names why nothing is known, and then nothing is read of it', () => {
    const silent = said({ problem: 'no library' });
    expect(silent).toMatch(/nothing is known: no library$/);
    expect(faultsIn(silent)).toMatchObject({ xids: null, eccUncorrected: null, newRowsUncorrected: 0 });
  });

  it('tells of memory that was wrong also by the driver’s own word for it', () => {
    const driver = 'cuStreamSynchronize: CUDA_ERROR_ECC_UNCORRECTABLE';
    expect(faultsIn(driver)).toMatchObject({ eccUncorrected: 1 });
    expect(faultsIn('crashed with SIGSEGV, in phase measure')).toBeNull();
  });
});
