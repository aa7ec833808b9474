/** Which candidates of a stack file are taken: tried in their order until enough of them can be measured; what was left out, and why. */
import { dirname, resolve } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import { canonicalJson } from '../record/digest.js';
import {
  type Candidate,
  type Candidates,
  candidatesOf,
  rangeKey,
  type Strategy,
  tryingOrder,
} from '../stacks/own/candidates.js';
import { lockDigest, type StackLock } from '../stacks/own/lock.js';
import { publishedVersions } from '../stacks/own/npm.js';
import { type Hooks, resolveLock, withScratch } from '../stacks/own/provision.js';
import { wantsPackages } from '../stacks/own/request.js';
import type { AskedStack } from '../stacks/own/stack-file.js';
import { checkBatchCount } from './create-campaign.js';

/** So many can be put in order at once. */
const MOST_POSSIBLE = 1_000_000;
/** Without a count, so many can be tried. */
const MOST_WITHOUT_COUNT = 500;
/** With a count, so many may be skipped before it is found: each may take its time to resolve, and a million are possible. */
const MOST_SKIPPED = 500;

export interface Skipped {
  readonly name: string;
  readonly why: string;
}

export interface Resolved {
  readonly candidate: Candidate;
  /** null: it has no packages. */
  readonly lock: StackLock | null;
}

export interface Taken<Made> extends Resolved {
  readonly made: Made;
}

export interface Exploration<Made> {
  readonly strategy: Strategy;
  readonly count: number | null;
  readonly possible: number;
  readonly taken: readonly Taken<Made>[];
  readonly skipped: readonly Skipped[];
  /** So many were skipped that no more were tried, although more were wanted. */
  readonly gaveUp: boolean;
}

export interface ExploreQuestion {
  readonly file: string;
  readonly stacks: readonly AskedStack[];
  readonly strategy: Strategy;
  /** null: all. */
  readonly count: number | null;
  readonly seed: number;
  /** So many batches a candidate is measured as. @throws where it cannot be asked for here */
  readonly batchesOf: (one: Candidate) => number;
}

/** The versions that every range allows; a package whose versions cannot be had takes its entry with it. */
async function publishedOf(
  stacks: readonly AskedStack[],
  { onStep }: Hooks,
): Promise<{ published: Map<string, readonly string[]>; skipped: readonly Skipped[] }> {
  const published = new Map<string, readonly string[]>();
  const skipped: Skipped[] = [];
  for (const { name, npm } of stacks) {
    if (npm === null || npm.lockfile !== null) continue;
    try {
      for (const [one, range] of Object.entries(npm.packages)) {
        const key = rangeKey(one, range);
        if (published.has(key)) continue;
        onStep(`asking for the versions of ${one}`);
        published.set(key, await withScratch((scratch) => publishedVersions(one, range, scratch)));
      }
    } catch (error) {
      skipped.push({ name, why: messageOf(error) });
    }
  }
  return { published, skipped };
}

/** @throws UserError for more than can be tried */
function checkCount({ count: possible }: Candidates, { file, count }: ExploreQuestion): void {
  if (possible > MOST_POSSIBLE)
    throw new UserError(
      `${file} describes ${possible} candidates; at most ${MOST_POSSIBLE} can be put in order: narrow it`,
    );
  if (count === null && possible > MOST_WITHOUT_COUNT)
    throw new UserError(
      `${file} describes ${possible} candidates: say with --count how many are to be measured`,
    );
}

/** Of one that cannot be asked for: it will be skipped. */
function countOf(one: Candidate, batchesOf: ExploreQuestion['batchesOf']): number {
  try {
    return batchesOf(one);
  } catch {
    return 0;
  }
}

/**
 * As if none of those that are wanted were skipped: to resolve and make them takes its time, which would be lost.
 * @throws UserError for more batches than a campaign can have
 */
function checkBatches(
  candidates: Candidates,
  order: Uint32Array,
  { count, batchesOf }: ExploreQuestion,
): void {
  const wanted = order.subarray(0, count ?? order.length);
  // Each that is measured makes one at the least.
  checkBatchCount(wanted.length);
  let batches = 0;
  for (const index of wanted) {
    batches += countOf(candidates.at(index), batchesOf);
    checkBatchCount(batches);
  }
}

/** What makes two candidates one: they would run the same in the same. */
const sameness = ({ request, threads }: Candidate, lock: StackLock | null): string =>
  canonicalJson([
    request.provider,
    request.variant,
    request.library,
    request.folders,
    request.environment,
    lock === null ? null : lockDigest(lock),
    threads,
  ]);

/**
 * @param make what a candidate that resolved is taken for; one for which it throws is skipped, and another is tried
 * @throws UserError
 */
export async function explore<Made>(
  question: ExploreQuestion,
  make: (one: Resolved) => Promise<Made>,
  hooks: Hooks,
): Promise<Exploration<Made>> {
  const { file, stacks, strategy, count, seed } = question;
  const { published, skipped: unanswered } = await publishedOf(stacks, hooks);
  const candidates = candidatesOf(
    stacks.filter(({ name }) => !unanswered.some((one) => one.name === name)),
    published,
  );
  checkCount(candidates, question);
  const order = tryingOrder(candidates, strategy, seed);
  checkBatches(candidates, order, question);
  const skipped: Skipped[] = [...unanswered];
  const taken: Taken<Made>[] = [];
  let gaveUp = false;
  const seen = new Map<string, string>();
  /** Candidates that differ only in variables or threads have the same packages. */
  const locks = new Map<string, Promise<StackLock | null>>();
  const folder = dirname(resolve(file));
  for (const index of order) {
    if (count !== null && taken.length >= count) break;
    gaveUp = count !== null && skipped.length - unanswered.length >= MOST_SKIPPED;
    if (gaveUp) break;
    const candidate = candidates.at(index);
    const { request, name } = candidate;
    const key = canonicalJson([request.debian, request.npm]);
    try {
      const lockOf = locks.get(key) ?? resolveLock({ request, folder }, undefined, hooks);
      if (wantsPackages(request)) locks.set(key, lockOf);
      const lock = await lockOf;
      const twin = seen.get(sameness(candidate, lock));
      if (twin !== undefined) {
        skipped.push({ name, why: `it is the same as ${twin}` });
        continue;
      }
      seen.set(sameness(candidate, lock), name);
      taken.push({ candidate, lock, made: await make({ candidate, lock }) });
    } catch (error) {
      skipped.push({ name, why: messageOf(error) });
    }
  }
  return { strategy, count, possible: candidates.count, taken, skipped, gaveUp };
}
