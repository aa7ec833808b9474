/** What a criterion is, and what all of them are made with. Pure. */
import type { GpuDescription, GpuSurvey, Unheard } from '../../machine/gpus.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Finding, PiBenchRecord, RecordBatch, Verdict } from '../../record/schema.js';
import type { Ratio } from '../../units.js';
import type { Baseline } from '../baseline-schema.js';
import { type Cause, causeNamed, explainedBy } from '../causes.js';
import { findingText, isKnown, isNotSeen, skipped, worstOf } from '../findings.js';
import { identitiesOf } from '../same-batch.js';
import { namedParts } from '../suite.js';
import { type CheckKind, type CheckOf, PART, type SuiteCheck } from '../suite-file.js';

/** An earlier qualified run of a machine with the same serials. */
export interface HistoryRun {
  readonly campaign: string;
  readonly at: string;
  /** Of the pi-bench that measured it. */
  readonly version: string;
  /** By `baselineKey` with the device's serial in it. */
  readonly rates: ReadonlyMap<string, number>;
}

/** Errors that the host's memory controllers have counted since boot. */
export interface MemoryErrors {
  readonly corrected: number;
  readonly uncorrected: number;
}

/** What cannot be had from a description of the machine. */
export interface Surroundings {
  /** Share of all CPUs that was busy before anything was measured; null: the kernel does not tell. */
  readonly busy: Ratio | null;
  /** Before anything was measured; null: the controllers do not tell (EDAC). */
  readonly memoryErrors: MemoryErrors | null;
  /** The GPUs as they were before anything was measured, where a boot lies between that and what the machine is now. */
  readonly gpus?: readonly GpuDescription[];
}

/** GPUs whose driver was not heard when it was asked again. */
interface UnheardAgain extends Pick<Unheard, 'unheard'> {
  /** Less was left than a driver that is well may take: that it was silent says nothing of it. */
  readonly noTime: boolean;
}

/** A second look, when what was asked for had been measured: counters are judged by what came meanwhile. */
export interface Aftermath {
  readonly memoryErrors: MemoryErrors | null;
  readonly gpus: Pick<GpuSurvey, 'problem' | 'devices'> | UnheardAgain;
}

export interface Context {
  /** Name of the suite, as the source of limits. */
  readonly source: string;
  readonly machine: MachineDescription;
  readonly surroundings: Surroundings;
  /** null: nobody looked again. */
  readonly after: Aftermath | null;
  /** null: nothing was measured. */
  readonly record: PiBenchRecord | null;
  /** Of the first attempt, which has every batch; null: this is the first. */
  readonly reference: PiBenchRecord | null;
  readonly expected: Readonly<Record<string, number>>;
  readonly baseline: Baseline | null;
  readonly history: readonly HistoryRun[];
}

/** What one check came to in one attempt. */
export interface Judgement {
  readonly id: string;
  readonly kind: CheckKind;
  readonly part: string | null;
  readonly device: string | null;
  readonly batch: number | null;
  /** Whether it could be judged here at all; where not, a suite that does not insist does without. */
  readonly possible: boolean;
  readonly verdict: Verdict;
  /** Inconclusive only for what cannot be seen on this machine, however often it is measured. */
  readonly blind: boolean;
  readonly cause: Cause | null;
  readonly reason: string;
  readonly findings: readonly Finding[];
}

export interface Criterion<K extends CheckKind = CheckKind> {
  readonly kind: K;
  /** Of performance: what does not hold once has to be seen again before it counts. */
  readonly repeats: boolean;
  judge(check: CheckOf<K>, context: Context): readonly Judgement[];
}

export interface Judged {
  readonly part?: string;
  readonly device?: string;
  readonly batch?: number;
  readonly possible?: boolean;
  readonly findings: readonly Finding[];
  /** Of findings that do not hold. */
  readonly cause: Cause | null;
  /** What is known of it beside the findings. */
  readonly because?: string;
}

const idOf = (kind: string, part?: string, device?: string): string =>
  `${kind}${part === undefined ? '' : `/${part}`}${device === undefined ? '' : `@${device}`}`;

const isOpen = ({ verdict }: Finding): boolean => verdict === 'inconclusive';
const holds = (verdict: Verdict): boolean => verdict === 'pass' || verdict === 'skipped';
/** As far as it was judged. */
const qualifies = (verdict: Verdict): boolean => verdict === 'pass' || verdict === 'warn';

