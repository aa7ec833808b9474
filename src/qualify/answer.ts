/**
 * The cached answer of a node: what the last qualification came to, in a small file of its own. Whoever asks every minute must
 * not read records, so this file imports nothing but what Node has.
 */
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** What one suite came to. */
export interface CachedVerdict {
  readonly outcome: 'qualified' | 'not-qualified' | 'inconclusive';
  readonly suite: string;
  /** t0 to t3; null: a suite of one's own. */
  readonly tier: string | null;
  /** ISO: when the qualification ended. */
  readonly at: string;
  /** The first check that stands in the way: `sustained cpu-quota`; or why none could qualify the node; null: it qualified. */
  readonly why: string | null;
  readonly checks: number;
  /** Of them those of which something was said, the others were skipped; absent: an older pi-bench. */
  readonly judged?: number;
  /** Required checks that failed, by their ids; absent: none, or an older pi-bench. */
  readonly failed?: readonly string[];
  /** Of those that had failed in the verdicts that it found, or in earlier ones, which it could judge; absent: none, or an older pi-bench. */
  readonly judgedAgain?: readonly string[];
  /** Where it was written; it may be gone since, as where an epilog keeps that of a no only. */
  readonly record: string;
  /** Whether nothing left it open but that others were at work; absent: an older pi-bench. */
  readonly busy?: boolean;
  /** What it was held to beside the suite: `gpu=8`, `baseline=<sha256>` (of before `baseline`); absent: nothing, or an older pi-bench. */
  readonly held?: readonly string[];
  /** What of the node was looked at; absent: an older pi-bench. */
  readonly saw?: Seen;
}

/** The part of a node that a process is given. */
export interface Seen {
  /** Lists of CPUs, such as 0-3,8: those that could be used, and those that were online; null: the kernel did not tell. */
  readonly cpus: string | null;
  readonly online: string | null;
  /** Bus addresses: another GPU in the same slot has that of the one before it. */
  readonly gpus: readonly string[];
}

/** As it lies on disk: the last verdict of each suite, so that a quick look does not hide what a long run found. */
export interface VerdictFile {
  readonly kind: 'pi-bench verdicts';
  readonly schemaVersion: 1;
  readonly hostname: string;
  readonly verdicts: readonly CachedVerdict[];
}

export interface Answer {
  /** Under 80 bytes. */
  readonly line: string;
  readonly code: 0 | 1 | 2;
}

const MOST_BYTES = 79;
const CODES = { qualified: 0, 'not-qualified': 1, inconclusive: 2 } as const;

/** Of this user; what root keeps is not what others may write. */
function stateFolder(env: NodeJS.ProcessEnv): string {
  // As its specification has it: what is empty or no absolute path is as if it were not set.
  const given = env.XDG_STATE_HOME ?? '';
  return join(isAbsolute(given) ? given : join(homedir(), '.local', 'state'), 'pi-bench');
}

/** Each host has its own: nodes may share the folder, as where it is a home, and each would put its verdict in the place of the others'. */
export const verdictFile = (env: NodeJS.ProcessEnv = process.env, host = hostname()): string =>
  join(stateFolder(env), `verdict-${encodeURIComponent(host)}.json`);

/** Where the verdicts of all hosts were kept before. */
const formerFile = (env: NodeJS.ProcessEnv): string => join(stateFolder(env), 'verdict.json');

/** Whole characters, in UTF-8. */
export function cut(text: string, most = MOST_BYTES): string {
  if (Buffer.byteLength(text) <= most) return text;
  let shorter = text;
  while (Buffer.byteLength(`${shorter}~`) > most) shorter = shorter.slice(0, -1);
  return `${shorter}~`;
}

/** `2 h`, `35 min`. */
function ageText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

function isFile(json: unknown): json is VerdictFile {
  const file = json as Partial<VerdictFile> | null;
  return (
    file?.kind === 'pi-bench verdicts' &&
    file.schemaVersion === 1 &&
    Array.isArray(file.verdicts) &&
    file.verdicts.every(
      ({ outcome, at }: Partial<CachedVerdict>) =>
        Object.hasOwn(CODES, outcome ?? '') && Number.isFinite(Date.parse(at ?? '')),
    )
  );
}

/** The verdicts of a file; none where it is broken, or of another machine. */
export function parseVerdicts(text: string | null, host: string): readonly CachedVerdict[] {
  if (text === null) return [];
  try {
    const json: unknown = JSON.parse(text);
    return isFile(json) && json.hostname === host ? json.verdicts : [];
  } catch {
    return [];
  }
}

/** The numbers of a list as the kernel writes it. */
const cpusOf = (list: string): readonly number[] =>
  list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: Math.max(0, last - first + 1) || 0 }, (_, i) => first + i);
  });

const hasAll = <T>(all: readonly T[], some: readonly T[]): boolean => {
  const known = new Set(all);
  return some.every((one) => known.has(one));
};

