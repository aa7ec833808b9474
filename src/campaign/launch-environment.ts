/** The environment that a launch is given, and whether launches of now would be given another one than when their campaign was begun. Pure. */
import { isGpu, ordinalOf } from '../devices/device.js';
import { DRIVER_SETTINGS } from '../devices/gpu-survey.js';
import { gpuEnvironment } from '../frameworks/gpu-environment.js';
import { findIndicator } from '../indicators/index.js';
import { differingVariables } from '../record/one-build.js';
import type { BatchSpec, Campaign } from '../record/schema.js';
import { changedEnvironment, relevantEnvironment } from '../stacks/environment.js';
import { findStack } from '../stacks/index.js';
import { stackEnvironment } from '../stacks/own/own-stack.js';
import type { Environment } from '../stacks/stack.js';

type Variables = Readonly<Record<string, string>>;

/** What the GPU asks of the launch's environment; nothing where the device is none. */
function environmentOn(device: string, inFramework: boolean, from: NodeJS.ProcessEnv): Environment {
  if (!isGpu(device)) return {};
  const own = inFramework ? gpuEnvironment(ordinalOf(device), from.CUDA_VISIBLE_DEVICES) : {};
  return { ...DRIVER_SETTINGS, ...own };
}

/**
 * What a launch of the batch gets beside what it inherits.
 * @param from what it inherits
 */
export function launchEnvironment(
  campaign: Campaign,
  { case: { indicator, parameters }, stack, device }: BatchSpec,
  from: NodeJS.ProcessEnv,
): Environment {
  const inFramework = findStack(stack.provider).framework !== null;
  return {
    ...stackEnvironment(campaign, stack, findIndicator(indicator).threads(parameters), from),
    ...environmentOn(device, inFramework, from),
  };
}

/** Of a batch of which something is there: what was around its first launch; null: nothing tells. */
export interface BegunBatch {
  readonly batch: BatchSpec;
  readonly environment: Variables | null;
}

/**
 * Variables by which launches of now would be none of their batch, as they are around it: what every launch gets from us may be
 * anything there.
 * @returns in words; null: none
 */
export function changedVariables(
  campaign: Campaign,
  begun: readonly BegunBatch[],
  environment: NodeJS.ProcessEnv,
): string | null {
  const now = relevantEnvironment(environment);
  const text = (value: string | undefined): string => value ?? 'not set';
  const told = begun.flatMap(({ batch, environment: then }) => {
    if (then === null) return [];
    const [before, after] = [then, now].map((from) =>
      relevantEnvironment(changedEnvironment(from, launchEnvironment(campaign, batch, from))),
    ) as [Variables, Variables];
    return differingVariables(batch, before, after).map(
      (name) => `${name}: ${text(then[name])} then, ${text(now[name])} now`,
    );
  });
  return told.length === 0 ? null : [...new Set(told)].join('; ');
}
