/** The qualification part of a record, from what was judged in each attempt. Pure. */
import { gpuNamed } from '../devices/device.js';
import { machineIdentity } from '../machine/same-machine.js';
import type { MachineDescription } from '../machine/types.js';
import { digestOf } from '../record/digest.js';
import {
  type PiBenchRecord,
  type Qualification,
  type QualificationCheck,
  written,
} from '../record/schema.js';
import type { Seconds } from '../units.js';
import { isNotSeen, quantityText } from './findings.js';
import { serialOf } from './rates.js';
import type { Suite } from './suite.js';
import { checksOf, type JudgedCheck, outcomeOf } from './verdict.js';

export interface QualificationInput {
  readonly suite: Suite;
  readonly machine: MachineDescription;
  readonly expected: Readonly<Record<string, number>>;
  readonly baseline: Qualification['baseline'];
  readonly startedAt: string;
  readonly endedAt: string;
  readonly wall: Seconds;
  /** Of each attempt what its checks came to. */
  readonly judged: readonly (readonly JudgedCheck[])[];
  readonly attempts: Qualification['attempts'];
  /** By a signal. */
  readonly interrupted: boolean;
  /** Beside what the checks say themselves. */
  readonly notJudged: readonly string[];
}

function identityOf(machine: MachineDescription): Qualification['identity'] {
  const gpus = machine.gpus?.devices ?? [];
  return {
    machine: machineIdentity(machine),
    hostname: machine.os.hostname,
    devices: [
      { device: 'cpu', name: machine.cpu.modelName, ...serialOf(machine, 'cpu') },
      ...gpus.map(({ ordinal, name }) => ({
        device: gpuNamed(ordinal),
        name,
        ...serialOf(machine, gpuNamed(ordinal)),
      })),
    ],
  };
}

/** What a check does not say: all of it where it was skipped, else those of its limits that could not be seen, by why they could not. */
function silenceOf({ verdict, reason, findings }: QualificationCheck): readonly string[] {
  if (verdict === 'skipped') return [reason];
  const unseen = new Map<string, string[]>();
  for (const finding of findings.filter(isNotSeen)) {
    const why = finding.note ?? 'it is not known';
    unseen.set(why, [...(unseen.get(why) ?? []), quantityText(finding)]);
  }
  return [...unseen].map(([why, quantities]) => `${quantities.join(', ')}: ${why}`);
}

/** From so many places on those of a check are not listed, where they are all that it has. */
const MANY_PLACES = 4;

/** Of which part on which device; nothing where it is about no part in particular. */
const placeOf = ({ part, device }: QualificationCheck): string =>
  [part, device === null || device === 'cpu' ? null : device].filter((word) => word !== null).join(' on ');

/** ` (exact, triad)`, ` (all 29 parts)`. */
function placesText(of: readonly string[], all: number): string {
  if (of.includes('')) return '';
  return of.length >= MANY_PLACES && of.length === all ? ` (all ${all} parts)` : ` (${of.join(', ')})`;
}

/** What was not judged for one reason is told once: `clock (exact, triad): no counters here`; where it is so of no part in particular, without parts. */
function notJudgedTexts(checks: readonly QualificationCheck[]): readonly string[] {
  const groups = new Map<string, { readonly kind: string; readonly reason: string; readonly of: string[] }>();
  const places = new Map<string, Set<string>>();
  for (const check of checks) {
    const { kind } = check;
    const place = placeOf(check);
    if (place !== '') places.set(kind, (places.get(kind) ?? new Set()).add(place));
    for (const reason of silenceOf(check)) {
      const key = `${kind} ${reason}`;
      const group = groups.get(key) ?? { kind, reason, of: [] };
      groups.set(key, group);
      group.of.push(place);
    }
  }
  return [...groups.values()].map(
    ({ kind, reason, of }) =>
      `${kind}${placesText([...new Set(of)], places.get(kind)?.size ?? 0)}: ${reason}`,
  );
}

export function qualificationOf(input: QualificationInput): Qualification {
  const { suite, machine, judged, notJudged } = input;
  const checks = checksOf(judged, input.interrupted);
  return {
    suite: { name: suite.name, tier: suite.tier, file: suite.file, sha256: suite.sha256 },
    outcome: outcomeOf(checks),
    startedAt: input.startedAt,
    endedAt: input.endedAt,
    wall: input.wall,
    identity: identityOf(machine),
    expected: { ...input.expected },
    baseline: input.baseline,
    checks: [...checks],
    attempts: [...input.attempts],
    notJudged: [...notJudgedTexts(checks), ...notJudged],
  };
}

/** The record with its verdict, sealed anew. */
export function withQualification(record: PiBenchRecord, qualification: Qualification): PiBenchRecord {
  const checked = written.record.parse({ ...record, qualification, digest: '' });
  return { ...checked, digest: digestOf(checked) };
}
