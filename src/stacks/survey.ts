/**
 * Every stack that this machine can run, and what would be needed for the others: each library is asked in a process of its
 * own, all at once.
 */
import { CPU, gpuNamed } from '../devices/device.js';
import { DRIVER_SETTINGS, surveyGpus } from '../devices/gpu-survey.js';
import { gpuEnvironment } from '../frameworks/gpu-environment.js';
import type { Backend } from '../frameworks/spec.js';
import type { StackIdentity } from '../record/schema.js';
import { stacks, stackText } from './index.js';
import { probe, probeFramework } from './probe.js';
import type { Stack } from './stack.js';

/** The GPU that a backend is tried on. */
const FIRST_GPU = 0;

export interface SurveyedStack {
  /** As it is typed after --stack. */
  readonly stack: string;
  readonly summary: string;
  readonly identity: Omit<StackIdentity, 'implementation'>;
  /** Of the embedded stack the instruction sets; empty for a library. */
  readonly variants: readonly string[];
  /** Data types that it has matrix products for; null: it could not be asked. */
  readonly dtypes: readonly string[] | null;
  /** Why it cannot be measured; null: it can. */
  readonly problem: string | null;
}

export interface MissingStack {
  /** Of a framework with the backend that is missing. */
  readonly provider: string;
  readonly summary: string;
  readonly needed: string;
}

export interface Survey {
  readonly here: readonly SurveyedStack[];
  readonly missing: readonly MissingStack[];
}

/** The build that a program would get goes by the provider's name alone. */
function surveyLibrary(stack: Stack): readonly Promise<SurveyedStack>[] {
  const { library, provider, summary } = stack;
  if (library === null) return [];
  return stack.variants().here.map(async (path, place) => {
    const variant = place === 0 ? null : path;
    const asked = probe(library, stack.environment, path);
    const identity = stack.identify(variant, CPU);
    const common = { stack: stackText({ provider, variant }), summary, variants: [] };
    const probed = await asked;
    if (!probed.loads) return { ...common, identity, dtypes: null, problem: probed.reason };
    const { version, chose, dtypes } = probed;
    return { ...common, identity: { ...identity, version, chose }, dtypes, problem: null };
  });
}

/** What a backend for GPUs is asked in. */
const onGpu = (environment: Stack['environment']): Stack['environment'] => {
  const { CUDA_VISIBLE_DEVICES: shown } = process.env;
  return (threads) => ({ ...environment(threads), ...DRIVER_SETTINGS, ...gpuEnvironment(FIRST_GPU, shown) });
};

/** Why no GPU is here; null: there is one. Asks the driver, where somebody wants to know, and once. */
function gpuProblemHere(): () => string | null {
  let known: string | null | undefined;
  return () => {
    if (known === undefined) {
      const { devices, problem } = surveyGpus();
      known = devices.length > 0 ? null : (problem ?? 'the driver shows none');
    }
    return known;
  };
}

/** Backends that are installed, each asked in a process of its own; those for GPUs where there is one. */
function surveyFramework(stack: Stack, gpuProblem: () => string | null): readonly Promise<SurveyedStack>[] {
  const { framework, provider } = stack;
  if (framework === null) return [];
  const possible = installed(stack).filter(
    ({ backend }) => backend.device !== 'gpu' || gpuProblem() === null,
  );
  return possible.map(async ({ variant, backend }) => {
    const gpu = backend.device === 'gpu';
    const device = gpu ? gpuNamed(FIRST_GPU) : CPU;
    const environment = gpu ? onGpu(stack.environment) : stack.environment;
    const asked = probeFramework(framework.job(variant, 1, device), environment);
    const identity = stack.identify(variant, device);
    const common = { stack: stackText({ provider, variant }), summary: backend.summary, variants: [] };
    const probed = await asked;
    if (!probed.loads) return { ...common, identity, dtypes: null, problem: probed.reason };
    const { version, chose } = probed;
    return { ...common, identity: { ...identity, version, chose }, dtypes: backend.dtypes, problem: null };
  });
}

/** Backends of a framework whose packages are all there. */
function installed(stack: Stack): readonly { readonly variant: string | null; readonly backend: Backend }[] {
  const { framework } = stack;
  if (framework === null) return [];
  return stack.variants().here.flatMap((name) => {
    const backend = framework.backends.find((one) => one.name === name);
    return backend === undefined ? [] : { variant: name === framework.usual.cpu ? null : name, backend };
  });
}

/** Backends that lack something: a package, a file, or a GPU. */
function missingBackends(stack: Stack, gpuProblem: () => string | null): readonly MissingStack[] {
  const { provider, framework } = stack;
  if (framework === null) return [];
  const withoutGpu = installed(stack).flatMap(({ variant, backend: { device, summary } }) => {
    const problem = device === 'gpu' ? gpuProblem() : null;
    return problem === null ? [] : { variant, summary, needed: `an NVIDIA GPU: ${problem}` };
  });
  return [...framework.missing(), ...withoutGpu].map(({ variant, ...one }) => ({
    ...one,
    provider: stackText({ provider, variant }),
  }));
}

function surveyEmbedded(stack: Stack): SurveyedStack {
  return {
    stack: stack.provider,
    summary: stack.summary,
    identity: stack.identify(null, CPU),
    variants: stack.variants().here,
    dtypes: ['float32', 'float64', 'bfloat16', 'int8'],
    problem: null,
  };
}

function surveyOne(stack: Stack, gpuProblem: () => string | null): readonly Promise<SurveyedStack>[] {
  if (stack.library !== null) return surveyLibrary(stack);
  if (stack.framework !== null) return surveyFramework(stack, gpuProblem);
  return [Promise.resolve(surveyEmbedded(stack))];
}

export async function survey(): Promise<Survey> {
  const gpuProblem = gpuProblemHere();
  const here = await Promise.all(stacks.flatMap((stack) => surveyOne(stack, gpuProblem)));
  const found = new Set(here.map(({ identity }) => identity.provider));
  const missing = stacks.flatMap((stack): readonly MissingStack[] => {
    const { provider, summary, library, framework } = stack;
    if (framework !== null) return missingBackends(stack, gpuProblem);
    return library === null || found.has(provider) ? [] : [{ provider, summary, needed: library.needed }];
  });
  return { here, missing };
}
