/**
 * Puts the nodes of a file of lines into a fleet, on several threads where the file is large: reading JSON is most of what
 * judging ten thousand nodes takes. Each thread has a stretch of the file and makes the columns of its nodes, which change hands
 * without being copied. The fleet is the same, and so is the error of a bad line.
 */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { programFile } from '../programs.js';
import type { Bytes } from '../units.js';
import { forecast } from './forecast.js';
import type { Stretch } from './read-lines.js';
import { nodesOfLines } from './read-node-lines.js';
import type { StretchAnswer, StretchTask } from './stretch-thread.js';
import type { FleetBuilder } from './table.js';

/** Of a file for each thread: starting one takes as long as reading some megabytes. */
const WORTH_A_THREAD: Bytes = 2 ** 25;
/** What this thread reads while another one starts. */
const HEAD_START: Bytes = 2 ** 25;
/** Each has a heap of its own, and memory is bounded. */
const MOST_THREADS = 4;

/** A node that was put into the fleet, in its order. */
export interface PutNode {
  readonly node: string;
  /** Of its line in the file, from 1. */
  readonly number: number;
}

interface Running {
  /** null: the thread could not read its stretch, for whatever reason. */
  readonly answer: Promise<StretchAnswer>;
  readonly end: () => Promise<unknown>;
}

function onThread(task: StretchTask): Running {
  const thread = new Worker(programFile('fleet/stretch-thread'), { workerData: task });
  const answer = new Promise<StretchAnswer>((resolve) => {
    thread.once('message', resolve);
    // Who reads the stretch instead finds what is wrong with it.
    thread.once('error', () => resolve(null));
    thread.once('exit', () => resolve(null));
  });
  return { answer, end: () => thread.terminate() };
}

/** The first is this thread's, and has begun before the others have started. */
function stretchesOf(size: Bytes, count: number): readonly Stretch[] {
  const head = Math.min(HEAD_START, size / (2 * count));
  const border = (i: number): Bytes => Math.floor(head + ((size - head) * i) / count);
  return Array.from({ length: count }, (_, i) => ({
    from: i === 0 ? 0 : border(i),
    to: i === count - 1 ? Number.POSITIVE_INFINITY : border(i + 1),
  }));
}

interface Own {
  readonly builder: FleetBuilder;
  readonly put: PutNode[];
  readonly path: string;
  /** Of the file. */
  readonly size: Bytes;
}

/** @returns how many lines the stretch has */
function readHere({ builder, put, path, size }: Own, stretch: Stretch | null, before = 0): number {
  const nodes = nodesOfLines(path, stretch, before);
  const expected = forecast(size);
  for (let next = nodes.next(); ; next = nodes.next()) {
    if (next.done === true) return next.value;
    const { line, number, length } = next.value;
    builder.add(line, expected(length));
    put.push({ node: line.node, number });
  }
}

/** As many as the file is worth and there are CPUs for; a pipe has no size and one reader. */
export function threadsFor(path: string): number {
  const { size } = statSync(path);
  return Math.max(1, Math.min(Math.floor(size / WORTH_A_THREAD), availableParallelism(), MOST_THREADS));
}

/**
 * @param threads this one among them
 * @returns the nodes, in the order of their lines
 * @throws UserError that says which line cannot be read
 */
export async function putLines(
  builder: FleetBuilder,
  path: string,
  threads: number,
): Promise<readonly PutNode[]> {
  const put: PutNode[] = [];
  const { size } = statSync(path);
  const own: Own = { builder, put, path, size };
  if (threads < 2) {
    readHere(own, null);
    return put;
  }
  const [first, ...others] = stretchesOf(size, threads);
  const running = others.map((stretch) => ({ stretch, ...onThread({ path, stretch }) }));
  try {
    let lines = readHere(own, first ?? null);
    for (const { stretch, answer, end } of running) {
      const read = await answer;
      // Its heap is given back before its columns are put beside the others.
      await end();
      if (read === null) {
        lines += readHere(own, stretch, lines);
        continue;
      }
      read.part.nodes.forEach(({ node }, i) => {
        put.push({ node, number: lines + (read.numbers[i] ?? 0) });
      });
      builder.append(read.part);
      lines += read.lines;
    }
    return put;
  } finally {
    await Promise.all(running.map(({ end }) => end()));
  }
}
