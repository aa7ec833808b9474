/**
 * A GPU had errors while it was measured: bits that were wrong in its memory, rows of it that were replaced or are still to be,
 * or faults that its driver reported.
 */
import { plural } from '../../quantities/format.js';
import { newRemaps } from '../../telemetry/gpu.js';
import { gpuDetector } from './gpu.js';

export const deviceErrors = gpuDetector({
  name: 'device-errors',
  detect(nvml) {
    const { eccCorrected, eccUncorrected, xids, remappedRows } = nvml;
    const fresh = newRemaps(nvml);
    const replaced = (fresh?.corrected ?? 0) + (fresh?.uncorrected ?? 0);
    const signs = [
      ...((eccUncorrected ?? 0) > 0
        ? [`${plural(eccUncorrected ?? 0, 'error')} of its memory that could not be corrected`]
        : []),
      ...((eccCorrected ?? 0) > 0 ? [`${plural(eccCorrected ?? 0, 'corrected error')} of its memory`] : []),
      ...(replaced > 0 ? [`${plural(replaced, 'row')} of its memory newly replaced`] : []),
      ...(remappedRows?.pending === true ? ['memory rows that wait for a reset to be replaced'] : []),
      ...(remappedRows?.failed === true ? ['a memory row that could not be replaced'] : []),
      ...((xids?.length ?? 0) > 0 ? [`the driver's fault reports XID ${xids?.join(', ')}`] : []),
    ];
    if (signs.length === 0) return null;
    return {
      reason: `the GPU had ${signs.join('; ')} during the launch: have it looked at before you trust it`,
      evidence: {
        eccCorrected: eccCorrected ?? null,
        eccUncorrected: eccUncorrected ?? null,
        xids: xids?.join(',') ?? null,
        remappedRows: remappedRows == null ? null : remappedRows.corrected + remappedRows.uncorrected,
        remapPending: remappedRows?.pending ?? null,
        remapFailed: remappedRows?.failed ?? null,
        newRowsCorrected: fresh?.corrected ?? null,
        newRowsUncorrected: fresh?.uncorrected ?? null,
        newRemapPending: fresh?.pending ?? null,
        newRemapFailed: fresh?.failed ?? null,
      },
    };
  },
  blindness(nvml) {
    const unseen = [
      ...(nvml.eccUncorrected == null ? ['NVML shows no memory errors of this GPU'] : []),
      ...(newRemaps(nvml) === null ? ['NVML shows no replaced rows of this GPU’s memory'] : []),
      ...(nvml.xids == null ? ['nobody could watch the fault reports of this GPU’s driver'] : []),
    ];
    return unseen.length === 0 ? null : unseen.join('; ');
  },
});