/** Whether a look saw all CPUs that were online. */
const sawAllCpus = ({ cpus, online }: Seen): boolean =>
  cpus !== null && online !== null && hasAll(cpusOf(cpus), cpusOf(online));

/** Whether a later look saw all that the earlier one did. CPUs that are offline now nobody can look at. */
export function sawAsMuch(later: Seen | undefined, earlier: Seen | undefined): boolean {
  if (earlier === undefined) return true;
  if (later === undefined || !hasAll(later.gpus, earlier.gpus)) return false;
  if (earlier.cpus === null || sawAllCpus(later)) return true;
  return later.cpus !== null && hasAll(cpusOf(later.cpus), cpusOf(earlier.cpus));
}

/** Which baseline it was, older ones did not keep. */
const isHeld = (held: readonly string[], one: string): boolean =>
  held.includes(one) || (one === 'baseline' && held.some((other) => other.startsWith('baseline=')));

/** Whether all is checked that was: by the same suite, and of a tier by any higher one, which hold all that the lower ones check. */
export const checksAsMuch = (later: CachedVerdict, earlier: CachedVerdict): boolean =>
  earlier.tier === null || later.tier === null
    ? later.suite === earlier.suite && later.tier === earlier.tier
    : later.tier >= earlier.tier;

/** Of what an earlier one was held to, what this one was not. */
export const heldToLess = (later: CachedVerdict, earlier: CachedVerdict): readonly string[] =>
  (earlier.held ?? []).filter((one) => !isHeld(later.held ?? [], one));

/** What failed and could not be judged again, as without the node's earlier runs: it may still be so. */
export const notJudgedAgain = (later: CachedVerdict, earlier: CachedVerdict): readonly string[] =>
  (earlier.failed ?? []).filter((id) => later.judgedAgain?.includes(id) !== true);

/**
 * What a suite says is settled anew by itself, and a tier also by any higher one. Who asks for less, without the counts or the very
 * baseline by which a node fell, settles nothing, nor who looked at less of it, or could not judge what failed; nor does a file that
 * calls itself like a tier, nor a no whoever could not tell.
 */
export const supersedes = (later: CachedVerdict, earlier: CachedVerdict): boolean =>
  !(later.outcome === 'inconclusive' && earlier.outcome === 'not-qualified') &&
  heldToLess(later, earlier).length === 0 &&
  sawAsMuch(later.saw, earlier.saw) &&
  checksAsMuch(later, earlier) &&
  notJudgedAgain(later, earlier).length === 0;

const unknown = (why: string): Answer => ({ line: cut(`inconclusive: ${why}`), code: 2 });
const RUN = 'run: pi-bench qualify';

/** `2 of 64 CPUs`; null: all of them, or nobody knows. */
function cpusText({ cpus, online }: Seen): string | null {
  if (cpus === null || online === null || sawAllCpus({ cpus, online, gpus: [] })) return null;
  return `${cpusOf(cpus).length} of ${cpusOf(online).length} CPUs`;
}

const gpusOf = ({ saw }: CachedVerdict): readonly string[] => saw?.gpus ?? [];

/**
 * How many GPUs this node is known to have: as many as one look saw at once, and of looks that are young enough all together, as those of
 * jobs that each have some. Of older ones the addresses may be others by now, and the GPUs the same.
 */
const gpusKnown = (all: readonly CachedVerdict[], young: readonly CachedVerdict[]): number =>
  Math.max(new Set(young.flatMap(gpusOf)).size, ...all.map((one) => gpusOf(one).length));

/**
 * ` on 2 of 64 CPUs, 7 of 8 GPUs`; nothing where it was all of them, or nobody knows.
 * @param known how many GPUs the node has
 */
function partText(saw: Seen | undefined, known: number): string {
  if (saw === undefined) return '';
  const gpus = saw.gpus.length < known ? `${saw.gpus.length} of ${known} GPUs` : null;
  const parts = [cpusText(saw), gpus].filter((text) => text !== null);
  return parts.length === 0 ? '' : ` on ${parts.join(', ')}`;
}

/** How closely one looked, first by how much of the node it saw. */
const closeness = ({ saw, checks, judged = checks }: CachedVerdict): readonly number[] => [
  saw === undefined || cpusText(saw) === null ? 1 : 0,
  saw?.gpus.length ?? 0,
  judged,
];

/** `24 checks`, `23 of 48 checks` where the others were skipped. */
const checksText = ({ checks, judged = checks }: CachedVerdict): string =>
  `${judged === checks ? '' : `${judged} of `}${checks} check${checks === 1 ? '' : 's'}`;

function closestFirst(a: CachedVerdict, b: CachedVerdict): number {
  const [own, other] = [closeness(a), closeness(b)];
  const i = own.findIndex((value, k) => value !== other[k]);
  return i < 0 ? 0 : (other[i] ?? 0) - (own[i] ?? 0);
}

