/**
 * `doctor --self-test`: injects faults into a real campaign, one after the other, and looks whether each was caught: a wrong
 * output, calls that do nothing, a slow repetition, a stall, a crash, an altered contribution of a rank and the loss of one. Of the
 * flags it tests `outlying` alone. A check that cannot fail is worth nothing, so these are made to.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../errors.js';
import type { MachineDescription } from '../machine/types.js';
import type { FaultKind } from '../native.js';
import { NO_SAMPLES } from '../record/samples.js';
import type { BatchSpec, Campaign, PiBenchRecord, RecordInspection } from '../record/schema.js';
import { beginCampaign } from './begin-campaign.js';
import { runCampaign } from './run-campaign.js';

export interface SelfTestResult {
  readonly what: string;
  readonly caught: boolean;
  /** What pi-bench said of it. */
  readonly saw: string;
}

interface TriedResult extends SelfTestResult {
  /** Exit code of a signal that came; null: none did. */
  readonly signalled: number | null;
}

/** The repetition in which a fault happens, of the second of three launches. */
export const AT = 120;
const FAULTY = 1;
/** So near the end that neither the median nor a rate above the peak tells. */
const LATE = 280;

const BATCH: BatchSpec = {
  case: {
    indicator: 'matmul',
    parameters: { m: 128, n: 128, k: 128, dtype: 'float32', threads: 1, pin: true, cache: 'hot' },
  },
  stack: { provider: 'embedded', variant: null },
  device: 'cpu',
  inspections: 3,
  sampling: { kind: 'fixed', repetitions: 300 },
  warmup: { kind: 'count', count: 50 },
  // No launch comes near it, also where a process takes seconds to start.
  timeout: 60,
};

/** A launch that hangs is waited for: no longer than a slow start of the others takes. */
const HANGING: BatchSpec = { ...BATCH, timeout: 5 };

/** Of ranks that are processes: one of them can be lost without the others. */
const RANKS: BatchSpec = {
  ...BATCH,
  case: {
    indicator: 'collective',
    parameters: {
      operation: 'all-reduce',
      bytes: 4096,
      dtype: 'float32',
      redop: 'sum',
      root: -1,
      inPlace: false,
      pattern: 'none',
      ranks: 2,
      workers: 'processes',
      pin: false,
      sync: 'barrier',
      inputs: 'fresh',
      transport: 'shm',
      algorithm: 'direct',
    },
  },
};

interface Expectation {
  readonly what: string;
  readonly fault: FaultKind | null;
  /** The repetition; left out: the usual one. */
  readonly at?: number;
  /** Left out: a matrix product. */
  readonly batch?: BatchSpec;
  /** What the record must say, or null when it does not; `seconds` are the repetitions of the launch with the fault. */
  readonly caught: (record: PiBenchRecord, exitCode: number, seconds: Float64Array) => string | null;
}

const launch = (record: PiBenchRecord, index: number) => record.batches[0]?.inspections[index];
const othersMeasured = (record: PiBenchRecord): boolean => record.batches[0]?.measured === 2;

const wrongCaught: Expectation['caught'] = (record, exitCode) => {
  const wrong = launch(record, FAULTY);
  const noScore = record.batches[0]?.rate === null && exitCode === EXIT.wrongResult;
  return wrong?.status === 'wrong' && noScore
    ? `no score, exit code 3: ${wrong.verification?.firstWrong}`
    : null;
};

/**
 * Whether the flag of slow repetitions is up and means the one that was made slow: on a busy machine others may be slower.
 * @param seconds of each repetition
 * @returns what is said of it; null: it was not caught
 */
export function slowCaught(flags: RecordInspection['flags'], seconds: Float64Array): string | null {
  const flag = flags.find(({ name }) => name === 'outlying');
  const threshold = flag?.evidence.thresholdSeconds;
  return flag !== undefined && typeof threshold === 'number' && (seconds[AT] ?? 0) > threshold
    ? flag.reason
    : null;
}

const EXPECTATIONS: readonly Expectation[] = [
  {
    what: 'no fault: measured and verified',
    fault: null,
    caught: (record, exitCode) => {
      const batch = record.batches[0];
      const verified = batch?.verified === 'passed' && batch.measured === 3 && exitCode === EXIT.done;
      return verified ? '3 launches measured and verified' : null;
    },
  },
  {
    what: 'one wrong element of the output',
    fault: 'wrong-element',
    caught: wrongCaught,
  },
  {
    what: 'calls that leave all to those before them',
    fault: 'skipped-calls',
    at: LATE,
    caught: wrongCaught,
  },
  {
    what: 'one slow repetition',
    fault: 'slow-repetition',
    caught: (record, _, seconds) => slowCaught(launch(record, FAULTY)?.flags ?? [], seconds),
  },
  {
    what: 'a stall',
    fault: 'stall',
    batch: HANGING,
    caught: (record, exitCode) => {
      const hung = launch(record, FAULTY);
      const kept = othersMeasured(record) && exitCode === EXIT.incomplete;
      return hung?.status === 'timed-out' && kept ? `${hung.reason}; the other launches are kept` : null;
    },
  },
  {
    what: 'a crash',
    fault: 'crash',
    caught: (record, exitCode) => {
      const crashed = launch(record, FAULTY);
      const kept = othersMeasured(record) && exitCode === EXIT.incomplete;
      return crashed?.status === 'crashed' && kept ? `${crashed.reason}; the other launches are kept` : null;
    },
  },
  {
    what: 'an altered contribution of one rank',
    fault: 'corrupt-rank',
    batch: RANKS,
    caught: wrongCaught,
  },
  {
    what: 'a rank that is killed',
    fault: 'lost-rank',
    batch: RANKS,
    caught: (record, exitCode) => {
      const lost = launch(record, FAULTY);
      const kept = othersMeasured(record) && exitCode === EXIT.incomplete;
      const named = lost?.status === 'failed' && lost.reason?.includes('rank 1') === true;
      return named && kept ? `${lost.reason}; the other launches are kept` : null;
    },
  },
];

async function tryOne(
  { what, fault, caught, at = AT, batch = BATCH }: Expectation,
  folder: string,
  machine: MachineDescription,
): Promise<TriedResult> {
  const createdAt = new Date().toISOString();
  const campaign: Campaign = {
    id: `self-test-${fault ?? 'none'}`,
    createdAt,
    command: ['doctor', '--self-test'],
    seed: 1,
    batches: [batch],
    fault: fault === null ? null : { inspection: FAULTY, kind: fault, at },
  };
  const start = beginCampaign(campaign, folder, machine);
  const { record, exitCode, came } = await runCampaign(start, {
    quiet: true,
    wait: true,
    strict: false,
    resumed: null,
  });
  const seconds = start.store.readInspection(FAULTY)?.samples.seconds ?? NO_SAMPLES.seconds;
  const saw = caught(record, exitCode, seconds);
  return { what, caught: saw !== null, saw: saw ?? 'NOT CAUGHT', signalled: came };
}

/**
 * What a signal cut short says nothing of a fault: it ends the self-test, without a result.
 * @returns the exit code: 0 all were caught, 1 one was not, that of a signal where one came
 */
export async function selfTest(
  machine: MachineDescription,
  onResult: (result: SelfTestResult) => void,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'pi-bench-self-test-'));
  try {
    let all = true;
    for (const expectation of EXPECTATIONS) {
      const { signalled, ...result } = await tryOne(expectation, folder, machine);
      if (signalled !== null) return signalled;
      onResult(result);
      all &&= result.caught;
    }
    return all ? EXIT.done : EXIT.answerIsNo;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
