/** What a format of a verdict is: from a record with a qualification to one text. */
import type { PiBenchRecord, Qualification } from '../../record/schema.js';

export interface Judged extends PiBenchRecord {
  readonly qualification: Qualification;
}

export interface VerdictFormat {
  readonly name: string;
  /** In the campaign’s folder, unless a place is given. */
  readonly file: string;
  readonly text: (record: Judged, path: string) => string | Promise<string>;
}

/** Whether a record has a verdict. */
export const isJudged = (record: PiBenchRecord): record is Judged => record.qualification !== undefined;
