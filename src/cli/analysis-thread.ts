/** A thread that analyses inspections of a campaign, one after the other: what it is told as `workerData`, an answer for each. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, UserError } from '../errors.js';
import { type AnalysedInspection, analyseInspection } from '../record/analyse-inspection.js';
import type { BatchEnd } from '../record/inspection-end.js';
import { readInspection } from '../store/read-inspection.js';
import { inspectionPath } from '../store/store.js';

export interface AnalysisTask {
  readonly folder: string;
  readonly contendedBy: string | null;
  /** All of the campaign. */
  readonly ends: readonly BatchEnd[];
  /**
   * How many of them were taken, by all threads: each takes the next when it is done with one, so that a thread that
   * starts late or meets the long ones keeps nobody waiting.
   */
  readonly taken: Int32Array<SharedArrayBuffer>;
}

export type Answer =
  | { readonly at: number; readonly analysed: AnalysedInspection }
  | { readonly at: number; readonly message: string; readonly user: boolean };

export function analyseNext(
  { folder, contendedBy, ends, taken }: AnalysisTask,
  answer: (one: Answer) => void,
): void {
  const next = (): number => Atomics.add(taken, 0, 1);
  for (let at = next(), end = ends[at]; end !== undefined; at = next(), end = ends[at]) {
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
  analyseNext(workerData as AnalysisTask, (answer) => port.postMessage(answer, buffersOf(answer)));
}