/** The verdict of findings together, with its reason: of those that do not hold, else of all. */
export function judged(
  check: SuiteCheck,
  { part, device, batch, possible = true, findings, cause, because }: Judged,
): Judgement {
  const worst = worstOf(findings.map(({ verdict }) => verdict));
  // A warning is all that it can come to, also where others at work or peers that differ leave open what a figure shows.
  const isBad = worst === 'fail' || (worst === 'inconclusive' && findings.filter(isOpen).every(isKnown));
  const reached = isBad && check.level === 'warn' ? 'warn' : worst;
  // Where a suite insists on a check it insists on all of its limits: that the others hold must not answer for one that nobody saw.
  const blind = check.required === true && qualifies(reached) && findings.some(isNotSeen);
  const verdict = blind ? 'inconclusive' : reached;
  const telling = findings.filter((finding) => !holds(finding.verdict) || (blind && isNotSeen(finding)));
  const texts = (telling.length > 0 ? telling : findings).map(findingText);
  const fine = holds(verdict);
  return {
    id: idOf(check.check, part, device),
    kind: check.check,
    part: part ?? null,
    device: device ?? null,
    batch: batch ?? null,
    possible,
    verdict,
    blind,
    cause: fine ? null : blind ? causeNamed('not-seen') : cause,
    reason: [...texts, ...(because === undefined || fine ? [] : [because])].join('; '),
    findings,
  };
}

export interface PartBatch {
  readonly batch: RecordBatch;
  readonly index: number;
  readonly part: string;
}

/**
 * Launches whose document tells of repetitions: of the others nothing was seen, which is not the same as that nothing happened.
 * One that was stopped before its first leaves a document, too, with no flag in it, and nothing that says why there is none.
 */
export const seenLaunches = ({ inspections }: RecordBatch): RecordBatch['inspections'] =>
  inspections.filter(({ file, statistics }) => file !== null && statistics !== null);

export const partOf = ({ asked }: Pick<RecordBatch, 'asked'>): string | undefined => asked.labels?.[PART];

/** The batches that a check is about. */
export function batchesFor(
  { parts }: { readonly parts?: readonly string[] | undefined },
  record: PiBenchRecord | null,
): readonly PartBatch[] {
  return (record?.batches ?? []).flatMap((batch, index) => {
    const part = partOf(batch);
    return part === undefined || parts?.includes(part) === false ? [] : [{ batch, index, part }];
  });
}

/** Several batches of one part on one device (a sweep) are told apart by their number in the first attempt. */
function placesOf(batches: readonly PartBatch[]): readonly string[] {
  const counts = new Map<string, number>();
  const of = ({ part, batch }: PartBatch): string => `${part}@${batch.device}`;
  const numbers = batches.map((one) => {
    const number = (counts.get(of(one)) ?? 0) + 1;
    counts.set(of(one), number);
    return number;
  });
  return batches.map((one, i) => (counts.get(of(one)) === 1 ? one.part : `${one.part}#${numbers[i]}`));
}

interface Place {
  readonly place: string;
  readonly batch: RecordBatch;
}

const identities = (batches: readonly PartBatch[]): readonly string[] =>
  identitiesOf(batches.map(({ batch }) => batch));

/** By the identity of a batch, what it is called and what it was in the first attempt. */
function firstAttempt(batches: readonly PartBatch[]): ReadonlyMap<string, Place> {
  const places = placesOf(batches);
  const all = identities(batches);
  return new Map(
    batches.map(({ batch, part }, i) => [all[i] ?? '', { batch, place: places[i] ?? part }] as const),
  );
}

/**
 * A judgement for each batch that it is about, and one for each part that a suite insists on by its name and of which there is no batch:
 * that the others hold must not answer for it. Where there is no batch at all, one that says so.
 * @param judge is given the same batch in the first attempt, too; null: this is the first
 */
