/** Where a campaign stands by its journal and by what lies beside that, before anything is changed: what is still to be launched, and what that is held to. */
import { environmentsOf } from '../campaign/environments-of-journal.js';
import { leftToLaunch } from '../campaign/left-to-launch.js';
import { doneSoFar } from '../campaign/progress-of-journal.js';
import { decidesOnTheWay } from '../campaign/schedule.js';
import { UserError } from '../errors.js';
import type { BatchEnd, InspectionEnd } from '../record/inspection-end.js';
import type { BatchSpec, Campaign, InspectionDocument } from '../record/schema.js';
import type { Journal, JournalEntry } from '../store/journal.js';
import { readInspection } from '../store/read-inspection.js';
import { inspectionPath, type Store } from '../store/store.js';

type Read = Store['readInspection'];

/** What a launch left, where that can be read. */
function documentOf(read: Read, index: number): InspectionDocument | null {
  try {
    return read(index)?.document ?? null;
  } catch {
    // Where it is a result, it will be measured again, which is said where that is decided.
    return null;
  }
}

/** The journal's missing lines: of what workers wrote before the kill although the campaign had not yet noted it. */
export function unnotedEnds(
  read: Read,
  campaign: string,
  open: ReadonlyMap<number, number>,
): readonly JournalEntry[] {
  return [...open].flatMap(([index, attempt]): JournalEntry[] => {
    const document = documentOf(read, index);
    if (document?.campaign !== campaign || document.attempt !== attempt || document.ended !== 'complete')
      return [];
    const wrong = document.verification?.passed === false;
    return [
      {
        event: 'ended',
        index,
        attempt,
        status: wrong ? 'wrong' : 'measured',
        reason: wrong ? 'the output is wrong' : null,
        wall: document.spans.reduce((sum, { seconds }) => sum + seconds, 0),
        at: new Date().toISOString(),
      },
    ];
  });
}

/** Why what an ended inspection left cannot be read; null: it can, or it left nothing. */
export function unreadable(read: Read, { index, status }: InspectionEnd): string | null {
  try {
    const there = read(index) !== null;
    return there || (status !== 'measured' && status !== 'wrong') ? null : 'its document is gone';
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

export interface Forgotten {
  /** To be noted. */
  readonly entries: readonly JournalEntry[];
  /** For a person. */
  readonly text: string;
}

/** What cannot be read any more is not done. Where it decided what came after it, neither is that. null: all can be read. */
export function forgotten(
  read: Read,
  campaign: Campaign,
  entries: readonly JournalEntry[],
): Forgotten | null {
  const ends = [...doneSoFar(entries).ends.values()].sort((a, b) => a.index - b.index);
  const found = ends.flatMap((end) => {
    const why = unreadable(read, end);
    return why === null ? [] : [{ end, why }];
  });
  const [first] = found;
  if (first === undefined) return null;
  const behind = decidesOnTheWay(campaign)
    ? ends.filter(({ index }) => index > first.end.index && !found.some(({ end }) => end.index === index))
    : [];
  const launch = first.end.index + 1;
  const because = `it followed from launch ${launch}`;
  const rest = [
    ...(found.length > 1 ? [`${found.length - 1} more`] : []),
    ...(behind.length > 0 ? [`${behind.length} that followed from it`] : []),
  ];
  return {
    entries: [...found, ...behind.map((end) => ({ end, why: because }))].map(
      ({ end: { index, attempt }, why }): JournalEntry => ({
        event: 'gone',
        index,
        attempt,
        reason: why,
        at: new Date().toISOString(),
      }),
    ),
    text: `launch ${launch}${rest.length > 0 ? ` and ${rest.join(', ')}` : ''} will be measured again: ${first.why}`,
  };
}

/** A batch of a campaign that is to go on. */
export interface BatchSoFar {
  readonly batch: BatchSpec;
  /** Launches that it would still make, as far as can be told; none where no budget is left for any. */
  readonly toCome: number;
  /** Of the first launch that is there, to which a record holds all others; null: none has left a document. */
  readonly first: InspectionDocument | null;
  /** The variables around that launch; null: nothing tells. */
  readonly environment: Readonly<Record<string, string>> | null;
}

function firstDocument(read: Read, ends: readonly BatchEnd[]): InspectionDocument | null {
  for (const { index, attempt } of ends) {
    const document = documentOf(read, index);
    if (document?.attempt === attempt) return document;
  }
  return null;
}

/** @param folder the campaign's */
export function batchesSoFar(
  folder: string,
  { entries, head: { campaign } }: Journal,
): readonly BatchSoFar[] {
  const read: Read = (index) => readInspection(folder, inspectionPath(index));
  // As whoever goes on will note it: the time since the last line is nobody's work.
  const resumed: JournalEntry = { event: 'resumed', at: new Date().toISOString() };
  const noted = [...entries, resumed, ...unnotedEnds(read, campaign.id, doneSoFar(entries).open)];
  const all = [...noted, ...(forgotten(read, campaign, noted)?.entries ?? [])];
  const { ends, toCome } = leftToLaunch(campaign, doneSoFar(all), read);
  const environments = environmentsOf(entries);
  return campaign.batches.map((batch, i) => {
    const first = firstDocument(
      read,
      ends.filter((end) => end.batch === i),
    );
    const environment = first === null ? undefined : environments.get(first.index);
    return { batch, toCome: toCome[i] ?? 0, first, environment: environment ?? null };
  });
}
