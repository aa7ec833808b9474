/** Where a verdict goes beside its record: files of each format, a Pushgateway, the answer that `verdict` reads. The edge to disk and network. */
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { messageOf, UserError } from '../../errors.js';
import {
  type CachedVerdict,
  parseVerdicts,
  readVerdicts,
  supersedes,
  type VerdictFile,
  verdictFile,
} from '../../qualify/answer.js';
import { type Judged, type VerdictFormat, verdictFormats } from '../../qualify/formats/index.js';
import { prom } from '../../qualify/formats/prometheus.js';
import { standingInTheWay } from '../../qualify/wording.js';
import { sha256 } from '../../record/digest.js';
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
  return wanted;
}

export interface WrittenFormats {
  /** What became of each file, in words. */
  readonly said: readonly string[];
  /** Whether each was written. */
  readonly whole: boolean;
}

/** What cannot be written keeps nothing else back. */
export async function writeFormats(
  record: Judged,
  path: string,
  wanted: readonly Wanted[],
): Promise<WrittenFormats> {
  const said: string[] = [];
  let whole = true;
  for (const { format, place } of wanted) {
    const text = await format.text(record, path);
    if (place === '-') {
      process.stdout.write(text);
      continue;
    }
    const file = place === null ? join(dirname(path), format.file) : resolve(place);
    try {
      makeFolder(dirname(file));
      writeDestination(file, text);
      said.push(`written: ${file}`);
    } catch (error) {
      whole = false;
      said.push(
        `the verdict stands, but ${file} cannot be written: ${messageOf(error)}; the record is ${path}`,
      );
    }
  }
  return { said, whole };
}

const PUSH_LIMIT_MS = 10_000;

/** @throws UserError for what is no address of a Pushgateway */
export function pushAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UserError(
      `--push takes the address of a Pushgateway, such as http://gateway:9091; got "${text}"`,
    );
  }
  if (!/^https?:$/.test(url.protocol))
    throw new UserError(`--push takes an address with http or https; got "${text}"`);
  return url;
}

/**
 * Replaces what this node pushed before.
 * @throws Error where the gateway does not take it
 */
export async function push(record: Judged, gateway: URL): Promise<void> {
  const instance = encodeURIComponent(record.qualification.identity.hostname ?? hostname());
  const base = gateway.href.replace(/\/+$/, '');
  const response = await fetch(`${base}/metrics/job/pi_bench/instance/${instance}`, {
    method: 'PUT',
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: await prom.text(record, ''),
    signal: AbortSignal.timeout(PUSH_LIMIT_MS),
  });
  if (!response.ok) throw new Error(`${response.status} ${(await response.text()).trim().slice(0, 200)}`);
}

/** Each holds it for a moment. */
const MOST_LOCKED_MS = 10_000;

/** The lock of a file of verdicts: only this host writes it. */
export const verdictLock = (file: string): string => `pi-bench-verdicts-${sha256(file).slice(0, 32)}`;

/** One qualification of this host after the other: each reads what is there and writes it with its own beside it. */
async function alone(file: string, work: () => void): Promise<void> {
  const signal = AbortSignal.timeout(MOST_LOCKED_MS);
  const lock = await takeSocketLock(
    verdictLock(file),
    `process ${process.pid}`,
    () => {},
    () => {},
    signal,
  );
  try {
    work();
  } finally {
    lock.release();
  }
}

function verdictOf({ qualification }: Judged, path: string): CachedVerdict {
  const { outcome, suite, endedAt, checks, expected, baseline } = qualification;
  const [first] = standingInTheWay(qualification);
  return {
    outcome,
    suite: suite.name,
    tier: suite.tier,
    at: endedAt,
    why: first === undefined ? null : `${first.id}${first.cause === null ? '' : ` ${first.cause}`}`,
    checks: checks.length,
    record: resolve(path),
    held: [
      ...Object.entries(expected).map(([name, count]) => `${name}=${count}`),
      ...(baseline === null ? [] : ['baseline']),
    ],
  };
}

/**
 * Leaves the answer for `pi-bench verdict`, beside those of other suites that it does not settle anew.
 * @throws the system's error, or where somebody else does not let go of the file
 */
export async function keepVerdict(
  record: Judged,
  path: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const own = verdictOf(record, path);
  const file = verdictFile(env);
  makeFolder(dirname(file));
  await alone(file, () => {
    const before = parseVerdicts(readVerdicts(null, env), hostname());
    const all: VerdictFile = {
      kind: 'pi-bench verdicts',
      schemaVersion: 1,
      hostname: hostname(),
      verdicts: [...before.filter((earlier) => !supersedes(own, earlier)), own],
    };
    writeFileAtomic(file, `${JSON.stringify(all)}\n`);
  });
}
