/**
 * Follows a submission to its end: hands over what is to be done, asks the scheduler, collects results, tries again what was lost as
 * often as it may. Each change is in the journal before anything follows from it, so a killed one goes on where it stood.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, messageOf, UserError } from '../errors.js';
import { formatSeconds } from '../quantities/format.js';
import type { Seconds } from '../units.js';
import { CannotKeep } from './cannot-keep.js';
import { collect, printedDelivery, sharedDelivery } from './collect.js';
import { type AttemptEnd, appendToSubmission, readSubmission, type SubmissionHead } from './journal.js';
import { attemptName } from './names.js';
import type { Connection, JobState, Submitted } from './scheduler.js';
import { lastEnd, statesOf, type TargetState } from './state.js';
import type { Delivery, Task } from './task.js';

/** Schedulers are shared by many: they are asked seldom, and at first more often. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
const SLOWER = 1.3;
/**
 * Other machines' files are seen late through a network file system: NFS takes a folder for unchanged up to 60 s (acdirmax), and the
 * next look is up to 10 s away.
 */
const SEEN_WITHIN: Seconds = 90;
/** A scheduler tells in a moment why it ended what it ended. */
const TOLD_WITHIN: Seconds = 15;
/** A scheduler forgets jobs, and a job that was just submitted may not be listed yet. */
const KNOWN_WITHIN: Seconds = 20;
/** One that is restarted does not answer for a while, nor does a network. */
const SILENT_WITHIN: Seconds = 600;
/** A node that misses one look of its controller, or a registry that fails once, is well again in a moment. */
const HOPELESS_WITHIN: Seconds = 60;

export interface FollowHooks {
  readonly onEnd: (end: AttemptEnd) => void;
  readonly onWait: (waiting: readonly WaitingTarget[]) => void;
  /** Aborted: leave everything as it is. */
  readonly signal: AbortSignal;
}

export interface WaitingTarget {
  readonly target: string;
  readonly phase: 'waiting' | 'running';
  readonly why: string | null;
}

interface Following {
  readonly folder: string;
  readonly head: SubmissionHead;
  readonly connection: Connection;
  readonly hooks: FollowHooks;
  /** When an end, a job's absence and the like was first seen; in milliseconds. By target and attempt. */
  readonly firstSeen: Map<string, number>;
  /** Whether the scheduler has answered yet; what it refuses from the start it refuses for ever. */
  answered: boolean;
}

const now = (): string => new Date().toISOString();
const keyOf = ({ target, attempt }: TargetState, what: string): string => `${target}.${attempt}.${what}`;

const taskOf = (head: SubmissionHead, folder: string, target: string, attempt: number): Task => ({
  command: head.command,
  cwd: head.cwd,
  folder,
  token: head.token,
  target,
  attempt,
  files: head.files,
  mostBytes: head.mostBytes,
});

export const tasksOf = (
  head: SubmissionHead,
  folder: string,
  targets: readonly string[],
  attempt: number,
): readonly Task[] => targets.map((target) => taskOf(head, folder, target, attempt));

/** Seconds since this was first asked with this key. */
function since(firstSeen: Map<string, number>, key: string): Seconds {
  const first = firstSeen.get(key) ?? Date.now();
  firstSeen.set(key, first);
  return (Date.now() - first) / 1000;
}

const statesNow = (folder: string): readonly TargetState[] => [...statesOf(readSubmission(folder)).values()];

/** Hands over what is to be done, attempt by attempt. @throws UserError when the scheduler refuses */
async function submitDue(
  { folder, head, connection }: Following,
  states: readonly TargetState[],
): Promise<void> {
  const due = states.filter(({ phase }) => phase === 'to-do');
  for (const attempt of new Set(due.map((state) => state.attempt + 1))) {
    const targets = due.filter((state) => state.attempt + 1 === attempt).map(({ target }) => target);
    appendToSubmission(folder, { event: 'submitting', targets, attempt, at: now() });
    const jobs = await connection.submit(tasksOf(head, folder, targets, attempt));
    appendToSubmission(folder, { event: 'submitted', jobs: [...jobs], attempt, at: now() });
  }
}

/** After a kill between handing over and noting it: what arrived is adopted, the rest is handed over again. */
async function adopt({ folder, head, connection }: Following): Promise<void> {
  const open = statesNow(folder).filter(({ phase }) => phase === 'submitting');
  for (const attempt of new Set(open.map((state) => state.attempt))) {
    const targets = open.filter((state) => state.attempt === attempt).map(({ target }) => target);
    const tasks = tasksOf(head, folder, targets, attempt);
    const found = await connection.find(tasks);
    const missing = tasks.filter(({ target }) => !found.some((job) => job.target === target));
    const again = missing.length === 0 ? [] : await connection.submit(missing);
    appendToSubmission(folder, { event: 'submitted', jobs: [...found, ...again], attempt, at: now() });
  }
}

