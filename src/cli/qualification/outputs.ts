/** Where a verdict goes beside its record: files of each format, the answer that `verdict` reads. The edge to the disk. */
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { messageOf, UserError } from '../../errors.js';
import {
  type CachedVerdict,
  parseVerdicts,
  readVerdicts,
  type Seen,
  supersedes,
  type VerdictFile,
  verdictFile,
} from '../../qualify/answer.js';
import { machineOf } from '../../qualify/baseline-key.js';
import { type Judged, type VerdictFormat, verdictFormats } from '../../qualify/formats/index.js';
import { unsettledText } from '../../qualify/unsettled.js';
import { judgedChecks, nameWithCause, standingInTheWay, whyNothingQualifies } from '../../qualify/wording.js';
import { sha256 } from '../../record/digest.js';
import type { QualificationCheck } from '../../record/schema.js';
import { takeSocketLock } from '../../socket-lock.js';
import { writeDestination, writeFileAtomic } from '../../store/atomic.js';
import { makeFolder } from '../../store/make-folder.js';

export interface Wanted {
  readonly format: VerdictFormat;
  /** null: in the campaign’s folder; `-`: stdout. */
  readonly place: string | null;
}

/**
 * `junit,prom=/var/lib/node_exporter/pi-bench.prom,json=-`
 * @throws UserError
 */
export function parseFormats(text: string): readonly Wanted[] {
  const wanted = text.split(',').map((item): Wanted => {
    const [name = '', ...rest] = item.trim().split('=');
    const format = verdictFormats.find((one) => one.name === name);
    if (format === undefined) {
      const known = verdictFormats.map((one) => one.name).join(', ');
      throw new UserError(
        `--format ${name} is unknown; there is ${known}, each also with its place: prom=FILE`,
      );
    }
    const place = rest.join('=');
    if (rest.length > 0 && place === '')
      throw new UserError(`--format ${name}= names no file: give one, or leave = out`);
    return { format, place: rest.length === 0 ? null : place };
  });
  if (wanted.filter(({ place }) => place === '-').length > 1)
    throw new UserError('--format sends one format to stdout (-), not several');
  const places = wanted.map(({ format, place }) => (place === null ? format.name : resolve(place)));
  const twice = places.find((place, i) => places.indexOf(place) !== i);
  if (twice !== undefined)
    throw new UserError(
      `--format names ${twice} twice, and the one would overwrite the other: give each a place of its own`,
    );
  return wanted;
}

/** @throws UserError where two documents would be on stdout */
export function requireOneOnStdout(json: boolean, wanted: readonly Wanted[]): void {
  if (json && wanted.some(({ place }) => place === '-'))
    throw new UserError(
      '--json is the record on stdout, and --format sends something else there, too: give one of them',
    );
}

export interface WrittenFormats {
  /** What became of each file, in words. */
  readonly said: readonly string[];
  /** Whether each was written. */
  readonly whole: boolean;
}

const fileOf = ({ format, place }: Wanted, path: string): string =>
  place === null ? join(dirname(path), format.file) : resolve(place);

/** @returns what became of it, in words; null: nothing is to be said of stdout */
async function writeFormat(record: Judged, path: string, wanted: Wanted): Promise<string | null> {
  const text = await wanted.format.text(record, path);
  if (wanted.place === '-') {
    process.stdout.write(text);
    return null;
  }
  const file = fileOf(wanted, path);
  makeFolder(dirname(file));
  writeDestination(file, text);
  return `written: ${file}`;
}

/** What cannot be made or written keeps nothing else back. */
export async function writeFormats(
  record: Judged,
  path: string,
  wanted: readonly Wanted[],
): Promise<WrittenFormats> {
  const written: string[] = [];
  const lost: string[] = [];
  for (const one of wanted) {
    try {
      const line = await writeFormat(record, path, one);
      if (line !== null) written.push(line);
    } catch (error) {
      const what = one.place === '-' ? `--format ${one.format.name}=-` : fileOf(one, path);
      lost.push(
        `the verdict stands, but ${what} cannot be written: ${messageOf(error)}; the record is ${path}`,
      );
    }
  }
  // What is missing last: of a node in a submission that is all that is seen.
  return { said: [...written, ...lost], whole: lost.length === 0 };
}

/** Each holds it for a moment. */
const MOST_LOCKED_MS = 10_000;

/** The lock of a file of verdicts: only this host writes it. */
export const verdictLock = (file: string): string => `pi-bench-verdicts-${sha256(file).slice(0, 32)}`;

