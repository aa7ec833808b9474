/**
 * A GPU had errors while it was measured: bits that were wrong in its memory, rows of it that are still to be replaced, or
 * faults that its driver reported.
 */
import { plural } from '../../quantities/format.js';
import { gpuDetector } from './gpu.js';

export const deviceErrors = gpuDetector({
  name: 'device-errors',
  detect({ eccCorrected, eccUncorrected, xids, remappedRows }) {
    const signs = [
      ...((eccUncorrected ?? 0) > 0
        ? [`${plural(eccUncorrected ?? 0, 'error')} of its memory that could not be corrected`]
        : []),
      ...((eccCorrected ?? 0) > 0 ? [`${plural(eccCorrected ?? 0, 'corrected error')} of its memory`] : []),
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
      },
    };
  },
  blindness({ eccUncorrected, xids }) {
    if (eccUncorrected == null && xids == null)
      return 'NVML shows neither memory errors nor fault reports of this GPU';
    if (eccUncorrected == null) return 'NVML shows no memory errors of this GPU';
    return xids == null ? 'nobody could watch the fault reports of this GPU’s driver' : null;
  },
});