/** @param mayRetry whether it is certain that nothing of it runs any more */
function end(
  following: Following,
  state: TargetState,
  how: Pick<AttemptEnd, 'node' | 'exitCode' | 'reason' | 'record'>,
  mayRetry = true,
): void {
  const { target, attempt } = state;
  const again = mayRetry && how.exitCode === null && attempt <= following.head.retries;
  const entry: AttemptEnd = { event: 'ended', target, attempt, ...how, again, at: now() };
  appendToSubmission(following.folder, entry);
  following.hooks.onEnd(entry);
}

const lost = (following: Following, state: TargetState, node: string | null, reason: string): void =>
  end(following, state, { node, exitCode: null, reason, record: null });

/** pi-bench was told to stop: what it has of its record is there, and another attempt may have all of it. */
const isInterrupted = ({ exitCode }: Delivery): boolean => exitCode > EXIT.signal(0);

function delivered(
  following: Following,
  state: TargetState,
  delivery: Delivery,
  seen: JobState | undefined,
): void {
  // Who told it to stop, and why, the scheduler knows.
  const stopped = isInterrupted(delivery) && seen?.phase === 'ended' && !seen.itself ? seen.reason : null;
  const reasonOf = (said: string | null): string | null =>
    [stopped, said].filter((text) => text !== null).join('; ') || null;
  if (isInterrupted(delivery) && state.attempt <= following.head.retries) {
    lost(following, state, delivery.node, reasonOf(delivery.said) ?? 'it was interrupted');
    return;
  }
  if (delivery.target !== state.target || delivery.attempt !== state.attempt) {
    const whose = attemptName(delivery.target, delivery.attempt);
    lost(following, state, delivery.node, `its job brought the result of another attempt (${whose})`);
    return;
  }
  try {
    const { node, exitCode, said, record } = collect(following.folder, delivery);
    const why =
      reasonOf(said) ?? (exitCode === EXIT.done ? null : `pi-bench ended with exit code ${exitCode}`);
    end(following, state, { node, exitCode, reason: why, record });
  } catch (error) {
    if (error instanceof CannotKeep) throw error;
    lost(following, state, delivery.node, messageOf(error));
  }
}

/** What is not so any more is counted from its beginning when it comes again. */
function forgetPast({ firstSeen }: Following, state: TargetState, seen: JobState | undefined): void {
  const isHopeless = seen?.phase === 'waiting' && seen.hopeless === true;
  if (!isHopeless) firstSeen.delete(keyOf(state, 'hopeless'));
  if (seen === undefined) return;
  firstSeen.delete(keyOf(state, 'unknown'));
  if (seen.phase !== 'ended') firstSeen.delete(keyOf(state, 'ended'));
}

/** What a job printed that has ended; where it cannot be read at the moment, and may be later: why. */
async function printed(
  { connection, firstSeen }: Following,
  state: TargetState,
  job: Submitted,
  seen: Extract<JobState, { phase: 'ended' }>,
): Promise<{ readonly text: string } | { readonly unread: string }> {
  const key = keyOf(state, 'unread');
  try {
    const text = await connection.output(job, state.attempt);
    firstSeen.delete(key);
    return { text };
  } catch (error) {
    // Of a program that came to its end there is a result; of what was killed hardly.
    if (!seen.itself || since(firstSeen, key) >= SILENT_WITHIN) throw error;
    return { unread: messageOf(error) };
  }
}

/** A job of which nothing came back. null: that is settled now. */
async function withoutResult(
  following: Following,
  state: TargetState,
  job: Submitted,
  seen: JobState | undefined,
): Promise<WaitingTarget | null> {
  const { connection, head, firstSeen } = following;
  const { target, attempt } = state;
  if (seen === undefined) {
    if (since(firstSeen, keyOf(state, 'unknown')) < KNOWN_WITHIN)
      return { target, phase: 'waiting', why: 'not listed' };
    lost(following, state, null, `the scheduler no longer knows job ${job.job}, and it left no result`);
    return null;
  }
  if (seen.phase === 'ended') {
    if (seen.itself && since(firstSeen, keyOf(state, 'ended')) < SEEN_WITHIN)
      return { target, phase: 'running', why: 'its result is not seen yet' };
    const said = await connection.said(job, attempt);
    lost(following, state, seen.node, said === '' ? seen.reason : `${seen.reason}: ${said}`);
    return null;
  }
  const isLate = (what: string): boolean =>
    head.giveUp !== null && since(firstSeen, keyOf(state, what)) >= head.giveUp;
  const patience = formatSeconds(head.giveUp ?? 0, 2);
  if (seen.phase === 'running') {
    const { node, unseen } = seen;
    if (unseen === undefined) return { target, phase: 'running', why: node === target ? null : node };
    // Of what runs the reasons are not told, and here somebody may have to do something.
    if (!isLate('unseen')) return { target, phase: 'waiting', why: `${unseen.why}, ${unseen.meanwhile}` };
    const reason = `nothing came of it within ${patience}: ${unseen.why}; as it may run there, it is not begun again: submit it anew`;
    end(following, state, { node, exitCode: null, reason, record: null }, false);
    return null;
  }
  const late = isLate('waiting');
  const hopeless = seen.hopeless === true && since(firstSeen, keyOf(state, 'hopeless')) >= HOPELESS_WITHIN;
  if (!hopeless && !late) return { target, phase: 'waiting', why: seen.why };
  try {
    await connection.cancel(job, attempt);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // The next look tries again: who cannot be reached for a moment must not end the following of all nodes.
    return { target, phase: 'waiting', why: messageOf(error) };
  }
  const why = seen.why ?? 'no reason known';
  const reason = late ? `did not begin within ${patience}: ${why}` : why;
  lost(following, state, null, reason);
  return null;
}

