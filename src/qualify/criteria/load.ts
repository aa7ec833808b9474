/** Nobody else works here: on the CPUs, and on each GPU by whom NVML lists and by its memory. Pure. */
import { gpuNamed } from '../../devices/device.js';
import type { GpuDescription } from '../../machine/gpus.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Finding } from '../../record/schema.js';
import { LEAST_UNLISTED } from '../../telemetry/gpu-processes.js';
import { causeNamed } from '../causes.js';
import { atMost, notSeen, skipped } from '../findings.js';
import type { CheckOf } from '../suite-file.js';
import { type Criterion, type Judgement, judged, type Surroundings } from './criterion.js';

/** Of all CPUs: what a system does by itself stays below. */
const BUSY_AT_MOST = 0.1;

function cpuLoad(check: CheckOf<'load'>, busy: Surroundings['busy'], source: string): Judgement {
  const findings =
    busy === null
      ? [skipped('busy_cpus', 'the kernel does not tell', source)]
      : [
          atMost(
            { quantity: 'busy_cpus', measured: busy, unit: '1', source, otherwise: 'inconclusive' },
            check.busyAtMost ?? BUSY_AT_MOST,
          ),
        ];
  return judged(check, { findings, possible: busy !== null, cause: causeNamed('busy') });
}

/**
 * A list without anybody, asked for where it may leave others out, is no evidence: the memory that is in use
 * is. Where somebody is listed, the memory is theirs.
 */
function unlistedFindings(
  { processes, drawingProcesses, bytesInUse = null }: GpuDescription,
  source: string,
): readonly Finding[] {
  if (bytesInUse === null || (processes ?? 0) + (drawingProcesses ?? 0) > 0) return [];
  return [
    atMost(
      {
        quantity: 'gpu_memory_in_use',
        measured: bytesInUse,
        unit: 'B',
        source,
        otherwise: 'inconclusive',
        note: bytesInUse > LEAST_UNLISTED ? 'by nobody whom NVML lists' : null,
      },
      LEAST_UNLISTED,
    ),
  ];
}

/** Records of older versions do not tell where it was asked. */
const mayHideOthers = (gpus: MachineDescription['gpus']): boolean =>
  gpus?.ownPidNamespace !== undefined && gpus.ownPidNamespace !== false;

/**
 * Nothing of ours is on a GPU yet when it is asked.
 * @param mayHide whether NVML may list nobody where somebody is
 */
function gpuLoad(check: CheckOf<'load'>, gpu: GpuDescription, mayHide: boolean, source: string): Judgement {
  const { ordinal, processes = null, drawingProcesses, nvmlProblem } = gpu;
  const unlisted = unlistedFindings(gpu, source);
  const listed =
    processes === null
      ? skipped('gpu_processes', nvmlProblem ?? 'NVML does not show the processes of this GPU', source)
      : atMost(
          { quantity: 'gpu_processes', measured: processes, source, otherwise: 'inconclusive' },
          check.processesAtMost ?? 0,
        );
  const findings = [
    mayHide && processes === 0 && unlisted.length === 0
      ? notSeen(
          listed,
          gpu.bytesInUse == null
            ? 'in a container NVML may list nobody, and it does not tell how much memory is in use'
            : 'in a container NVML may leave out who computes',
        )
      : listed,
    ...unlisted,
    ...((drawingProcesses ?? 0) === 0
      ? []
      : [
          atMost(
            {
              quantity: 'gpu_drawing_processes',
              measured: drawingProcesses ?? 0,
              source,
              otherwise: 'warn',
              note: 'a display server, mostly',
            },
            0,
          ),
        ]),
  ];
  return judged(check, {
    device: gpuNamed(ordinal),
    findings,
    possible: findings.some(({ verdict }) => verdict !== 'skipped'),
    cause: causeNamed('busy'),
  });
}

export const load: Criterion<'load'> = {
  kind: 'load',
  repeats: false,
  judge: (check, { surroundings: { busy }, machine: { gpus }, source }) => [
    cpuLoad(check, busy, source),
    ...(gpus?.devices ?? []).map((gpu) => gpuLoad(check, gpu, mayHideOthers(gpus), source)),
  ],
};
