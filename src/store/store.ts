/**
 * A campaign's results folder: journal, inspections, record. When it cannot be written (read-only, full), everything
 * moves to another folder that is named, and nothing that was measured is lost.
 */
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { EXIT, messageOf, UserError } from '../errors.js';
import { monotonic } from '../inspection/job.js';
import type { ReadInspection } from '../record/analyse-inspection.js';
import type { PiBenchRecord } from '../record/schema.js';
import { writeFileAtomic } from './atomic.js';
import { LOCK } from './folder-lock.js';
import { appendToJournal, type JournalEntry, repairJournal } from './journal.js';
import type { WholeLines } from './json-lines.js';
import { makeFolder } from './make-folder.js';
import { leaveLink, MOVED } from './moved.js';
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

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly why: string;
  /** A part of the campaign stays there, and nothing in it could be made to say where the campaign is. */
  readonly leftBehind: boolean;
}

export interface Store {
  /** Where the campaign stands now. */
  folder(): string;
  /** Folders for an inspection's document, in the order in which to try them. */
  inspectionFolders(): readonly string[];
  /** Called when a document had to go to a folder of another root: everything else follows it. */
  documentWritten(path: string): void;
  /** Cuts off a line that a kill left. @param lines that are whole */
  repairJournal(lines: WholeLines): void;
  /** With the moment on the clock that nobody sets. */
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

/** @param campaign its folder */
export const hasDocuments = (campaign: string): boolean =>
  existsSync(join(campaign, INSPECTIONS)) &&
  readdirSync(join(campaign, INSPECTIONS)).some((name) => name.endsWith('.json'));

/** A copy of what was read-only is read-only, too. */
function makeWritable(campaign: string): void {
  const all = readdirSync(campaign, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(campaign, name),
  );
  for (const path of [campaign, ...all]) {
    // Of a link there may be nothing behind.
    const { mode } = statSync(path, { throwIfNoEntry: false }) ?? { mode: 0o200 };
    if ((mode & 0o200) === 0) chmodSync(path, mode | 0o200);
  }
}

/**
 * Where a campaign goes when its folder cannot be written: a folder that is not there yet, for what another process has moved
 * before may be more than what this one would copy over it.
 */
function fallbackFolder(campaign: string): string {
  const base = resolve(tmpdir(), `pi-bench-${process.getuid?.() ?? 0}`, campaign);
  let folder = base;
  for (let number = 2; existsSync(folder); ++number) folder = `${base}-${number}`;
  return folder;
}

/**
 * @param wanted the campaign's folder
 * @param onMove told once, when the folder cannot be written and another takes its place
 */
export function openStore(wanted: string, campaign: string, onMove: (move: Move) => void): Store {
  const fallback = fallbackFolder(campaign);
  let root = wanted;

  function make(folder: string): void {
    makeFolder(join(folder, INSPECTIONS));
  }
  /** Neither here nor there. What was measured stays where it is, and can be gone on with. */
  function nowhere(from: string, why: unknown, whyNotThere: unknown): UserError {
    const both = `cannot write to ${from} (${messageOf(why)}) nor to ${fallback} (${messageOf(whyNotThere)})`;
    // Where the campaign stands comes first: what it left behind is a part, which is not gone on with.
    const [kept, other] = [root, root === fallback ? wanted : fallback].filter(hasDocuments);
    if (kept === undefined) return new UserError(`${both}: give --out a folder with space`);
    return new UserError(
      `${both}: what was measured so far is in ${kept}${other === undefined ? '' : ` and ${other}`}; when there is space, pi-bench resume ${kept} goes on`,
      EXIT.incomplete,
    );
  }
  /** @returns where it was */
  function move(why: unknown): string {
    if (root === fallback) throw nowhere(wanted, 'as before', why);
    const from = root;
    // A launch may have written its document there already: newer than what is here.
    const isThere = existsSync(fallback);
    try {
      make(fallback);
      // Of what was measured again, below it, the link says where that is, there as here.
      const own = [LOCK, MOVED].map((name) => join(from, name));
      const filter = (path: string): boolean => !own.includes(path);
      if (existsSync(from)) cpSync(from, fallback, { recursive: true, force: false, filter });
      makeWritable(fallback);
    } catch (error) {
      // A part of a copy is nothing to go on with.
      if (!isThere && existsSync(fallback)) rmSync(fallback, { recursive: true, force: true });
      throw nowhere(from, why, error);
    }
    root = fallback;
    return from;
  }
  /** Once it can go on there: what stays behind must not look as if the campaign had not ended. */
  function tellMove(from: string, why: unknown): void {
    const leftBehind = existsSync(join(from, JOURNAL)) && !leaveLink(from, fallback);
    onMove({ from, to: fallback, why: messageOf(why), leftBehind });
  }
  /** Of a launch that began beside others and was the later one to end: where it wrote is where the campaign has been. */
  function fetchDocument(path: string): void {
    const samples = path.replace(/\.json$/, '.npz');
    try {
      for (const file of [samples, path])
        if (existsSync(file)) copyFileSync(file, join(root, INSPECTIONS, basename(file)));
    } catch (error) {
      throw nowhere(wanted, 'as before', error);
    }
  }
  /** Once more in the other folder when the first cannot be written. */
  function writing<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      const from = move(error);
      let written: T;
      try {
        written = write();
      } catch (again) {
        throw nowhere(from, error, again);
      }
      tellMove(from, error);
      return written;
    }
  }

  writing(() => make(root));
  return {
    folder: () => root,
    inspectionFolders: () => [join(root, INSPECTIONS), join(fallback, INSPECTIONS)],
    documentWritten(path) {
      if (path.startsWith(join(root, INSPECTIONS))) return;
      if (root === fallback) return fetchDocument(path);
      const why = new Error('a document could not be written there');
      tellMove(move(why), why);
    },
    repairJournal: (lines) => writing(() => repairJournal(join(root, JOURNAL), lines)),
    append: (entry) =>
      writing(() => appendToJournal(join(root, JOURNAL), { ...entry, monotonic: monotonic() })),
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
