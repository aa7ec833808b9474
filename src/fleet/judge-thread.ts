/** A thread that judges some KPIs of a fleet: what it is told as `workerData`, one answer. */
import { parentPort, workerData } from 'node:worker_threads';
import { type JudgeTask, judgeAll } from './judge-series.js';

if (parentPort !== null && workerData !== null) parentPort.postMessage(judgeAll(workerData as JudgeTask));
