/** Every stack that this machine can run, and what would be needed for the others: each library is asked in a process of its own. */
import { CPU } from '../devices/device.js';
import type { StackIdentity } from '../record/schema.js';
import { stacks, stackText } from './index.js';
import { type Probed, probe } from './probe.js';
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

export function survey(): Survey {
  const here = stacks.flatMap((stack) =>
    stack.library === null ? [surveyEmbedded(stack)] : surveyLibrary(stack),
  );
  const found = new Set(here.map(({ identity }) => identity.provider));
  const missing = stacks.flatMap(({ provider, summary, library }) =>
    library === null || found.has(provider) ? [] : [{ provider, summary, needed: library.needed }],
  );
  return { here, missing };
}
