/** Every stack that this machine can run, and what would be needed for the others: each library is asked in a process of its own. */
import { CPU } from '../devices/device.js';
import type { StackIdentity } from '../record/schema.js';
import { stacks, stackText } from './index.js';
import { type Probed, probe, probeFramework } from './probe.js';
import type { Stack } from './stack.js';

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
function surveyLibrary(stack: Stack): readonly SurveyedStack[] {
  const { library, provider, summary } = stack;
  if (library === null) return [];
  return stack.variants().here.map((path, place): SurveyedStack => {
    const variant = place === 0 ? null : path;
    const probed: Probed = probe(library, stack.environment, path);
    const identity = stack.identify(variant, CPU);
    const common = { stack: stackText({ provider, variant }), summary, variants: [] };
    if (!probed.loads) return { ...common, identity, dtypes: null, problem: probed.reason };
    const { version, chose, dtypes } = probed;
    return { ...common, identity: { ...identity, version, chose }, dtypes, problem: null };
  });
}

/** Backends that are installed, each asked in a process of its own. */
function surveyFramework(stack: Stack): readonly SurveyedStack[] {
  const { framework, provider } = stack;
  if (framework === null) return [];
  return stack.variants().here.flatMap((name): readonly SurveyedStack[] => {
    const backend = framework.backends.find((one) => one.name === name);
    if (backend === undefined) return [];
    const variant = name === framework.usual ? null : name;
    const probed = probeFramework(framework.job(variant, 1), stack.environment);
    const identity = stack.identify(variant, CPU);
    const common = { stack: stackText({ provider, variant }), summary: backend.summary, variants: [] };
    if (!probed.loads) return [{ ...common, identity, dtypes: null, problem: probed.reason }];
    const { version, chose } = probed;
    return [{ ...common, identity: { ...identity, version, chose }, dtypes: backend.dtypes, problem: null }];
  });
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

function surveyOne(stack: Stack): readonly SurveyedStack[] {
  if (stack.library !== null) return surveyLibrary(stack);
  if (stack.framework !== null) return surveyFramework(stack);
  return [surveyEmbedded(stack)];
}

export function survey(): Survey {
  const here = stacks.flatMap(surveyOne);
  const found = new Set(here.map(({ identity }) => identity.provider));
  const missing = stacks.flatMap(({ provider, summary, library, framework }): readonly MissingStack[] => {
    if (framework !== null) {
      return framework
        .missing()
        .map(({ variant, ...one }) => ({ ...one, provider: stackText({ provider, variant }) }));
    }
    return library === null || found.has(provider) ? [] : [{ provider, summary, needed: library.needed }];
  });
  return { here, missing };
}
