/**
 * Runs a campaign from where it stands to its record: waits for the machine, conducts, writes, and says how it ended.
 * `matmul`, `sweep`, `run` and `resume` differ only in where it stands.
 */
import { constants } from 'node:os';
import { type Conducted, conduct } from '../campaign/conduct.js';
import { doneSoFar } from '../campaign/progress-of-journal.js';
import { cpuParts, cpusOfPart } from '../devices/cpu-parts.js';
import { EXIT, UserError } from '../errors.js';
import type { Engine } from '../execution/engine.js';
import { makeLocalEngine } from '../execution/local.js';
import { lockMachine, type MachineLock, shareMachine } from '../execution/machine-lock.js';
import { monotonic } from '../inspection/job.js';
import type { MachineDescription } from '../machine/types.js';
import type { PiBenchIdentity } from '../package.js';
import { buildRecord } from '../record/build.js';
import type { Campaign, PiBenchRecord } from '../record/schema.js';
import type { JournalEntry } from '../store/journal.js';
import type { Store } from '../store/store.js';
import { timerMs } from '../timer.js';
import type { Seconds } from '../units.js';
import { analyseCampaign } from './analyse-campaign.js';
import { coresHere, onlineCpus } from './here.js';
import { makeProgress } from './progress.js';
import { say } from './say.js';
import { type Stopper, stopOnSignals } from './signals.js';
import { tellWaiting } from './waiting.js';

/** What a campaign came to. */
export interface Finished {
  readonly record: PiBenchRecord;
  readonly path: string;
}

export interface CampaignStart {
  readonly campaign: Campaign;
  readonly store: Store;
  /** Of the machine and the pi-bench that began the campaign. */
  readonly machine: MachineDescription;
  readonly piBench: PiBenchIdentity;
  /** The journal so far, its first line included. */
  readonly journal: readonly JournalEntry[];
  /** Where nothing of it is left to launch: it stays as it is. */
  readonly finished?: Finished;
  /** Nothing of it is left to launch either, but its record is to be made. */
  readonly lacksRecordOnly?: boolean;
}

export interface RunOptions {
  readonly quiet: boolean;
  readonly wait: boolean;
  /** A precision that was not reached, or a comparison that was not settled, is the answer no. */
  readonly strict: boolean;
  /** Absent: the local one. */
  readonly engine?: Engine;
  /** CLOCK_MONOTONIC at which a running launch is ended, too; null: never. */
  readonly until?: Seconds | null;
  /** The folder by which it is resumed, should it not come to its end; absent: its own; null: it cannot be. */
  readonly resumed?: string | null;
  /**
   * Waited for before anything is launched, once no other campaign is in the way; not called where nothing is left to launch.
   * @param waited for that
   */
  readonly onMachine?: (waited: Seconds) => Promise<void>;
}

export interface CampaignEnd extends Finished {
  readonly exitCode: number;
  /** Of the signal that stopped it, whatever else its exit code tells first; null: none did. */
  readonly signalled: number | null;
  /** Of a signal that came, also where nothing was left that it could stop: nothing else is begun. null: none came. */
  readonly came: number | null;
  /** Until another campaign was done: no part of a budget. */
  readonly waited: Seconds;
}

const codeOf = (signal: NodeJS.Signals | null): number | null =>
  signal === null ? null : EXIT.signal(constants.signals[signal]);

/** What was asked for as a goal and not reached has been measured all the same: only who is strict minds. */
function exitCodeOf(
  record: PiBenchRecord,
  { settled }: Conducted,
  signal: NodeJS.Signals | null,
  strict: boolean,
): number {
  if (record.batches.some(({ verified }) => verified === 'failed')) return EXIT.wrongResult;
  const code = record.status === 'interrupted' ? codeOf(signal) : null;
  if (code !== null) return code;
  if (record.status !== 'complete') return EXIT.incomplete;
  const missed = !settled || record.batches.some(({ precision }) => precision?.reached === false);
  return strict && missed ? EXIT.answerIsNo : EXIT.done;
}

function sayEndedAtOnce(name: NodeJS.Signals, resumed: string | null): void {
  const what = `${name} once more: ended at once, without a record`;
  say(resumed === null ? what : `${what}; pi-bench resume ${resumed} goes on with what was measured`);
}

/** Its analysis would be beside what it waited for. Everything is there, and stays so. */
const leftWaiting = (name: NodeJS.Signals, resumed: string | null): UserError => {
  const what = 'stopped before its record was made, for which all is measured';
  return new UserError(
    resumed === null ? what : `${what}: pi-bench resume ${resumed} makes it`,
    EXIT.signal(constants.signals[name]),
  );
};

interface Taken {
  /** null: there is nothing to measure or to analyse, or the campaign was stopped while it waited: then nothing is launched, and the record holds what was measured earlier. */
  readonly lock: MachineLock | null;
  readonly waited: Seconds;
}

