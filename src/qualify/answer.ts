/**
 * The cached answer of a node: what the last qualification came to, in a small file of its own. Whoever asks every minute must
 * not read records, so this file imports nothing but what Node has.
 */
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';

/** As it lies on disk. */
export interface CachedVerdict {
  readonly kind: 'pi-bench verdict';
  readonly schemaVersion: 1;
  readonly outcome: 'qualified' | 'not-qualified' | 'inconclusive';
  readonly suite: string;
  /** ISO: when the qualification ended. */
  readonly at: string;
  readonly hostname: string;
  /** Of the first check that stands in the way: `sustained: cpu-quota`; null: none does. */
  readonly why: string | null;
  readonly checks: number;
  readonly record: string;
}

export interface Answer {
  /** Under 80 bytes. */
  readonly line: string;
  readonly code: 0 | 1 | 2;
}

const MOST_BYTES = 79;
const CODES = { qualified: 0, 'not-qualified': 1, inconclusive: 2 } as const;

/** Of this user; what root keeps is not what others may write. */
export function verdictFile(env: NodeJS.ProcessEnv = process.env): string {
  const state = env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
  return join(state, 'pi-bench', 'verdict.json');
}

/** Whole characters, in UTF-8. */
export function cut(text: string, most = MOST_BYTES): string {
  if (Buffer.byteLength(text) <= most) return text;
  let shorter = text;
  while (Buffer.byteLength(`${shorter}~`) > most) shorter = shorter.slice(0, -1);
  return `${shorter}~`;
}

/** `2 h`, `35 min`. */
export function ageText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

function isVerdict(json: unknown): json is CachedVerdict {
  const verdict = json as Partial<CachedVerdict> | null;
  return (
    verdict?.kind === 'pi-bench verdict' &&
    verdict.schemaVersion === 1 &&
    Object.hasOwn(CODES, verdict.outcome ?? '') &&
    Number.isFinite(Date.parse(verdict.at ?? ''))
  );
}

const unknown = (why: string): Answer => ({ line: cut(`inconclusive: ${why}`), code: 2 });

/**
 * What to answer with what the file holds.
 * @param text of the file; null: there is none
 * @param now milliseconds since 1970
 */
export function answerOf(text: string | null, maxAge: number, now: number, host: string): Answer {
  if (text === null) return unknown('no verdict yet; run: pi-bench qualify');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = null;
  }
  if (!isVerdict(json)) return unknown('the cached verdict is broken; run: pi-bench qualify');
  if (json.hostname !== host) return unknown(`the verdict is of ${json.hostname}; run: pi-bench qualify`);
  const age = (now - Date.parse(json.at)) / 1000;
  if (age < -60) return unknown('the verdict is from the future: look at the clock');
  if (age > maxAge) return unknown(`the verdict is ${ageText(age)} old; run: pi-bench qualify`);
  const { outcome, suite, why, checks } = json;
  const what = why === null ? `${checks} checks` : why;
  return { line: cut(`${outcome} ${suite} ${ageText(Math.max(0, age))} ago: ${what}`), code: CODES[outcome] };
}

export function readAnswer(path: string, maxAge: number): Answer {
  let text: string | null = null;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // Nobody asked yet, or it was somebody else.
  }
  return answerOf(text, maxAge, Date.now(), hostname());
}
