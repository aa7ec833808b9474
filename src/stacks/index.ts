/** The registry of stacks: a new one is its file and its line here. */
import { UserError } from '../errors.js';
import type { StackChoice } from '../record/schema.js';
import { embedded } from './embedded.js';
import type { Stack } from './stack.js';

export const stacks: readonly Stack[] = [embedded];

/** @throws UserError when there is no such stack. */
export function findStack(provider: string): Stack {
  const found = stacks.find((stack) => stack.provider === provider);
  if (found !== undefined) return found;
  throw new UserError(
    `--stack ${provider} is unknown; there is ${stacks.map((stack) => stack.provider).join(', ')}`,
  );
}

/** `embedded`, `embedded:avx2`. */
export function parseStack(text: string): StackChoice {
  const [provider = '', ...rest] = text.split(':');
  findStack(provider);
  const variant = rest.join(':');
  return { provider, variant: variant === '' ? null : variant };
}
