/** The environment that a launch is given, and whether launches of now would be given another one than when their campaign was begun. Pure. */
import { isGpu, ordinalOf } from '../devices/device.js';
import { DRIVER_SETTINGS } from '../devices/gpu-survey.js';
import { gpuEnvironment } from '../frameworks/gpu-environment.js';
import { findIndicator } from '../indicators/index.js';
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

/**
 * Variables that differ for a launch of some batch, as they are around it: what every launch gets from us may be anything there.
 * @param then of the environment in which the campaign was begun, those that change what is measured
 * @returns in words; null: all are as they were
 */
export function changedVariables(
  campaign: Campaign,
  then: Variables,
  environment: NodeJS.ProcessEnv,
): string | null {
  const now = relevantEnvironment(environment);
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])].sort();
  if (names.every((name) => then[name] === now[name])) return null;
  const differing = new Set(
    campaign.batches.flatMap((batch) => {
      const [before, after] = [then, now].map((from) =>
        changedEnvironment(from, launchEnvironment(campaign, batch, from)),
      );
      return names.filter((name) => before?.[name] !== after?.[name]);
    }),
  );
  if (differing.size === 0) return null;
  const text = (value: string | undefined): string => value ?? 'not set';
  return [...differing].map((name) => `${name}: ${text(then[name])} then, ${text(now[name])} now`).join('; ');
}
