/** A thread that analyses its share of a campaign's inspections: what it is told as `workerData`, an answer for each. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, UserError } from '../errors.js';
import { type AnalysedInspection, analyseInspection } from '../record/analyse-inspection.js';
import type { BatchEnd } from '../record/inspection-end.js';
import { readInspection } from '../store/read-inspection.js';
import { inspectionPath } from '../store/store.js';

export interface AnalysisTask {
  readonly folder: string;
  readonly contendedBy: string | null;
  /** With their places among all ends. */
  readonly share: readonly { readonly at: number; readonly end: BatchEnd }[];
}

export type Answer =
  | { readonly at: number; readonly analysed: AnalysedInspection }
  | { readonly at: number; readonly message: string; readonly user: boolean };

export function analyseShare(
  { folder, contendedBy, share }: AnalysisTask,
  answer: (one: Answer) => void,
): void {
  for (const { at, end } of share) {
    try {
      const read = readInspection(folder, inspectionPath(end.index));
      answer({ at, analysed: analyseInspection(end, read, contendedBy) });
    } catch (error) {
      answer({ at, message: messageOf(error), user: error instanceof UserError });
    }
  }
}

/** Samples change hands, they are not copied. Empty ones are everybody's, and stay. */
const buffersOf = (answer: Answer): ArrayBuffer[] =>
  'analysed' in answer && answer.analysed.samples.length > 0
    ? [answer.analysed.samples.buffer as ArrayBuffer, answer.analysed.sorted.buffer as ArrayBuffer]
    : [];

if (parentPort !== null && workerData !== null) {
  const port = parentPort;
  analyseShare(workerData as AnalysisTask, (answer) => port.postMessage(answer, buffersOf(answer)));
}
