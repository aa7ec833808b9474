/** What a stack of one's own is to be, with exactly one possibility for everything. Pure. */
import { UserError } from '../../errors.js';
import { canonicalJson, sha256 } from '../../record/digest.js';
import type { AskedStack } from './stack-file.js';

export interface StackRequest {
  readonly name: string;
  readonly provider: string;
  /** Of a provider without a file, as after --stack; null: its own choice. */
  readonly variant: string | null;
  /** As it is written; null: it is looked for. */
  readonly library: string | null;
  readonly folders: readonly string[];
  /** `name`, or `name=version`. */
  readonly debian: readonly string[];
  readonly npm: AskedStack['npm'];
  readonly environment: Readonly<Record<string, string | null>>;
}

/** `tfjs:wasm` as provider and variant. */
export function splitStack(text: string): Pick<StackRequest, 'provider' | 'variant'> {
  const [provider = '', ...rest] = text.split(':');
  return { provider, variant: rest.length === 0 ? null : rest.join(':') };
}

/** Whether there are packages to be had. */
export const wantsPackages = ({ debian, npm }: StackRequest): boolean => debian.length > 0 || npm !== null;

/**
 * Of what decides which packages a stack gets: a lock that was made for something else does not hold.
 * @param lockfile the content of npm's, where one was given
 */
export const askedDigest = ({ debian, npm }: StackRequest, lockfile: string | null): string =>
  sha256(canonicalJson([debian, npm === null ? null : [npm.packages, npm.installScripts, lockfile]]));

/** @throws UserError for an entry with several possibilities: which of them is meant cannot be known. */
export function onlyRequest(one: AskedStack, file: string): StackRequest {
  const several = [
    ...(one.stacks.length > 1 ? ['stack'] : []),
    ...(one.libraries.length > 1 ? ['library'] : []),
    ...(one.debian.some((any) => any.length > 1) ? ['debian'] : []),
    ...Object.entries(one.environment).flatMap(([name, values]) => (values.length > 1 ? [name] : [])),
    ...(one.threads.length > 0 ? ['threads'] : []),
  ];
  if (several.length > 0) {
    const threadsOnly = several.length === 1 && several[0] === 'threads';
    throw new UserError(
      threadsOnly
        ? `${file}:${one.line}: ${one.name}: threads are for pi-bench explore; here --threads says how many`
        : `${file}:${one.line}: ${one.name} has several possibilities (${several.join(', ')}): pi-bench explore measures them, here one is needed`,
    );
  }
  return {
    name: one.name,
    ...splitStack(one.stacks[0] ?? ''),
    library: one.libraries[0] ?? null,
    folders: one.folders,
    debian: one.debian.flatMap(([only]) => only ?? []),
    npm: one.npm,
    environment: Object.fromEntries(
      Object.entries(one.environment).map(([name, [value]]) => [name, value ?? null]),
    ),
  };
}
