/** What is wrong with a value that somebody wrote into a file, and what is expected in its place, in words. Pure. */
import type { z } from 'zod';
import { likely, meantText, nearest } from './nearest.js';

type RawIssue = z.core.$ZodRawIssue;

/** What a schema's types are to who writes the file. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys with their values',
  record: 'keys with their values',
};

const LONGEST = 40;

function gotText(input: unknown): string {
  const text = JSON.stringify(input) ?? String(input);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

const listed = (all: readonly string[]): string =>
  all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;

/** Those that are likely to be meant first. */
function likelyFirst(given: readonly string[], known: readonly string[]): readonly string[] {
  const near = [...new Set(given.flatMap((key) => likely(key, known)))];
  return [...near, ...known.filter((one) => !near.includes(one))];
}

function unknownKeysText(keys: readonly string[], schema: RawIssue['inst']): string {
  const { shape = {} } = (schema?._zod.def ?? {}) as { readonly shape?: Readonly<Record<string, unknown>> };
  const known = Object.keys(shape).filter((key) => key !== '$schema');
  const named = `${keys.map((key) => `"${key}"`).join(', ')} is unknown here`;
  if (known.length === 0) return named;
  const meant = keys.flatMap((key) => nearest(key, known) ?? []);
  const all = likelyFirst(keys, known).join(', ');
  return `${named}; there is ${all}${meantText(meant.length === 0 ? null : meant.join(', '))}`;
}

/** null: of some nothing is known here. */
function kindsOf(schema: z.core.$ZodType): readonly string[] | null {
  const { type, options = [] } = schema._zod.def as {
    readonly type: string;
    readonly options?: readonly z.core.$ZodType[];
  };
  if (type !== 'union') return TYPES[type] === undefined ? null : [TYPES[type]];
  const kinds = options.map(kindsOf);
  return kinds.includes(null) ? null : [...new Set(kinds.flatMap((one) => one ?? []))];
}

function smallText({
  origin,
  minimum,
  inclusive,
  input,
}: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (origin === 'array')
    return `takes a list with at least ${minimum === 1 ? 'one item' : `${minimum} items`}`;
  if (origin === 'string') return 'must not be empty';
  return `takes ${inclusive === false ? 'more than' : 'at least'} ${minimum}; got ${gotText(input)}`;
}

/** @returns undefined: the schema’s own words do */
export function issueText(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownKeysText(issue.keys, issue.inst);
    case 'invalid_type': {
      const what = TYPES[issue.expected];
      if (what === undefined) return undefined;
      return issue.input === undefined
        ? `it is missing, and takes ${what}`
        : `takes ${what}; got ${gotText(issue.input)}`;
    }
    case 'invalid_union': {
      // Of objects of several kinds that what tells them apart names none of.
      if (issue.discriminator !== undefined) return undefined;
      const kinds = issue.inst === undefined ? null : kindsOf(issue.inst as z.core.$ZodType);
      return kinds === null ? undefined : `takes ${listed(kinds)}; got ${gotText(issue.input)}`;
    }
    case 'too_small':
      return smallText(issue as z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>);
    case 'too_big':
      return issue.origin === 'number'
        ? `takes at most ${issue.maximum}; got ${gotText(issue.input)}`
        : undefined;
    default:
      return undefined;
  }
}
