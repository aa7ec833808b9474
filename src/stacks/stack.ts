/** What a stack is: the software that executes a case, with its identity. */
import type { StackIdentity } from '../record/schema.js';

export interface Stack {
  readonly provider: string;
  readonly summary: string;
  variants(): { readonly here: readonly string[]; readonly elsewhere: readonly string[] };
  /** @throws UserError when the variant cannot execute the indicator with the data type here. */
  check(variant: string | null, indicator: string, dtype: string): void;
  identify(variant: string | null): Omit<StackIdentity, 'implementation'>;
}
