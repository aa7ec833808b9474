/** What a format of the report is: from a report that was read to files, or to text for stdout. */
import type { ReadReport } from '../read-report.js';

export interface OutputFile {
  /** Relative to the folder that is written to. */
  readonly name: string;
  /** In pieces where it is too much to be held at once. */
  readonly text: string | AsyncIterable<string>;
}

export interface Request {
  readonly read: ReadReport;
  /** Told one line for whatever was asked for and is left out: a launch whose samples cannot be read, a batch that is no result. */
  readonly warn: (line: string) => void;
  /** The samples of every launch too, where the format has them. */
  readonly samples: boolean;
}

export interface Format {
  readonly name: string;
  /**
   * `file`: one file, and --out names it. `folder`: several. `text`: goes to stdout unless --out names a file or, for
   * what it has beside its text, a folder.
   */
  readonly kind: 'file' | 'folder' | 'text';
  /** Where it goes without --out, in the campaign's folder; unused for text. */
  readonly place: string;
  /** What a single file holds, and what stdout gets; null for a format of several files. */
  readonly text: ((request: Request) => AsyncIterable<string>) | null;
  /** Everything, for a folder. */
  readonly files: (request: Request) => AsyncIterable<OutputFile>;
}
