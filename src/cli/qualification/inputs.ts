/** What a qualification is given beside its suite: counts that are expected, a baseline, its own history. The edge to the disk. */
import { UserError } from '../../errors.js';
import type { MachineDescription } from '../../machine/types.js';
import { devicesOfMachine, requireSameHardware } from '../../qualify/baseline.js';
import type { HistoryRun } from '../../qualify/criteria/criterion.js';
import { COUNTED } from '../../qualify/criteria/host.js';
import { historyRun, MOST_RUNS } from '../../qualify/history.js';
import { readBaseline } from '../../qualify/read-baseline.js';
import { CHECKS, type Suite } from '../../qualify/suite.js';
import { sha256 } from '../../record/digest.js';
import { readRecord } from '../../record/read.js';
import { findRecords } from '../../store/find-records.js';
import type { QualifyInput } from './qualify.js';

/**
 * `gpu=8,cpu=64`
 * @throws UserError
 */
export function parseExpected(text: string | null): Readonly<Record<string, number>> {
  if (text === null) return {};
  const pairs = text.split(',').map((item): [string, number] => {
    const [, name = '', digits = ''] = /^\s*([a-z]+)\s*=\s*(\d+)\s*$/.exec(item) ?? [];
    if (!Object.hasOwn(COUNTED, name)) {
      throw new UserError(
        `--expect takes counts of ${Object.keys(COUNTED).join(', ')}, such as gpu=8,cpu=64; got "${item.trim()}"`,
      );
    }
    return [name, Number(digits)];
  });
  return Object.fromEntries(pairs);
}

/** @throws UserError for a baseline that cannot be read, is beyond physics, or is of other hardware */
export function baselineOf(path: string | null, machine: MachineDescription): QualifyInput['baseline'] {
  if (path === null) return null;
  const { baseline, text } = readBaseline(path);
  requireSameHardware(baseline, devicesOfMachine(machine), path, 'here is');
  const { name, nodes } = baseline;
  return { data: baseline, said: { file: path, sha256: sha256(text), name, nodes: nodes.length } };
}

/** Earlier qualified runs below a results folder; what cannot be read is no history. */
export function readHistory(out: string, suite: Suite): readonly HistoryRun[] {
  if (!suite.checks.some(({ check }) => check === 'history')) return [];
  return findRecords(out, `qualify-${suite.name}`)
    .slice(0, MOST_RUNS)
    .flatMap((path) => {
      try {
        return historyRun(readRecord(path).record) ?? [];
      } catch (error) {
        if (error instanceof UserError) return [];
        throw error;
      }
    });
}

/**
 * A suite of which some checks have to be judged, whatever the suite itself leaves open.
 * @throws UserError for a check that the suite does not have
 */
export function requiring(suite: Suite, text: string | null): Suite {
  if (text === null) return suite;
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!CHECKS.includes(name))
      throw new UserError(`--require ${name}: there is no such check; there is ${CHECKS.join(', ')}`);
    if (!suite.checks.some(({ check }) => check === name))
      throw new UserError(`--require ${name}: suite ${suite.name} has no such check`);
  }
  const checks = suite.checks.map((one) => (names.includes(one.check) ? { ...one, required: true } : one));
  return { ...suite, checks };
}
