/** Judges the KPIs of a large fleet on several threads: each KPI is judged by itself. The judgements are the same. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { programFile } from '../programs.js';
import { type JudgeTask, judgeAll, type SeriesJudgement } from './judge-series.js';

/** Of values for each thread: starting one takes as long as judging some ten thousand. */
const WORTH_A_THREAD = 250_000;
/** Each has a copy of its KPIs, and memory is bounded. */
const MOST_THREADS = 4;

const NOTHING = new Float64Array(0);

/** Every so-many-th KPI, without the columns that no rule looks at. */
const shareOfTask = (
  { series, nodes, centres, options }: JudgeTask,
  from: number,
  step: number,
): JudgeTask => ({
  series: series
    .filter((_, i) => i % step === from)
    .map((one) => ({
      ...one,
      flags: new Map(),
      columns: { ...one.columns, hertz: NOTHING, seconds: NOTHING, peak: NOTHING },
    })),
  nodes: nodes.filter((_, i) => i % step === from),
  centres: centres.filter((_, i) => i % step === from),
  options,
});

/** null: the thread could not; who asked judges by himself. */
const onThread = (task: JudgeTask): Promise<readonly SeriesJudgement[] | null> =>
  new Promise((resolve) => {
    const thread = new Worker(programFile('fleet/judge-thread'), { workerData: task });
    thread.once('message', resolve);
    thread.once('error', () => resolve(null));
    thread.once('exit', () => resolve(null));
  });

export function threadsToJudge({ series }: JudgeTask): number {
  const values = series.reduce((sum, { places }) => sum + places.length, 0);
  return Math.max(1, Math.min(Math.floor(values / WORTH_A_THREAD), availableParallelism(), MOST_THREADS));
}

/** @param threads this one among them */
export async function judgeOnThreads(task: JudgeTask, threads: number): Promise<readonly SeriesJudgement[]> {
  const shares = Array.from({ length: threads }, (_, i) => shareOfTask(task, i, threads));
  const running = shares.slice(1).map(onThread);
  const judged = [judgeAll(shares[0] as JudgeTask)];
  for (const [i, one] of running.entries()) judged.push((await one) ?? judgeAll(shares[i + 1] as JudgeTask));
  return task.series.map((_, i) => judged[i % threads]?.[Math.floor(i / threads)] as SeriesJudgement);
}
