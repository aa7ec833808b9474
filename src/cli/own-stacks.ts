/** Stacks of a stack file for a command that measures: read before anything else, made once it is known which are needed. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import { findIndicator } from '../indicators/index.js';
import type { BatchSpec, OwnStack } from '../record/schema.js';
import { findStack } from '../stacks/index.js';
import { lockDigest, locksText, type StackLock, type StackLocks } from '../stacks/own/lock.js';
import { withFrameworksOf } from '../stacks/own/own-stack.js';
import { parseLocks } from '../stacks/own/parse-locks.js';
import {
  type Described,
  type Hooks,
  makeOwnStack,
  placesIn,
  prefixOf,
  problemStack,
  resolveLock,
} from '../stacks/own/provision.js';
import { onlyRequest } from '../stacks/own/request.js';
import { type AskedStack, parseStackFile } from '../stacks/own/stack-file.js';
import { writeFileAtomic } from '../store/atomic.js';
import { namesOf, type OwnOfCampaign, type OwnStackFile } from './own-stack-names.js';
import { say } from './say.js';

/** @throws UserError that names the line */
export function readStackFile(path: string): readonly AskedStack[] {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${messageOf(error)}; a stack file was to be there`);
  }
  return parseStackFile(content, path);
}

/** @throws UserError that names the line; for an entry with several possibilities too */
export function readOwnStacks(path: string): OwnStackFile {
  const requests = readStackFile(path).map((one) => onlyRequest(one, path));
  return { path, requests, names: namesOf(requests) };
}

export const hooksOf = (quiet: boolean): Hooks => ({
  onStep: (what) => {
    if (!quiet) say(what);
  },
});

const lockPath = (file: string): string => `${file}.lock`;

/** Beside the stack file, so that it can be kept with it. */
function writeLocks(file: string, locks: StackLocks): void {
  const path = lockPath(file);
  try {
    writeFileAtomic(path, locksText(locks));
    say(`wrote ${path}: the same packages will be used again`);
  } catch (error) {
    say(`cannot write ${path} (${messageOf(error)}); the lock is kept with the results only`);
  }
}

export interface MadeStack {
  readonly stack: OwnStack;
  /** null: without packages, or it cannot be made: what mends its description would not fit the lock. */
  readonly lock: StackLock | null;
}

/** Never fails: what cannot be made is a stack with a problem. */
export async function makeStack(
  described: Described,
  lockOf: () => Promise<StackLock | null>,
  hooks: Hooks,
): Promise<MadeStack> {
  try {
    const lock = await lockOf();
    return { stack: await makeOwnStack(described, lock, hooks), lock };
  } catch (error) {
    const stack = problemStack(described.request, error);
    say(`${stack.name} cannot be measured: ${stack.problem}`);
    return { stack, lock: null };
  }
}

/** @throws UserError when a stack that is there cannot execute what a batch asks for */
export function checkBatch(
  { case: { indicator, parameters }, stack, device }: BatchSpec,
  own: OwnStack,
): void {
  if (own.problem !== null) return;
  const dtype = findIndicator(indicator).dtype(parameters);
  withFrameworksOf(own, () =>
    findStack(stack.provider).check(stack.variant, indicator, dtype, parameters, device),
  );
}

/** The batches with what their own stacks turned out to be. */
export function settle(batches: readonly BatchSpec[], stacks: readonly OwnStack[]): readonly BatchSpec[] {
  return batches.map((batch) => {
    const own = stacks.find(({ name }) => name === batch.stack.own);
    return own === undefined ? batch : { ...batch, stack: { ...batch.stack, variant: own.variant } };
  });
}

/**
 * Makes those stacks that the batches are on, one after the other, and writes the lock of new ones beside the file.
 * @throws UserError
 */
export async function makeOwnStacks(
  { path, requests }: OwnStackFile,
  batches: readonly BatchSpec[],
  quiet: boolean,
): Promise<OwnOfCampaign> {
  const used = requests.filter(({ name }) => batches.some(({ stack }) => stack.own === name));
  if (used.length === 0) return { batches, stacks: [], locks: {} };
  const file = lockPath(path);
  const before = existsSync(file) ? parseLocks(readFileSync(file, 'utf8'), file) : {};
  const made: MadeStack[] = [];
  const folder = dirname(resolve(path));
  const hooks = hooksOf(quiet);
  for (const request of used) {
    const described = { request, folder };
    made.push(await makeStack(described, () => resolveLock(described, before[request.name], hooks), hooks));
  }
  const locks = Object.fromEntries(
    made.flatMap(({ stack, lock }) => (lock === null ? [] : [[stack.name, lock]])),
  );
  const fresh = made.some(({ stack, lock }) => lock !== null && before[stack.name] === undefined);
  if (fresh) writeLocks(path, { ...before, ...locks });
  const stacks = made.map(({ stack }) => stack);
  const settled = settle(batches, stacks);
  for (const batch of settled) {
    const own = stacks.find(({ name }) => name === batch.stack.own);
    if (own !== undefined) checkBatch(batch, own);
  }
  return { batches: settled, stacks, locks };
}

/**
 * What a campaign that is resumed needs of its own stacks: made anew where the cache has lost it.
 * @param lockFile of the campaign's folder
 * @throws UserError when one cannot be had as it was
 */
export async function restoreOwnStacks(
  stacks: readonly OwnStack[],
  lockFile: string,
  quiet: boolean,
): Promise<void> {
  const locks = existsSync(lockFile) ? parseLocks(readFileSync(lockFile, 'utf8'), lockFile) : {};
  for (const own of stacks) {
    const { name, problem, lock: digest, environment, folders, frameworksFrom, variant, provider } = own;
    if (problem !== null) continue;
    const refuse = (why: string): never => {
      throw new UserError(`the stack ${name} is no longer as it was (${why}): start the campaign anew`);
    };
    const lock = locks[name];
    if (digest !== null) {
      if (lock === undefined) return refuse(`${lockFile} does not say what it was`);
      if (lockDigest(lock) !== digest) return refuse(`${lockFile} names other packages`);
      const prefix = await prefixOf(name, lock, environment, hooksOf(quiet)).catch((error) =>
        refuse(messageOf(error)),
      );
      const places = placesIn(prefix, lock);
      // Another Node has another folder, and another XDG_CACHE_HOME: what was compared has to be what is used.
      const same =
        places.frameworksFrom === frameworksFrom && places.folders.every((one) => folders.includes(one));
      if (!same) return refuse(`its packages are in ${prefix} now`);
    }
    const file = findStack(provider).library === null ? [] : [variant ?? ''];
    const frameworks = frameworksFrom === null ? [] : [frameworksFrom];
    const gone = [...folders, ...frameworks, ...file].find((path) => !existsSync(path));
    if (gone !== undefined) refuse(`${gone} has gone`);
  }
}
