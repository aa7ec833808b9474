/** `report --trace FILE`: the trace of a campaign's folder. */
import { dirname, join } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import { type WrittenTrace, writeTrace } from '../readers/trace/write.js';
import { type JournalEntry, readJournal } from '../store/journal.js';
import { readInspection } from '../store/read-inspection.js';
import { readRecord } from '../store/read-record.js';
import { inspectionPath, JOURNAL } from '../store/store.js';

function journalOf(folder: string): readonly JournalEntry[] {
  try {
    return readJournal(join(folder, JOURNAL)).entries;
  } catch (error) {
    throw new UserError(`a trace needs the campaign's journal: ${messageOf(error)}`);
  }
}

/**
 * @param path the campaign's results folder, or its record
 * @throws UserError
 */
export function writeTraceOf(path: string, file: string): Promise<WrittenTrace> {
  const { record, path: at } = readRecord(path);
  const folder = dirname(at);
  return writeTrace(file, {
    record,
    journal: journalOf(folder),
    readInspection: (index) => readInspection(folder, inspectionPath(index)),
  });
}
