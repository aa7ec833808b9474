/**
 * A campaign's results folder: journal, inspections, record. When it cannot be written (read-only, full), everything
 * moves to another folder that is named, and nothing that was measured is lost.
 */
import { cpSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import type { ReadInspection } from '../record/analyse-inspection.js';
import type { PiBenchRecord } from '../record/schema.js';
import { writeFileAtomic } from './atomic.js';
import { appendToJournal, type JournalEntry } from './journal.js';
import { makeFolder } from './make-folder.js';
import { readInspection } from './read-inspection.js';

export const JOURNAL = 'journal.ndjson';
export const RECORD = 'record.json';
/** What the stacks of a stack file consist of, so that a campaign can be resumed in them. */
export const STACK_LOCK = 'stacks.lock';
/** What a qualification was asked for, so that it can be resumed. */
export const QUALIFY = 'qualify.json';
/** How each node of a submission ended. */
export const SUBMISSION = 'submission.json';
const INSPECTIONS = 'inspections';

export const inspectionFile = (index: number): string => `${index}.json`;
export const samplesFile = (index: number): string => `${index}.npz`;
/** Relative to the campaign's folder. */
export const inspectionPath = (index: number): string => `${INSPECTIONS}/${inspectionFile(index)}`;
export const samplesPath = (index: number): string => `${INSPECTIONS}/${samplesFile(index)}`;

export interface Store {
  /** Where the campaign stands now. */
  folder(): string;
  /** Folders for an inspection's document, in the order in which to try them. */
  inspectionFolders(): readonly string[];
  /** Called when a document had to go to a folder of another root: everything else follows it. */
  documentWritten(path: string): void;
  append(entry: JournalEntry): void;
  writeRecord(record: PiBenchRecord): string;
  writeStackLock(content: string): void;
  writeAsked(content: string): void;
  /**
   * null where there is none.
   * @throws UserError when its samples are missing, altered or cut off
   */
  readInspection(index: number): ReadInspection | null;
}

/** Where a campaign goes when its folder cannot be written. */
function fallbackFolder(campaign: string): string {
  return join(tmpdir(), `pi-bench-${process.getuid?.() ?? 0}`, campaign);
}

/**
 * @param wanted the campaign's folder
 * @param onMove told once, when the folder cannot be written and another takes its place
 */
export function openStore(
  wanted: string,
  campaign: string,
  onMove: (from: string, to: string, why: string) => void,
): Store {
  const fallback = fallbackFolder(campaign);
  let root = wanted;

  function make(folder: string): void {
    makeFolder(join(folder, INSPECTIONS));
  }
  function move(why: unknown): void {
    if (root === fallback) throw why;
    const from = root;
    try {
      make(fallback);
      if (existsSync(from)) cpSync(from, fallback, { recursive: true });
    } catch (error) {
      throw new UserError(
        `cannot write to ${from} (${messageOf(why)}) nor to ${fallback} (${messageOf(error)}): give --out a folder with space`,
      );
    }
    root = fallback;
    onMove(from, fallback, messageOf(why));
  }
  /** Once more in the other folder when the first cannot be written. */
  function writing<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      move(error);
      return write();
    }
  }

  writing(() => make(root));
  return {
    folder: () => root,
    inspectionFolders: () => [join(root, INSPECTIONS), join(fallback, INSPECTIONS)],
    documentWritten(path) {
      if (root !== fallback && !path.startsWith(join(root, INSPECTIONS)))
        move(new Error('a document could not be written there'));
    },
    append: (entry) => writing(() => appendToJournal(join(root, JOURNAL), entry)),
    writeRecord: (record) =>
      writing(() => {
        const path = join(root, RECORD);
        writeFileAtomic(path, `${JSON.stringify(record, null, 1)}\n`);
        return path;
      }),
    writeAsked: (content) => writing(() => writeFileAtomic(join(root, QUALIFY), content)),
    writeStackLock: (content) => writing(() => writeFileAtomic(join(root, STACK_LOCK), content)),
    readInspection(index) {
      return readInspection(root, inspectionPath(index));
    },
  };
}
