/** The registry of stacks: a new one is its file and its line here. */
import { resolve } from 'node:path';
import { UserError } from '../errors.js';
import { thereIs } from '../nearest.js';
import type { StackChoice } from '../record/schema.js';
import { blis } from './blis.js';
import { cblas } from './cblas.js';
import { cublas } from './cublas.js';
import { cublaslt } from './cublaslt.js';
import { embedded } from './embedded.js';
import { gloo } from './gloo.js';
import { libxsmm } from './libxsmm.js';
import { mkl } from './mkl.js';
import { nccl } from './nccl.js';
import { onednn } from './onednn.js';
import { onnxruntime } from './onnxruntime.js';
import { openblas } from './openblas.js';
import type { Stack } from './stack.js';
import { tfjs } from './tfjs.js';

export const stacks: readonly Stack[] = [
  embedded,
  openblas,
  blis,
  mkl,
  onednn,
  libxsmm,
  cblas,
  cublas,
  cublaslt,
  nccl,
  gloo,
  tfjs,
  onnxruntime,
];

/**
 * @param others names that would have done, for the message
 * @throws UserError when there is no such stack.
 */
export function findStack(provider: string, others: readonly string[] = []): Stack {
  const found = stacks.find((stack) => stack.provider === provider);
  if (found !== undefined) return found;
  const names = [...others, ...stacks.map((stack) => stack.provider)];
  throw new UserError(`--stack ${provider} is unknown; ${thereIs(provider, names)}`);
}

const inSmall = (name: string): string => name.toLowerCase();

/** `OpenBLAS` is openblas, unless somebody has a stack of nearly that name. */
function providerNamed(text: string, others: readonly string[]): string {
  if (others.some((name) => inSmall(name) === inSmall(text))) return text;
  return stacks.find((stack) => stack.provider === inSmall(text))?.provider ?? text;
}

/**
 * `embedded`, `embedded:avx2`, `openblas:/path/lib.so`; a path is kept whole, for a campaign may be resumed elsewhere.
 * @param others names that would have done, for the message
 */
export function parseStack(text: string, others: readonly string[] = []): StackChoice {
  const [named = '', ...rest] = text.split(':');
  const provider = providerNamed(named, others);
  const { library } = findStack(provider, others);
  const variant = rest.join(':');
  if (variant === '') return { provider, variant: null };
  return { provider, variant: library === null ? variant : resolve(variant) };
}

/** Each once: one file can be typed in several ways. */
export const distinctStacks = (choices: readonly StackChoice[]): readonly StackChoice[] => [
  ...new Map(
    choices.map((choice) => [JSON.stringify([choice.provider, choice.variant, choice.own]), choice]),
  ).values(),
];

/** `openblas:/path/lib.so`, as it is typed. */
export const stackText = ({ provider, variant }: StackChoice): string =>
  variant === null ? provider : `${provider}:${variant}`;
