/** What a qualification is given beside its suite: counts that are expected, a baseline, its own history. The edge to the disk. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { messageOf, UserError } from '../../errors.js';
import type { MachineDescription } from '../../machine/types.js';
import { devicesOfMachine, parseBaseline, requireSameKind } from '../../qualify/baseline.js';
import { machineOf } from '../../qualify/baseline-key.js';
import type { HistoryRun } from '../../qualify/criteria/criterion.js';
import { COUNTED, SIZED } from '../../qualify/criteria/host.js';
import { historyRun, MOST_RUNS } from '../../qualify/history.js';
import { serialsOf } from '../../qualify/rates.js';
import type { Suite } from '../../qualify/suite.js';
import { plural } from '../../quantities/format.js';
import { parseBytes } from '../../quantities/parse.js';
import { sha256 } from '../../record/digest.js';
import { findRecords } from '../../store/find-records.js';
import { readRecordOrNull } from '../../store/read-record.js';
import type { Bytes } from '../../units.js';
import { say } from '../say.js';
import type { NamedText } from './asked.js';
import type { QualifyInput } from './qualify.js';

/** null: no whole number of what is counted, or no size with its unit of what has one. */
const expectedOf = (name: string, text: string): number | null =>
  Object.hasOwn(SIZED, name) ? parseBytes(text) : /^\d+$/.test(text) ? Number(text) : null;

/**
 * `gpu=8,cpu=64,memory=768GiB`
 * @throws UserError
 */
export function parseExpected(given: string | null): Readonly<Record<string, number>> {
  if (given === null) return {};
  const seen = new Set<string>();
  const pairs = given.split(',').map((item): [string, number] => {
    const [, name = '', text = ''] = /^\s*([a-z]+)\s*=\s*(\S+)\s*$/.exec(item) ?? [];
    const wanted = Object.hasOwn({ ...COUNTED, ...SIZED }, name) ? expectedOf(name, text) : null;
    if (wanted === null) {
      const sizes = Object.keys(SIZED).join(', ');
      throw new UserError(
        `--expect takes counts of ${Object.keys(COUNTED).join(', ')} and the size of ${sizes}, such as gpu=8,cpu=64,memory=768GiB; got "${item.trim()}"`,
      );
    }
    if (seen.has(name))
      throw new UserError(`--expect names ${name} twice: which count holds nobody can tell`);
    seen.add(name);
    return [name, wanted];
  });
  return Object.fromEntries(pairs);
}

/**
 * What a node is to be held to takes a check that holds it: without one it would be given and forgotten.
 * @throws UserError
 */
export function requireChecksFor(
  { name, checks }: Suite,
  { expect, baseline }: { readonly expect: string | null; readonly baseline: string | null },
): void {
  const has = (kind: string): boolean => checks.some(({ check }) => check === kind);
  if (expect !== null && !has('counts'))
    throw new UserError(`--expect: suite ${name} has no check counts, so nothing would be held to it`);
  if (baseline !== null && !has('floor'))
    throw new UserError(
      `--baseline: suite ${name} has no check floor, so nothing would be held to it; t1 and above have it`,
    );
}

/** @throws UserError for a file that cannot be read */
export function readText(path: string | null, what: string): NamedText | null {
  if (path === null) return null;
  try {
    return { file: path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new UserError(`cannot read ${what}: ${messageOf(error)}`);
  }
}

/** @throws UserError for a baseline that is none, is beyond physics, or is of another kind of hardware */
export function baselineFrom(given: NamedText | null, machine: MachineDescription): QualifyInput['baseline'] {
  if (given === null) return null;
  const { file, text } = given;
  const data = parseBaseline(text, file);
  requireSameKind(data, devicesOfMachine(machine), file);
  return { data, said: { file, sha256: sha256(text), name: data.name, nodes: data.nodes.length } };
}

/** A record begins with its campaign and its machine; what was measured, most of it by far, begins with this line. */
const AFTER_MACHINE = /\n "machine": \{[\s\S]*\n "batches": \[/;
const PIECE: Bytes = 2 ** 16;

/** Whether it is of one of these machines or devices, as far as its beginning tells: reading all of it takes a hundred times as long. */
function mayBeOf(path: string, serials: readonly string[]): boolean {
  const texts = serials.map((serial) => Buffer.from(JSON.stringify(serial)).toString('latin1'));
  const piece = Buffer.alloc(PIECE);
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    let head = '';
    for (;;) {
      const read = readSync(file, piece);
      // Of one byte a character, so that none is cut in two.
      head += piece.toString('latin1', 0, read);
      if (texts.some((text) => head.includes(text))) return true;
      if (read === 0 || AFTER_MACHINE.test(head)) return false;
    }
  } catch {
    return false;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** null: it is none of that suite and of one of these machines or devices, was not qualified, or cannot be read. */
function ownRun(path: string, { name }: Suite, serials: readonly string[]): HistoryRun | null {
  const record = readRecordOrNull(path);
  if (record === null || record.qualification?.suite.name !== name) return null;
  return serialsOf(machineOf(record)).some((one) => serials.includes(one)) ? historyRun(record) : null;
}

/** Looking at the beginning of a record takes some tenths of a millisecond, and reading it some hundredths of a second. */
export interface MostOfHistory {
  readonly lookedAt: number;
  readonly read: number;
}

const MOST: MostOfHistory = { lookedAt: 10_000, read: 300 };

/**
 * Earlier qualified runs of this suite and of devices of this machine below a results folder, the newest of them; what cannot be read
 * is no history. Only what is one counts: runs that failed, and those of other nodes beside them, must not push it out. Where there
 * are more than can be looked at, that is said: of older ones nobody knows whether they are this node's.
 */
export function readHistory(
  out: string,
  suite: Suite,
  machine: MachineDescription,
  most: MostOfHistory = MOST,
): readonly HistoryRun[] {
  if (!suite.checks.some(({ check }) => check === 'history')) return [];
  const serials = serialsOf(machine);
  // A machine that tells none has no runs that are known to be its own.
  if (serials.length === 0) return [];
  const all = findRecords(out, `qualify-${suite.name}`);
  const runs: HistoryRun[] = [];
  let read = 0;
  for (const [lookedAt, path] of all.entries()) {
    if (runs.length === MOST_RUNS) break;
    const isOwn = lookedAt < most.lookedAt && mayBeOf(path, serials);
    if (lookedAt === most.lookedAt || (isOwn && read === most.read)) {
      say(
        `history: of ${plural(all.length, 'earlier run')} of suite ${suite.name} in ${out} the newest ${lookedAt} were looked at: ${plural(runs.length, 'qualified run')} of this node`,
      );
      break;
    }
    if (!isOwn) continue;
    read++;
    const run = ownRun(path, suite, serials);
    if (run !== null) runs.push(run);
  }
  return runs;
}
