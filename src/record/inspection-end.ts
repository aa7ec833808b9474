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

/** How an inspection ended, and of which of the campaign's batches it was. */
export interface BatchEnd extends InspectionEnd {
  readonly batch: number;
}
