/** `report --trace FILE`: the trace of a campaign's folder. */
import { join } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import { type WrittenTrace, writeTrace } from '../readers/trace/write.js';
import type { PiBenchRecord } from '../record/schema.js';
import { type JournalEntry, readJournal } from '../store/journal.js';
import { readInspection } from '../store/read-inspection.js';
import { inspectionPath, JOURNAL } from '../store/store.js';

function journalOf(folder: string): readonly JournalEntry[] {
  try {
    return readJournal(join(folder, JOURNAL)).entries;
  } catch (error) {
    throw new UserError(`a trace needs the campaign's journal: ${messageOf(error)}`);
  }
}

/**
 * @param read the record, which a pipe gives only once, and the folder of its campaign
 * @throws UserError
 */
export const writeTraceOf = (
  { record, folder }: { readonly record: PiBenchRecord; readonly folder: string },
  file: string,
): Promise<WrittenTrace> =>
  writeTrace(file, {
    record,
    journal: journalOf(folder),
    readInspection: (index) => readInspection(folder, inspectionPath(index)),
  });