/** One qualification of this host after the other: each reads what is there and writes it with its own beside it. */
async function alone<T>(file: string, work: () => T): Promise<T> {
  const signal = AbortSignal.timeout(MOST_LOCKED_MS);
  const lock = await takeSocketLock(
    verdictLock(file),
    `process ${process.pid}`,
    () => {},
    () => {},
    signal,
  );
  try {
    return work();
  } finally {
    lock.release();
  }
}

function seenOf(record: Judged): Seen {
  const { limits, gpus } = machineOf(record);
  return {
    cpus: limits.allowedCpus,
    online: limits.onlineCpus,
    gpus: (gpus?.devices ?? []).map(({ pciBusId }) => pciBusId),
  };
}

/** Whether it came to an answer, be it a bad one. */
const isAnswered = ({ verdict }: QualificationCheck): boolean =>
  verdict !== 'skipped' && verdict !== 'inconclusive';

/** @param before the verdicts that are there */
function verdictOf(record: Judged, path: string, before: readonly CachedVerdict[]): CachedVerdict {
  const { qualification } = record;
  const { outcome, suite, endedAt, checks, expected, baseline } = qualification;
  const inTheWay = standingInTheWay(qualification);
  const [first] = inTheWay;
  const none = whyNothingQualifies(qualification);
  const answered = checks.filter(isAnswered).map(({ id }) => id);
  // Also what others had judged again before it: one of these that comes late is settled by it as well.
  const failedBefore = new Set(
    before.flatMap(({ failed = [], judgedAgain = [] }) => [...failed, ...judgedAgain]),
  );
  return {
    outcome,
    suite: suite.name,
    tier: suite.tier,
    at: endedAt,
    why: first === undefined ? none : nameWithCause(first),
    checks: checks.length,
    judged: judgedChecks(qualification).length,
    failed: checks.filter(({ required, verdict }) => required && verdict === 'fail').map(({ id }) => id),
    judgedAgain: answered.filter((id) => failedBefore.has(id)),
    busy: first !== undefined && inTheWay.every(({ cause }) => cause === 'busy'),
    record: resolve(path),
    held: [
      ...Object.entries(expected).map(([name, count]) => `${name}=${count}`),
      ...(baseline === null ? [] : [`baseline=${baseline.sha256}`]),
    ],
    saw: seenOf(record),
  };
}

/** Those that are kept for this host. */
const keptVerdicts = (env: NodeJS.ProcessEnv): readonly CachedVerdict[] =>
  parseVerdicts(readVerdicts(null, env), hostname());

const isLater = (one: CachedVerdict, other: CachedVerdict): boolean =>
  Date.parse(one.at) > Date.parse(other.at);

/** What says of the node what this one said then: a later one of its suite, or one that settles it. */
const newerThan = (own: CachedVerdict, kept: readonly CachedVerdict[]): CachedVerdict | null =>
  kept.find(
    (one) =>
      isLater(one, own) && ((one.suite === own.suite && one.tier === own.tier) || supersedes(one, own)),
  ) ?? null;

/** A later verdict that is kept for this host, which whoever asks is to hear in its place; null: none. */
export function newerVerdict(
  record: Judged,
  path: string,
  env: NodeJS.ProcessEnv = process.env,
): CachedVerdict | null {
  const kept = keptVerdicts(env);
  return newerThan(verdictOf(record, path, kept), kept);
}

/**
 * Leaves the answer for `pi-bench verdict`, beside those of other suites that it does not settle anew; nothing where a newer one is there
 * that says what it said.
 * @returns which earlier ones still say no, and why, in words
 * @throws the system's error, or where somebody else does not let go of the file
 */
export async function keepVerdict(
  record: Judged,
  path: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<readonly string[]> {
  const file = verdictFile(env);
  makeFolder(dirname(file));
  return alone(file, () => {
    const before = keptVerdicts(env);
    const own = verdictOf(record, path, before);
    if (newerThan(own, before) !== null) return [];
    const left = before.filter((one) => isLater(one, own) || !supersedes(own, one));
    const all: VerdictFile = {
      kind: 'pi-bench verdicts',
      schemaVersion: 1,
      hostname: hostname(),
      verdicts: [...left, own],
    };
    writeFileAtomic(file, `${JSON.stringify(all)}\n`);
    return left.flatMap((one) => (isLater(one, own) ? [] : (unsettledText(own, one, file) ?? [])));
  });
}
