/** Which batches of a record become documents, and the launches of each as they were read back. */
import { messageOf } from '../../errors.js';
import { refuseFault } from '../../readers/refuse-fault.js';
import type { ReadInspection } from '../../record/analyse-inspection.js';
import { sha256 } from '../../record/digest.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { type LaunchDocument, type ThothFile, thothFiles, whyNoPlace } from './documents.js';

export interface Exported {
  readonly files: readonly ThothFile[];
  /** Batches that became documents. */
  readonly batches: number;
  readonly leftOut: readonly string[];
}

/**
 * @param read null where there is no such document
 * @throws Error for a document that is missing or is not the one that the record names
 */
function launchesOf(
  { inspections }: RecordBatch,
  read: (file: string) => ReadInspection | null,
): readonly LaunchDocument[] {
  return inspections.flatMap(({ status, statistics, file, sha256: expected }): readonly LaunchDocument[] => {
    const median = statistics?.median;
    if (status !== 'measured' || file === null || typeof median !== 'number') return [];
    const found = read(file);
    if (found === null) throw new Error(`${file} is missing`);
    if (expected !== null && sha256(found.text) !== expected) {
      throw new Error(`${file} is not the document that the record names`);
    }
    return [{ elapsedSeconds: median, document: found.document }];
  });
}

/**
 * @param scoreOf of the batch's stack; null: it has none
 * @param read an inspection's document, by its name in the record
 * @throws UserError for a record with an error injected on purpose
 */
export function exportThoth(
  record: PiBenchRecord,
  scoreOf: (batch: RecordBatch) => number | null,
  read: (file: string) => ReadInspection | null,
): Exported {
  refuseFault(record, 'Thoth’s documents');
  const files: ThothFile[] = [];
  const leftOut: string[] = [];
  let batches = 0;
  record.batches.forEach((batch, at) => {
    const why = whyNoPlace(batch);
    if (why !== null) {
      leftOut.push(why);
      return;
    }
    try {
      const launches = launchesOf(batch, read);
      if (launches.length === 0) throw new Error('no launch left a document');
      files.push(...thothFiles({ record, batch, launches, overallScore: scoreOf(batch) }, at));
      batches++;
    } catch (error) {
      leftOut.push(`${batch.title}: ${messageOf(error)}`);
    }
  });
  return { files, batches, leftOut };
}
