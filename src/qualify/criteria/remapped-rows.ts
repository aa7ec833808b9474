/**
 * Rows of a GPU's memory that errors broke and spare ones replace, and pages that an older GPU gives up: what
 * still has to be done about them. Pure.
 */
import { gpuNamed } from '../../devices/device.js';
import type { GpuDescription } from '../../machine/gpus.js';
import type { Finding } from '../../record/schema.js';
import { causeNamed } from '../causes.js';
import { equalTo, skipped, told } from '../findings.js';
import { type Criterion, judged, notPossible } from './criterion.js';
import { NO_GPU, why } from './gpus.js';

const answer = (is: boolean): string => (is ? 'yes' : 'no');

function findingsOf(gpu: GpuDescription, source: string): readonly Finding[] {
  const { remappedRows: rows, retirementPending } = gpu;
  const pages =
    retirementPending == null
      ? []
      : [equalTo({ quantity: 'pending_retirement', measured: answer(retirementPending), source }, 'no')];
  if (rows == null) return pages.length > 0 ? pages : [skipped('remapped_rows', why(gpu), source)];
  return [
    ...pages,
    equalTo({ quantity: 'failed_remap', measured: answer(rows.failed), source }, 'no'),
    equalTo({ quantity: 'pending_remap', measured: answer(rows.pending), source }, 'no'),
    told({ quantity: 'remapped_rows', measured: rows.corrected + rows.uncorrected, source }),
  ];
}

export const remappedRows: Criterion<'remapped-rows'> = {
  kind: 'remapped-rows',
  repeats: false,
  judge(check, { machine, source }) {
    const devices = machine.gpus?.devices ?? [];
    if (devices.length === 0) return [notPossible(check, NO_GPU, source)];
    return devices.map((gpu) => {
      const { remappedRows: rows, retirementPending } = gpu;
      // A reset mends what waits for it; nothing but another GPU what failed.
      const waits =
        rows?.pending !== true && retirementPending === true ? 'retirement-pending' : 'remap-pending';
      return judged(check, {
        device: gpuNamed(gpu.ordinal),
        findings: findingsOf(gpu, source),
        possible: rows != null || retirementPending != null,
        cause: causeNamed(rows?.failed === true ? 'remap-failed' : waits),
      });
    });
  },
};
