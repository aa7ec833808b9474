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

  const GONE: NvmlTelemetry = { problem: 'no GPU of that bus' };
  const wrong = { ...sound, xids: [48], eccUncorrected: 2, remappedRows: { ...ROWS, uncorrected: 3 } };
  it.each<[string, readonly [NvmlTelemetry, NvmlTelemetry]]>([
    ['the first', [GONE, wrong]],
    ['the second', [wrong, GONE]],
  ])('keeps what one GPU counted where another is silent: %s', (_, [first, second]) => {
    const text = said(first, [second]);
    expect(text).toMatch(
      /XID 48, fault reports of 1 of 2 GPUs not seen, uncorrected memory errors 2, memory errors of 1 of 2 GPUs not seen, rows replaced after uncorrected errors 2, 1 of 2 GPUs silent: no GPU of that bus$/,
    );
    expect(faultsIn(text)).toMatchObject({ xids: '48', eccUncorrected: 2, newRowsUncorrected: 2 });
  });

  it.each<[string, NvmlTelemetry, RegExp]>([
    ['is silent', GONE, /1 of 2 GPUs silent: no GPU of that bus$/],
    [
      'tells of neither',
      { ...sound, xids: null, eccUncorrected: null },
      /memory errors of 1 of 2 GPUs not seen$/,
    ],
  ])('says of no GPU that nothing came on it where one %s', (_, other, ends) => {
    for (const text of [said(sound, [other]), said(other, [sound])]) {
      expect(text).toMatch(ends);
      expect(text).not.toMatch(/none|uncorrected memory errors/);
      expect(faultsIn(text)).toMatchObject({ xids: null, eccUncorrected: null });
    }
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