async function takeMachine(
  id: string,
  wait: boolean,
  onContended: (by: string) => void,
  stopper: Stopper,
  engine: Engine,
): Promise<Taken> {
  const self = `campaign ${id} (pid ${process.pid})`;
  if (!wait) return { lock: await shareMachine(self, onContended), waited: 0 };
  const waiting = tellWaiting(say, monotonic);
  let lock: MachineLock | null = null;
  let waited: Seconds;
  try {
    lock = await lockMachine(
      self,
      (holder) => {
        engine.rest?.();
        waiting.begin(holder);
      },
      onContended,
      stopper.signal,
    );
  } catch (error) {
    if (!stopper.signal.aborted) throw error;
  } finally {
    waited = waiting.end(lock !== null);
  }
  return { lock, waited };
}

/** Runs what the journal does not call done, writes the record. The store's journal must already hold `journal`. */
export async function runCampaign(start: CampaignStart, options: RunOptions): Promise<CampaignEnd> {
  const { campaign, store, machine, finished, lacksRecordOnly = false } = start;
  const before = doneSoFar(start.journal);
  const resumed = (): string | null => (options.resumed === undefined ? store.folder() : options.resumed);
  const stopper = stopOnSignals(
    (name) => say(`${name}: stopping after the running repetition; what was measured is kept`),
    (name) => sayEndedAtOnce(name, resumed()),
  );
  const never = Number.POSITIVE_INFINITY;
  const until = options.until ?? null;
  const timeUp = until === null ? undefined : setTimeout(stopper.stop, timerMs(until - monotonic()));
  const isIdle =
    before.complete || lacksRecordOnly || finished !== undefined || campaign.batches.length === 0;
  let contendedBy = before.contendedBy;
  let measuring = !isIdle;
  const onContended = (by: string): void => {
    // Who is there while the record is made has spoilt nothing here.
    if (!measuring) return;
    if (contendedBy === null) say(`${by} measures beside this campaign: it will be flagged`);
    contendedBy ??= by;
    store.append({ event: 'contended', by, at: new Date().toISOString() });
  };

  const engine = options.engine ?? makeLocalEngine(null);
  const progress = await makeProgress(options.quiet);
  // Until the record is written, and also where nothing else is left to do: nobody is to measure beside the threads that analyse. Who does
  // not wait for that shares no machine: others would be flagged for ever for what measures nothing.
  const takes = finished === undefined && campaign.batches.length > 0 && (options.wait || !isIdle);
  const { lock, waited } = takes
    ? await takeMachine(campaign.id, options.wait, onContended, stopper, engine)
    : { lock: null, waited: 0 };
  try {
    let began: Seconds;
    let launched = false;
    let conducted: Conducted;
    try {
      const early = stopper.came();
      // A deadline is a promise of a verdict, which is made beside others, too.
      if (takes && isIdle && lock === null && early !== null) {
        stopper.release();
        throw leftWaiting(early, resumed());
      }
      if (!isIdle && !stopper.signal.aborted) await options.onMachine?.(waited);
      began = monotonic();
      conducted = await conduct(
        {
          campaign,
          store,
          engine,
          cores: coresHere(),
          cpusOf: (device) => cpusOfPart(device, cpuParts(machine)),
          onlineCpus: onlineCpus(machine),
          onProgress: progress.update,
          onEnd: (end, secondsLeft) => {
            launched = true;
            progress.ended(end, secondsLeft);
          },
          signal: stopper.signal,
          deadline:
            finished === undefined && !lacksRecordOnly
              ? Math.min(until ?? never, began + (campaign.budget ?? never) - before.active)
              : Number.NEGATIVE_INFINITY,
        },
        before.ends,
        before.attempts,
      );
    } finally {
      measuring = false;
      progress.stop();
      clearTimeout(timeUp);
    }

    // Nothing was measured since: who looks at it again must not make its time longer.
    if (finished !== undefined) {
      stopper.release();
      const exitCode = exitCodeOf(finished.record, conducted, null, options.strict);
      return { ...finished, exitCode, signalled: null, came: codeOf(stopper.came()), waited };
    }
    const noteSignal = (name: NodeJS.Signals): void =>
      store.append({ event: 'interrupted', signal: name, at: new Date().toISOString() });
    const signal = stopper.came();
    if (signal === null && conducted.stoppedBy === 'signal')
      conducted = { ...conducted, stoppedBy: 'budget' };
    if (signal !== null) noteSignal(signal);
    // To find that no launch fits into what is left of a budget is no part of what the result took.
    const active = launched ? monotonic() - began : 0;
    const record = buildRecord({
      campaign,
      machine,
      piBench: start.piBench,
      ...conducted,
      contendedBy,
      analysed: await analyseCampaign(store.folder(), conducted.ends, contendedBy),
      wall: before.active + active,
      lostEarlier: before.lost,
    });
    const path = store.writeRecord(record);
    const came = stopper.came();
    if (signal === null && came !== null) noteSignal(came);
    store.append({ event: 'stopped', active, status: record.status, at: new Date().toISOString() });
    stopper.release();
    const exitCode = exitCodeOf(record, conducted, signal, options.strict);
    const signalled = record.status === 'interrupted' ? codeOf(signal) : null;
    return { record, path, exitCode, signalled, came: codeOf(came), waited };
  } finally {
    lock?.release();
  }
}
