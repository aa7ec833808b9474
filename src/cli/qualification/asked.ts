/**
 * What a qualification was asked for, as it lies in its folder: with the texts of the files that it was given, so that it can be gone
 * on with after a kill and is held to the same, whatever became of those files. The edge to the disk.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf, UserError } from '../../errors.js';
import { TIERS } from '../../qualify/answer.js';
import type { Surroundings } from '../../qualify/criteria/criterion.js';
import type { Suite } from '../../qualify/suite.js';
import type { Tier } from '../../qualify/suite-file.js';
import { QUALIFY } from '../../store/store.js';
import { ATTEMPTS } from './names.js';
import { requiring, shippedSuite, suiteFrom } from './suites.js';

const named = z.strictObject({ file: z.string(), text: z.string() });

const askedSchema = z.strictObject({
  kind: z.literal('pi-bench qualification'),
  schemaVersion: z.literal(1),
  /** null: a suite of one's own. */
  tier: z.enum(TIERS).nullable(),
  suite: named.nullable(),
  require: z.string().nullable(),
  expect: z.string().nullable(),
  baseline: named.nullable(),
  /** Seconds in which launches may begin, and after which even what runs is ended; null: none. */
  budget: z.number().nullable(),
  deadline: z.number().nullable(),
  format: z.string().nullable(),
  push: z.string().nullable(),
  /** From which its history is read. */
  out: z.string(),
  startedAt: z.iso.datetime(),
  /** Share of all CPUs that was busy before anything was measured; null: the kernel does not tell; absent: nobody had looked yet. */
  busy: z.number().nullable().optional(),
  /** Of the host's memory, then; null: its controllers do not tell; absent: nobody had looked yet, or from before it was kept. */
  memoryErrors: z.strictObject({ corrected: z.number(), uncorrected: z.number() }).nullable().optional(),
});

export type Asked = z.infer<typeof askedSchema>;
export type NamedText = z.infer<typeof named>;

/** Seconds long, or a minute: their launches belong together, and to start anew costs no more than to go on. */
const AT_A_GO: readonly (Tier | null)[] = ['t0', 't1'];

export const canBeResumed = ({ tier }: Pick<Asked, 'tier'>): boolean => !AT_A_GO.includes(tier);

/** With what was found when it began to measure, by which it is judged after a kill, too. */
export const withSurroundings = (asked: Asked, { busy, memoryErrors }: Surroundings): Asked => ({
  ...asked,
  busy,
  memoryErrors,
});

/**
 * What was found then, where none of the first launches is left: whoever works on the node by now had no part in them. null: it has to be
 * looked at now.
 */
export function keptSurroundings(
  { busy, memoryErrors }: Asked,
  { complete }: { readonly complete: boolean },
): Surroundings | null {
  return busy === undefined || memoryErrors === undefined || !complete ? null : { busy, memoryErrors };
}

export const askedText = (asked: Asked): string => `${JSON.stringify(asked, null, 1)}\n`;

/** @throws UserError */
export function readAsked(folder: string): Asked {
  const path = join(folder, QUALIFY);
  if (!existsSync(path)) {
    const above = dirname(dirname(folder));
    throw new UserError(
      basename(dirname(folder)) === ATTEMPTS
        ? `${folder} is one attempt of a qualification: pi-bench resume ${above} goes on with all of it`
        : `${folder} is a qualification without ${QUALIFY}, so nobody knows what it is to be held to: start it anew`,
    );
  }
  try {
    return askedSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const said = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new UserError(`${path} is damaged (${said.replaceAll(/\s+/g, ' ')}): start the qualification anew`);
  }
}

/** @throws UserError that names what is wrong with a suite of one's own */
export function suiteOf({
  tier,
  suite,
  require: required,
}: Pick<Asked, 'tier' | 'suite' | 'require'>): Suite {
  const found = suite === null ? shippedSuite(tier ?? 't1') : suiteFrom(suite.text, suite.file);
  return requiring(found, required);
}
