/**
 * Counters of devices between the look before a run and the one after it: what came between two launches, where no launch counts, and
 * what no launch counts at all, errors of the host's memory. Pure.
 */
import { gpuNamed } from '../../devices/device.js';
import type { GpuDescription, RemappedRows } from '../../machine/gpus.js';
import type { Finding } from '../../record/schema.js';
import { newRemaps } from '../../telemetry/gpu.js';
import { type Cause, causeNamed } from '../causes.js';
import { atMost, skipped } from '../findings.js';
import { namedParts } from '../suite.js';
import type { CheckOf } from '../suite-file.js';
import { type Aftermath, type Context, type Judgement, judged, type MemoryErrors } from './criterion.js';

const SOURCE = 'none may come in a run';

/** A counter that was set back meanwhile, by a reset or a boot, has counted what it has now. */
const grown = (before: number, after: number): number => (after >= before ? after - before : after);

function hostFindings(before: MemoryErrors, after: MemoryErrors, allowed: number): readonly Finding[] {
  return [
    atMost(
      {
        quantity: 'new_uncorrected_memory_errors',
        measured: grown(before.uncorrected, after.uncorrected),
        source: SOURCE,
      },
      0,
    ),
    atMost(
      {
        quantity: 'new_corrected_memory_errors',
        measured: grown(before.corrected, after.corrected),
        source: SOURCE,
        otherwise: 'warn',
      },
      allowed,
    ),
  ];
}

function ofHost(check: CheckOf<'counters'>, { surroundings, source }: Context, after: Aftermath): Judgement {
  const [before, now] = [surroundings.memoryErrors, after.memoryErrors];
  if (before === null || now === null) {
    const why = 'the memory controllers do not tell (EDAC; a virtual machine)';
    return judged(check, {
      device: 'cpu',
      possible: false,
      findings: [skipped('memory_errors', why, source)],
      cause: null,
    });
  }
  const uncorrected = grown(before.uncorrected, now.uncorrected) > 0;
  return judged(check, {
    device: 'cpu',
    findings: hostFindings(before, now, check.correctedAtMost ?? 0),
    cause: causeNamed(uncorrected ? 'memory-errors' : 'corrected-errors'),
  });
}

function rowFindings(before: RemappedRows, after: RemappedRows): readonly Finding[] {
  const fresh = newRemaps({ problem: null, remappedRowsBefore: before, remappedRows: after });
  const looked = [
    ['new_failed_remaps', fresh?.failed],
    ['new_pending_remaps', fresh?.pending],
    ['new_rows_uncorrected', fresh?.uncorrected],
    ['new_rows_corrected', fresh?.corrected],
  ] as const;
  return looked.map(([quantity, count]) =>
    atMost({ quantity, measured: count === undefined ? null : Number(count), source: SOURCE }, 0),
  );
}

function ofGpu(check: CheckOf<'counters'>, gpu: GpuDescription, source: string, after: Aftermath): Judgement {
  const device = gpuNamed(gpu.ordinal);
  const notSeen = (why: string): Judgement =>
    judged(check, {
      device,
      possible: false,
      findings: [skipped('remapped_rows', why, source)],
      cause: null,
    });
  const open = (why: string, cause: Cause | null): Judgement =>
    judged(check, {
      device,
      findings: [{ ...skipped('remapped_rows', why, source), verdict: 'inconclusive' }],
      cause,
    });
  const rows = gpu.remappedRows;
  if (rows == null) return notSeen(gpu.nvmlProblem ?? 'this GPU does not tell its replaced rows');
  if ('unheard' in after.gpus) {
    const why = `the GPUs could not be asked again: ${after.gpus.unheard}`;
    // Who had all the time that there is and said nothing may hang, or be asleep.
    return after.gpus.noTime ? notSeen(why) : open(why, null);
  }
  const { devices, problem } = after.gpus;
  const now = devices.find(({ uuid }) => uuid === gpu.uuid);
  const later = now?.remappedRows;
  // A GPU that told them and is gone, or is silent now, is an open question.
  if (later == null) {
    const why = now === undefined && problem !== null ? `: ${problem}` : '';
    return open(`after the run this GPU did not tell them any more${why}`, causeNamed('driver-fault'));
  }
  const cause =
    later.failed && !rows.failed
      ? 'remap-failed'
      : later.pending && !rows.pending
        ? 'remap-pending'
        : 'rows-replaced';
  return judged(check, { device, findings: rowFindings(rows, later), cause: causeNamed(cause) });
}

/** One judgement for the host, and one for each GPU, of the first attempt; others are of the same run. */
export function overTheRun(check: CheckOf<'counters'>, context: Context): readonly Judgement[] {
  const { after, record, reference, machine, source, surroundings } = context;
  // A check that names parts is of those alone.
  if (after === null || record === null || reference !== null || namedParts(check) !== null) return [];
  if (record.batches.length === 0) return [];
  const before = ({ uuid }: GpuDescription): GpuDescription | undefined =>
    surroundings.gpus?.find((one) => one.uuid === uuid);
  const gpus = (machine.gpus?.devices ?? []).map((gpu) => ({
    ...gpu,
    remappedRows: before(gpu)?.remappedRows ?? gpu.remappedRows ?? null,
  }));
  return [ofHost(check, context, after), ...gpus.map((gpu) => ofGpu(check, gpu, source, after))];
}
