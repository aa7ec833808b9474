/**
 * Memory errors of a GPU that came before anything was measured, and still stand. Limits by NVIDIA's "GPU
 * Memory Error Management": an error that could not be corrected leaves a GPU to be reset, which sets its
 * count back, and the driver says so as its recovery action; more than a few of SRAM set the flag by which a
 * GPU is returned. Corrected errors are beyond that document, and are told only. Pure.
 */
import type { GpuDescription } from '../../machine/gpus.js';
import type { Finding } from '../../record/schema.js';
import type { CauseName } from '../causes.js';
import { atMost, equalTo, notSeen, told } from '../findings.js';

/** nvmlDeviceGpuRecoveryAction_t, in its order. */
const ACTIONS = ['none', 'reset the GPU', 'boot the node', 'drain its links', 'drain it and reset it'];

const actionNamed = (action: number): string => ACTIONS[action] ?? `action ${action}`;

/**
 * Of all that applies to this GPU and driver; what a record of an older version does not have was not looked
 * at.
 */
export function standingErrors(gpu: GpuDescription, source: string): readonly Finding[] {
  const { ecc, eccErrors, eccErrorsEver, sramThresholdExceeded, recoveryAction } = gpu;
  const uncorrected = atMost(
    {
      quantity: 'uncorrected_memory_errors',
      measured: eccErrors?.uncorrected ?? null,
      source: 'none since the driver was loaded',
    },
    0,
  );
  const counted =
    eccErrors?.uncorrected == null
      ? ecc === true && eccErrors !== undefined
        ? [notSeen(uncorrected, 'this GPU does not tell its memory errors')]
        : []
      : [uncorrected];
  const looked = [
    ['corrected_memory_errors', eccErrors?.corrected],
    ['uncorrected_memory_errors_ever', eccErrorsEver?.uncorrected],
  ] as const;
  return [
    ...counted,
    ...(sramThresholdExceeded == null
      ? []
      : [
          equalTo(
            { quantity: 'sram_threshold_exceeded', measured: sramThresholdExceeded ? 'yes' : 'no', source },
            'no',
          ),
        ]),
    ...(recoveryAction == null
      ? []
      : [equalTo({ quantity: 'recovery_action', measured: actionNamed(recoveryAction), source }, 'none')]),
    ...looked.flatMap(([quantity, count]) =>
      count == null ? [] : [told({ quantity, measured: count, source })],
    ),
  ];
}

/** The one of them that matters most; null: none of them stands. */
export function standingCause({
  eccErrors,
  sramThresholdExceeded,
  recoveryAction,
}: GpuDescription): CauseName | null {
  if (sramThresholdExceeded === true) return 'sram-exceeded';
  if ((recoveryAction ?? 0) !== 0) return 'recovery-needed';
  return (eccErrors?.uncorrected ?? 0) > 0 ? 'errors-stand' : null;
}
