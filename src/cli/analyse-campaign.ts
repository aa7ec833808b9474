/**
 * Analyses the inspections of a campaign, on several threads where they hold many samples: nothing is measured any more
 * then, and a large campaign takes seconds. The result is the same.
 */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { UserError } from '../errors.js';
import { programFile } from '../programs.js';
import type { AnalysedInspection } from '../record/analyse-inspection.js';
import type { BatchEnd } from '../record/inspection-end.js';
import { samplesPath } from '../store/store.js';
import type { Bytes } from '../units.js';
import { type AnalysisTask, type Answer, analyseNext } from './analysis-thread.js';

/** Of samples on disk for each further thread: starting one takes as long as a few hundred kilobytes. */
const WORTH_A_THREAD: Bytes = 2 ** 20;
const MOST_THREADS = 8;

function samplesBytes(folder: string, ends: readonly BatchEnd[]): Bytes {
  return ends.reduce((sum, { index }) => {
    const found = statSync(join(folder, samplesPath(index)), { throwIfNoEntry: false });
    return sum + (found?.size ?? 0);
  }, 0);
}

/** Resolves when the thread has ended; its answers came before. */
function onThread(task: AnalysisTask, answer: (one: Answer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(programFile('cli/analysis-thread'), { workerData: task });
    thread.on('message', answer);
    thread.on('error', reject);
    thread.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`a thread of the analysis ended with ${code}`)),
    );
  });
}

/**
 * @param folder of the campaign
 * @returns in the order of `ends`
 * @throws UserError where the samples of an inspection are missing or altered
 */
export async function analyseCampaign(
  folder: string,
  ends: readonly BatchEnd[],
  contendedBy: string | null,
): Promise<readonly AnalysedInspection[]> {
  const worth = 1 + Math.floor(samplesBytes(folder, ends) / WORTH_A_THREAD);
  const threads = Math.max(1, Math.min(worth, availableParallelism(), MOST_THREADS, ends.length));
  const all = new Array<AnalysedInspection>(ends.length);
  let failed: Error | null = null;
  const answer = (one: Answer): void => {
    if ('analysed' in one) all[one.at] = one.analysed;
    else failed ??= one.user ? new UserError(one.message) : new Error(one.message);
  };
  const task: AnalysisTask = { folder, contendedBy, ends, taken: new Int32Array(new SharedArrayBuffer(4)) };
  const running = Array.from({ length: threads - 1 }, () => onThread(task, answer));
  analyseNext(task, answer);
  await Promise.all(running);
  if (failed !== null) throw failed;
  return all;
}