/** Whether a later look at as much found some GPUs gone: what the earlier one saw is no longer what is there. */
const missesGpus = (later: CachedVerdict, earlier: CachedVerdict): boolean =>
  Date.parse(later.at) > Date.parse(earlier.at) &&
  checksAsMuch(later, earlier) &&
  later.saw !== undefined &&
  !hasAll(later.saw.gpus, earlier.saw?.gpus ?? []);

/** The shipped ones, the most thorough last. */
export const TIERS = ['t0', 't1', 't2', 't3'] as const;

/** A suite of one's own has no tier, so nobody knows how thorough it is. */
const isAsThorough = ({ tier }: CachedVerdict, least: string | null): boolean =>
  least === null || (tier !== null && tier >= least);

/** Whether others at work left it open, and nothing else; older versions kept only what stood first in the way. */
const isOpenByOthers = ({ outcome, why, busy = why?.endsWith(' busy') === true }: CachedVerdict): boolean =>
  outcome === 'inconclusive' && busy;

/** A quick look that could not tell as others worked here says nothing of what is asked for; that a GPU does not answer says much. */
const isBeside = (one: CachedVerdict, least: string | null): boolean =>
  isOpenByOthers(one) && least !== null && one.tier !== null && one.tier < least;

/** Why a yes of what looked less closely than was asked for is none. */
function notThorough(
  newest: readonly CachedVerdict[],
  least: string,
  age: (one: CachedVerdict) => number,
): Answer {
  const run = `${RUN} --tier ${least}`;
  const old = newest.find((one) => isAsThorough(one, least));
  return unknown(
    old === undefined
      ? `no verdict of ${least} or above yet; ${run}`
      : `the verdict of ${old.suite} is ${ageText(age(old))} old; ${run}`,
  );
}

const WORST: readonly CachedVerdict['outcome'][] = ['not-qualified', 'inconclusive', 'qualified'];

/**
 * What to answer with what the file holds: the worst of the verdicts that are young enough and that no later one settled anew. A no that
 * is too old and was not settled is no longer a no, and keeps what looked less closely from saying yes.
 * @param text of the file; null: there is none
 * @param maxAge seconds
 * @param now milliseconds since 1970
 * @param least tier that a yes has to be of, t1 or a higher one; lower ones count only against it. null: any, and suites of one's own
 */
export function answerOf(
  text: string | null,
  maxAge: number,
  now: number,
  host: string,
  least: string | null = null,
): Answer {
  if (text === null) return unknown(`no verdict yet; ${RUN}`);
  const all = parseVerdicts(text, host);
  const newest = all.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const [last] = newest;
  if (last === undefined) return unknown(`broken, or of another host; ${RUN}`);
  const age = ({ at }: CachedVerdict): number => (now - Date.parse(at)) / 1000;
  if (age(last) < -60) return unknown('the verdict is from the future: look at the clock');
  if (age(last) > maxAge) return unknown(`the verdict is ${ageText(age(last))} old; ${RUN}`);
  const unsettled = newest.filter((one, i) => !newest.slice(0, i).some((later) => supersedes(later, one)));
  const standing = unsettled.filter((one) => age(one) <= maxAge && !isBeside(one, least));
  // Where none is left there is no verdict of what is asked for, and so no yes either.
  const outcome = WORST.find((name) => standing.some((one) => one.outcome === name)) ?? 'qualified';
  const before = unsettled.find((one) => one.outcome === 'not-qualified' && age(one) > maxAge);
  if (outcome === 'qualified' && before !== undefined)
    return unknown(`${before.suite} said no ${ageText(age(before))} ago, and nothing settled it since`);
  const same = standing.filter((one) => one.outcome === outcome);
  const enough = outcome === 'qualified' ? same.filter((one) => isAsThorough(one, least)) : same;
  if (least !== null && outcome === 'qualified' && enough.length === 0)
    return notThorough(newest, least, age);
  // Of several that say the same, the one that looked closest.
  const current = enough.filter((one) => !enough.some((later) => missesGpus(later, one)));
  const [told = last] = current.toSorted(closestFirst);
  const { suite, why, saw } = told;
  const what = why ?? checksText(told);
  const gpus = gpusKnown(
    all,
    all.filter((one) => age(one) <= maxAge),
  );
  return {
    line: cut(
      `${outcome} ${suite} ${ageText(Math.max(0, age(told)))} ago${partText(saw, gpus)}: ${what}`.replaceAll(
        /\s+/g,
        ' ',
      ),
    ),
    code: CODES[outcome],
  };
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Nobody asked yet, or it was somebody else.
    return null;
  }
}

/**
 * What was kept for this host; null: nothing.
 * @param path null: where it is kept, or was before each host had a file of its own
 */
export const readVerdicts = (path: string | null, env: NodeJS.ProcessEnv = process.env): string | null =>
  path === null ? (readOrNull(verdictFile(env)) ?? readOrNull(formerFile(env))) : readOrNull(path);

/** @param path null: where it is kept */
export const readAnswer = (path: string | null, maxAge: number, least: string | null): Answer =>
  answerOf(readVerdicts(path), maxAge, Date.now(), hostname(), least);
