/** A thread that reads a stretch of a file of node lines: what it is told as `workerData`, one answer. */
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../errors.js';
import { forecast } from './forecast.js';
import type { Stretch } from './read-lines.js';
import { nodesOfLines } from './read-node-lines.js';
import { buildFleet, type FleetPart } from './table.js';

export interface StretchTask {
  readonly path: string;
  readonly stretch: Stretch;
}

/** null: a line cannot be read. Which one, nobody knows who does not know how many lines lie before the stretch. */
export type StretchAnswer = {
  readonly part: FleetPart;
  /** Of each node's line, from 1, counted from the beginning of the stretch. */
  readonly numbers: readonly number[];
  readonly lines: number;
} | null;

function read({ path, stretch }: StretchTask): StretchAnswer {
  const builder = buildFleet();
  const expected = forecast(Math.min(stretch.to, statSync(path).size) - stretch.from);
  const numbers: number[] = [];
  try {
    const nodes = nodesOfLines(path, stretch);
    for (let next = nodes.next(); ; next = nodes.next()) {
      if (next.done === true) return { part: builder.fleet(), numbers, lines: next.value };
      builder.add(next.value.line, expected(next.value.length));
      numbers.push(next.value.number);
    }
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** Columns change hands, they are not copied. */
const buffersOf = ({ series }: FleetPart): ArrayBuffer[] =>
  series.flatMap(({ places, sketches, columns }) =>
    [places, sketches, ...Object.values(columns)].map(({ buffer }) => buffer as ArrayBuffer),
  );

if (parentPort !== null && workerData !== null) {
  const answer = read(workerData as StretchTask);
  parentPort.postMessage(answer, answer === null ? [] : buffersOf(answer.part));
}