/** null: this attempt is settled now. */
async function look(
  following: Following,
  state: TargetState,
  job: Submitted,
  seen: JobState | undefined,
): Promise<WaitingTarget | null> {
  const { folder, firstSeen } = following;
  const { target, attempt } = state;
  forgetPast(following, state, seen);
  let delivery: Delivery | null;
  try {
    delivery = sharedDelivery(folder, target, attempt);
    if (delivery === null && seen?.phase === 'ended') {
      const output = await printed(following, state, job, seen);
      if ('unread' in output) return { target, phase: 'running', why: output.unread };
      delivery = printedDelivery(output.text, target);
    }
  } catch (error) {
    // Why a pod, or a job, came to its end says more than that its output is gone with it.
    const known = seen?.phase === 'ended' && !seen.itself ? seen : null;
    const said = [known?.reason, messageOf(error)].filter((text) => text !== undefined).join('; ');
    lost(following, state, known?.node ?? null, said);
    return null;
  }
  if (delivery === null) return withoutResult(following, state, job, seen);
  const untold = isInterrupted(delivery) && seen !== undefined && seen.phase !== 'ended';
  if (untold && since(firstSeen, keyOf(state, 'interrupted')) < TOLD_WITHIN)
    return { target, phase: 'running', why: 'it was interrupted' };
  delivered(following, state, delivery, seen);
  return null;
}

/** A result that came to a shared folder only after its attempt was taken for lost. */
function lookAgain(following: Following, states: readonly TargetState[]): void {
  for (const state of states) {
    const end = lastEnd(state);
    if (state.phase !== 'ended' || end === null || end.exitCode !== null) continue;
    let delivery: Delivery | null = null;
    try {
      delivery = sharedDelivery(following.folder, state.target, end.attempt);
    } catch {
      // It was damaged before, and is so now.
    }
    if (delivery !== null) delivered(following, state, delivery, undefined);
  }
}

const SILENT = 'silent';

/** What the scheduler says; nothing of any job while it does not answer. @throws UserError where it never did, or not for long */
async function observed(
  following: Following,
  jobs: readonly Submitted[],
  attempts: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, JobState> | null> {
  const { connection, hooks, firstSeen } = following;
  try {
    const seen = await connection.observe(jobs, attempts);
    following.answered = true;
    firstSeen.delete(SILENT);
    return seen;
  } catch (error) {
    const lasting = !following.answered || since(firstSeen, SILENT) >= SILENT_WITHIN;
    if (!(error instanceof UserError) || lasting) throw error;
    hooks.onWait(jobs.map(({ target }) => ({ target, phase: 'waiting', why: error.message })));
    return null;
  }
}

/**
 * Resolves with the jobs that still run: none, or some where the signal came.
 * @throws UserError when the scheduler refuses, or results cannot be kept here
 */
export async function follow(
  folder: string,
  connection: Connection,
  hooks: FollowHooks,
): Promise<readonly Submitted[]> {
  const { head } = readSubmission(folder);
  const following: Following = { folder, head, connection, hooks, firstSeen: new Map(), answered: false };
  await adopt(following);
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * SLOWER)) {
    const states = statesNow(folder);
    await submitDue(following, states);
    const open = statesNow(folder).flatMap((state) =>
      state.phase === 'submitted' && state.job !== null
        ? [{ state, job: { target: state.target, job: state.job } }]
        : [],
    );
    const jobs = open.map(({ job }) => job);
    if (open.length === 0) lookAgain(following, states);
    if (open.length === 0 || hooks.signal.aborted) return jobs;
    const attempts = new Map(open.map(({ state }) => [state.target, state.attempt]));
    const seen = await observed(following, jobs, attempts);
    if (seen !== null) {
      const waiting: WaitingTarget[] = [];
      for (const { state, job } of open) {
        const one = await look(following, state, job, seen.get(job.job));
        if (one !== null) waiting.push(one);
      }
      hooks.onWait(waiting);
      // Something ended: there may be more to hand over at once.
      if (waiting.length < open.length) continue;
    }
    await sleep(wait, undefined, { signal: hooks.signal }).catch(() => {});
  }
}
