/** How an inspection ended, as the journal notes it: with its document, what a record is built from. */
import type { Seconds } from '../units.js';
import type { InspectionStatus } from './schema.js';

export interface InspectionEnd {
  readonly index: number;
  readonly attempt: number;
  readonly status: InspectionStatus;
  /** Why it is not simply `measured`, for a person. */
  readonly reason: string | null;
  /** From launch to exit. */
  readonly wall: Seconds;
}

/** What went into attempts that come to nothing in a record. */
export interface Lost {
  /** Known of. */
  readonly seconds: Seconds;
  /** Attempts whose end nobody saw, as the campaign was killed with them: how long they ran is not in the seconds. */
  readonly unended: number;
}

/** How an inspection ended, and of which of the campaign's batches it was. */
export interface BatchEnd extends InspectionEnd {
  readonly batch: number;
}
