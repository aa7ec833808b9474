/** What a qualification is given beside its suite: counts that are expected, a baseline, its own history. The edge to the disk. */
import { readFileSync } from 'node:fs';
import { messageOf, UserError } from '../../errors.js';
import type { MachineDescription } from '../../machine/types.js';
import { devicesOfMachine, parseBaseline, requireSameHardware } from '../../qualify/baseline.js';
import { machineOf } from '../../qualify/baseline-key.js';
import type { HistoryRun } from '../../qualify/criteria/criterion.js';
import { COUNTED } from '../../qualify/criteria/host.js';
import { historyRun, MOST_RUNS } from '../../qualify/history.js';
import { serialsOf } from '../../qualify/rates.js';
import type { Suite } from '../../qualify/suite.js';
import { sha256 } from '../../record/digest.js';
import { findRecords } from '../../store/find-records.js';
import { readRecordOrNull } from '../../store/read-record.js';
import type { NamedText } from './asked.js';
import type { QualifyInput } from './qualify.js';

/**
 * `gpu=8,cpu=64`
 * @throws UserError
 */
export function parseExpected(text: string | null): Readonly<Record<string, number>> {
  if (text === null) return {};
  const seen = new Set<string>();
  const pairs = text.split(',').map((item): [string, number] => {
    const [, name = '', digits = ''] = /^\s*([a-z]+)\s*=\s*(\d+)\s*$/.exec(item) ?? [];
    if (!Object.hasOwn(COUNTED, name)) {
      throw new UserError(
        `--expect takes counts of ${Object.keys(COUNTED).join(', ')}, such as gpu=8,cpu=64; got "${item.trim()}"`,
      );
    }
    if (seen.has(name))
      throw new UserError(`--expect names ${name} twice: which count holds nobody can tell`);
    seen.add(name);
    return [name, Number(digits)];
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

/** @throws UserError for a baseline that is none, is beyond physics, or is of other hardware */
export function baselineFrom(given: NamedText | null, machine: MachineDescription): QualifyInput['baseline'] {
  if (given === null) return null;
  const { file, text } = given;
  const data = parseBaseline(text, file);
  requireSameHardware(data, devicesOfMachine(machine), file, 'here is');
  return { data, said: { file, sha256: sha256(text), name: data.name, nodes: data.nodes.length } };
}

/** Reading one takes some hundredths of a second, and a folder that a fleet shares has thousands. */
const MOST_READ = 300;

/**
 * Earlier qualified runs of this suite and of devices of this machine below a results folder, the newest of them; what cannot be read
 * is no history. Only what is one counts: runs that failed, and those of other nodes beside them, must not push it out.
 */
export function readHistory(out: string, suite: Suite, machine: MachineDescription): readonly HistoryRun[] {
  if (!suite.checks.some(({ check }) => check === 'history')) return [];
  const own = new Set(serialsOf(machine));
  const runs: HistoryRun[] = [];
  for (const path of findRecords(out, `qualify-${suite.name}`).slice(0, MOST_READ)) {
    const record = readRecordOrNull(path);
    const isOurs =
      record?.qualification?.suite.name === suite.name &&
      serialsOf(machineOf(record)).some((one) => own.has(one));
    const run = record !== null && isOurs ? historyRun(record) : null;
    if (run !== null) runs.push(run);
    if (runs.length === MOST_RUNS) break;
  }
  return runs;
}
