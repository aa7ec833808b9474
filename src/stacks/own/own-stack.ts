/** A stack of one's own as a launch and a record see it: what runs in it, in which environment, and what it is. */
import { FRAMEWORKS_FROM } from '../../frameworks/packages.js';
import type { FrameworkJob } from '../../inspection/job.js';
import type { BatchSpec, Campaign, OwnStack, StackChoice, StackIdentity } from '../../record/schema.js';
import { findStack } from '../index.js';
import type { Environment, Executor } from '../stack.js';

/** null: the stack is one of pi-bench's own registry. @throws Error where the campaign has no such stack */
export function ownStackOf({ stacks = [] }: Campaign, { own }: StackChoice): OwnStack | null {
  if (own === undefined) return null;
  const found = stacks.find(({ name }) => name === own);
  if (found === undefined) throw new Error(`the campaign does not say what the stack ${own} is`);
  return found;
}

/**
 * What its launches get beside what their provider sets.
 * @param before the loader's folders without it
 */
function ownEnvironment(own: OwnStack, before: string | undefined): Environment {
  const folders = [...own.folders, ...(before === undefined || before === '' ? [] : [before])];
  return {
    ...own.environment,
    ...(own.folders.length === 0 ? {} : { LD_LIBRARY_PATH: folders.join(':') }),
    ...(own.frameworksFrom === null ? {} : { [FRAMEWORKS_FROM]: own.frameworksFrom }),
  };
}

/** Calls `use` while frameworks are looked for where the own stack has them. */
export function withFrameworksOf<T>(own: Pick<OwnStack, 'frameworksFrom'> | null, use: () => T): T {
  if (own === null || own.frameworksFrom === null) return use();
  const before = process.env[FRAMEWORKS_FROM];
  process.env[FRAMEWORKS_FROM] = own.frameworksFrom;
  try {
    return use();
  } finally {
    if (before === undefined) delete process.env[FRAMEWORKS_FROM];
    else process.env[FRAMEWORKS_FROM] = before;
  }
}

/** What a batch is on. Never fails: of what could not be provisioned there is what was asked for. */
export function identifyStack(
  campaign: Campaign,
  choice: StackChoice,
  device: string,
): Omit<StackIdentity, 'implementation'> {
  const own = ownStackOf(campaign, choice);
  const { provider, variant } = choice;
  if (own === null) return findStack(provider).identify(variant, device);
  const { name, lock, packages, system, systemVersions, environment } = own;
  const described = {
    name,
    lock,
    packages,
    environment,
    ...(system === undefined ? {} : { system }),
    ...(systemVersions === undefined ? {} : { systemVersions }),
  };
  if (own.problem !== null)
    return { provider, variant, version: null, file: null, sha256: null, own: described };
  const identity = withFrameworksOf(own, () => findStack(provider).identify(variant, device));
  return { ...identity, ...(own.owner === null ? {} : { package: own.owner }), own: described };
}

/**
 * What a stack asks of its launches' environment.
 * @param from what they inherit
 */
export function stackEnvironment(
  campaign: Campaign,
  choice: StackChoice,
  threads: number,
  from: NodeJS.ProcessEnv,
): Environment {
  const own = ownStackOf(campaign, choice);
  return {
    ...findStack(choice.provider).environment(threads),
    ...(own === null ? {} : ownEnvironment(own, from.LD_LIBRARY_PATH)),
  };
}

/** How a launch is asked for. */
export function launchOf(
  campaign: Campaign,
  { stack: choice, device }: Pick<BatchSpec, 'stack' | 'device'>,
  threads: number,
): {
  readonly executor: Executor;
  readonly ownFolders: readonly string[];
  /** null: the stack is no framework in JavaScript. */
  readonly framework: FrameworkJob | null;
} {
  const own = ownStackOf(campaign, choice);
  const stack = findStack(choice.provider);
  const frameworks = own === null || own.frameworksFrom === null ? [] : [own.frameworksFrom];
  return {
    ownFolders: [...(own?.folders ?? []), ...frameworks],
    executor: withFrameworksOf(own, () => stack.executor(choice.variant)),
    framework: withFrameworksOf(own, () => stack.framework?.job(choice.variant, threads, device) ?? null),
  };
}