export function judgeBatches(
  check: SuiteCheck & { readonly parts?: readonly string[] | undefined },
  { record, reference, source }: Context,
  judge: (batch: RecordBatch, first: RecordBatch | null) => Omit<Judged, 'part' | 'device' | 'batch'>,
  isAbout: (batch: RecordBatch) => boolean = () => true,
): readonly Judgement[] {
  // Of no part: each has a check of its own.
  if (check.parts?.length === 0) return [];
  const all = batchesFor(check, record);
  const known = identities(all);
  const batches = all
    .map((one, i) => ({ ...one, identity: known[i] ?? '' }))
    .filter(({ batch }) => isAbout(batch));
  const first = batchesFor(check, reference ?? record);
  const none = (parts: readonly string[]): string => `nothing was measured of ${parts.join(', ')}`;
  const there = new Set(first.filter(({ batch }) => isAbout(batch)).map(({ part }) => part));
  const insisted = check.required === true && check.asKind !== true ? (namedParts(check) ?? []) : [];
  const lacked = insisted
    .filter((part) => !there.has(part))
    .map((part) => notPossible(check, none([part]), source, [part]));
  if (batches.length === 0)
    return lacked.length > 0 ? lacked : [notPossible(check, none(check.parts ?? ['any part']), source)];
  const places = firstAttempt(first);
  const made = batches.map(({ batch, index, part, identity }) => {
    const before = places.get(identity);
    const came = judge(batch, reference === null ? null : (before?.batch ?? null));
    return judged(check, { part: before?.place ?? part, device: batch.device, batch: index, ...came });
  });
  return [...made, ...lacked];
}

/** The place of what is about no batch: two checks of one kind must not be taken for attempts at one of them. */
export function placeOf(
  check: SuiteCheck,
  parts: readonly string[] | null = namedParts(check),
): Pick<Judged, 'part'> {
  return parts === null ? {} : { part: parts.join('+') };
}

/** What cannot be judged on this machine. @param parts of which; left out: those that the check names */
export const notPossible = (
  check: SuiteCheck,
  why: string,
  source: string,
  parts?: readonly string[],
): Judgement =>
  judged(check, {
    ...placeOf(check, parts),
    possible: false,
    findings: [
      {
        quantity: check.check,
        measured: null,
        unit: null,
        limit: null,
        bound: 'none',
        source,
        verdict: 'skipped',
        note: why,
      },
    ],
    cause: null,
  });

/** Why launches did not come to their end. Those that did not even begin, or that somebody stopped, had no time: nothing was lost of them. */
export const whyNotEnded = (lost: RecordBatch['inspections']): Cause =>
  causeNamed(lost.every(({ status }) => status === 'interrupted') ? 'no-time' : 'lost-launch');

/** Why a batch shows nothing. */
export const nothingToShow = ({ inspections }: RecordBatch): Cause => whyNotEnded(inspections);

/** Why a figure of a batch is not known: launches that are missing may have had it, or those that came do not tell. */
function whyNotTold({ inspections, planned }: RecordBatch): Cause {
  const lost = inspections.filter(({ status }) => status !== 'measured');
  return inspections.length < planned || lost.length > 0 ? whyNotEnded(lost) : causeNamed('not-told');
}

function scoreless({ verified, measured }: RecordBatch): string {
  if (verified === 'failed') return 'it has no score, as its output was wrong';
  return measured === 0 ? 'it has no score, as no launch of it was measured to its end' : 'it has no rate';
}

/**
 * A judgement of speed: what does not hold is explained by the batch's flags where they can; where others worked here
 * meanwhile, it says nothing of the node. What nobody knows is neither slow nor unsteady, whatever else went on. Without a score there is nothing to judge, nor to measure again: why that is, correctness
 * and completeness say; required it stays, so that no node passes by it.
 */
export function speedOf(
  batch: RecordBatch,
  findings: readonly Finding[],
  unexplained: 'slow' | 'unsteady' | 'stopped' | 'shared',
): Omit<Judged, 'part' | 'device' | 'batch'> {
  if (batch.rate === null) {
    return { findings: [skipped('rate', scoreless(batch), 'the record')], cause: causeNamed('lost-launch') };
  }
  const open = findings.filter(isOpen);
  const isBad = findings.some(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  if (!isBad && open.length > 0 && !open.some(isKnown)) return { findings, cause: whyNotTold(batch) };
  const explained = explainedBy(batch.flags);
  if (explained === null)
    return { findings, cause: causeNamed(isBad || open.length === 0 ? unexplained : 'not-told') };
  const busy = explained.cause.name === 'busy';
  return {
    findings: busy
      ? findings.map((one) => (one.verdict === 'fail' ? { ...one, verdict: 'inconclusive' as const } : one))
      : findings,
    cause: explained.cause,
    because: explained.reason,
  };
}
