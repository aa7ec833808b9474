/** A finding: one figure beside one limit, and how it stands to it. Pure. */
import { formatSeconds, formatShare, significant, withPrefix } from '../quantities/format.js';
import type { Finding, Verdict } from '../record/schema.js';

export interface Looked {
  readonly quantity: string;
  /** null: it could not be read. */
  readonly measured: Finding['measured'];
  readonly unit?: string | null;
  /** Where the limit comes from. */
  readonly source: string;
  readonly note?: string | null;
  /** What it comes to where the limit does not hold; left out: fail. */
  readonly otherwise?: Verdict;
}

/** Infinity and not-a-number say nothing, however they stand to a limit; documents have no place for them either. */
const known = (value: Finding['measured']): Finding['measured'] =>
  typeof value === 'number' && !Number.isFinite(value) ? null : value;

function made(
  { quantity, measured: looked, unit = null, source, note = null, otherwise = 'fail' }: Looked,
  wanted: Finding['limit'],
  bound: Finding['bound'],
  holds: boolean,
): Finding {
  const [measured, limit] = [known(looked), known(wanted)];
  const unknown = measured === null || (bound !== 'none' && limit === null);
  // What has a limit was to be judged: that it could not be read is an open question, and never the same as a pass.
  const open = bound === 'none' ? 'skipped' : 'inconclusive';
  const verdict = unknown ? open : holds ? 'pass' : otherwise;
  return { quantity, measured, unit, limit, bound, source, verdict, note };
}

/** The measured value is a number of at least the limit; inconclusive where it is not known. */
export const atLeast = (looked: Looked & { readonly measured: number | null }, limit: number): Finding =>
  made(looked, limit, 'at-least', (looked.measured ?? Number.NaN) >= limit);

export const atMost = (looked: Looked & { readonly measured: number | null }, limit: number): Finding =>
  made(looked, limit, 'at-most', (looked.measured ?? Number.NaN) <= limit);

export const equalTo = (looked: Looked, limit: NonNullable<Finding['limit']>): Finding =>
  made(looked, limit, 'equal', looked.measured === limit);

/** Of what may not be known: only numbers are below others. */
export const below = (seen: unknown, most: unknown): boolean =>
  typeof seen === 'number' && typeof most === 'number' && seen < most;

/** Told, and judged by nothing. */
export const told = (looked: Looked): Finding => made(looked, null, 'none', true);

/** Not judged, and why. */
export const skipped = (quantity: string, why: string, source: string): Finding =>
  made({ quantity, measured: null, source, note: why }, null, 'none', false);

/** A limit applies, and what it limits cannot be seen on this machine: it keeps the limit, by which it differs from what does not apply. */
export const notSeen = (finding: Finding, why: string): Finding => ({
  ...finding,
  measured: null,
  verdict: 'skipped',
  note: why,
});

export const isNotSeen = ({ verdict, bound }: Pick<Finding, 'verdict' | 'bound'>): boolean =>
  verdict === 'skipped' && bound !== 'none';

/** It has a figure and a limit, whatever was made of them. */
export const isKnown = ({ measured, limit }: Finding): boolean => measured !== null && limit !== null;

const ORDER: readonly Verdict[] = ['fail', 'inconclusive', 'warn', 'pass'];

/** What several come to together: the worst; what was skipped counts only where nothing was judged. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return ORDER.find((verdict) => verdicts.includes(verdict)) ?? 'skipped';
}

/** @param more digits than usual */
function valueText(value: Finding['measured'], unit: string | null, more: number): string {
  if (value === null) return 'not known';
  if (typeof value !== 'number') return String(value);
  if (unit === '1') return formatShare(value, 3 + more);
  if (unit === 's') return formatSeconds(value, 3 + more);
  if (unit === null) return Number.isInteger(value) ? String(value) : significant(value, 3 + more);
  if (/^[%°]|^(W|CPUs|K)$/.test(unit)) return `${significant(value, 3 + more)} ${unit}`;
  return withPrefix(value, unit, 4 + more);
}

const MOST_MORE_DIGITS = 6;

/** How many more digits tell a value from its limit: who fails just below 90 % must not read that 90 % are not enough. */
function moreDigits({ measured, limit, unit }: Compared): number {
  if (typeof measured !== 'number' || typeof limit !== 'number' || measured === limit) return 0;
  let more = 0;
  while (more < MOST_MORE_DIGITS && valueText(measured, unit, more) === valueText(limit, unit, more)) more++;
  return more;
}

type Compared = Pick<Finding, 'measured' | 'limit' | 'unit'>;

/** What was measured, for a person. */
export const measuredText = (finding: Compared): string =>
  valueText(finding.measured, finding.unit, moreDigits(finding));

const SIGNS = { 'at-least': '≥', 'at-most': '≤', equal: '=', none: '' } as const;

export const limitText = (finding: Finding): string => {
  const { limit, bound, unit } = finding;
  return bound === 'none' || limit === null
    ? ''
    : `${SIGNS[bound]} ${valueText(limit, unit, moreDigits(finding))}`;
};

/** `p05 over median`. */
export const quantityText = ({ quantity }: Finding): string => quantity.replaceAll('_', ' ');

/** `p05 over median is 61 %, limit ≥ 70 % (suite t1)`. */
export function findingText(finding: Finding): string {
  const { note, source } = finding;
  if (finding.verdict === 'skipped') return note ?? `${quantityText(finding)} is not known`;
  const limit = limitText(finding);
  const beside = limit === '' ? '' : `, limit ${limit} (${source})`;
  return `${quantityText(finding)} ${measuredText(finding)}${beside}${note === null ? '' : `: ${note}`}`;
}
