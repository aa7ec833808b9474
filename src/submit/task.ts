/**
 * What a submission tells one node, and what that node gives back: both are text that survives any scheduler. Pure.
 */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.js';
import { ON_NODE } from './names.js';

const taskSchema = z.strictObject({
  /** The arguments of pi-bench, such as `['matmul', '--size', '512']`. */
  command: z.array(z.string()).min(1).readonly(),
  /** Where it is to run, if that is there. */
  cwd: z.string(),
  /** The folder of the submission, and a word in a file there by which a node knows that it sees the same folder. */
  folder: z.string(),
  token: z.string(),
  /** Of the submission: a node, or a place that the scheduler fills. */
  target: z.string(),
  /** Of a task that several nodes are told in the same words: the target of each, by its place. */
  targets: z.array(z.string()).optional(),
  attempt: z.int().min(1),
  /** Files that the command names, by that name, for nodes that do not have them. */
  files: z.record(z.string(), z.string()),
  /** Bytes of results that may come back as text; with more than that come the record and the journal alone. */
  mostBytes: z.int().min(1),
});

export type Task = z.infer<typeof taskSchema>;

/** Below the submission's folder: the word of the task. */
export const TOKEN_FILE = 'shared.token';

export const taskArguments = (task: Task): readonly string[] => [ON_NODE, JSON.stringify(task)];

/** One task for all of an attempt. @throws Error without any */
export function commonTask(tasks: readonly Task[]): Task {
  const [first] = tasks;
  if (first === undefined) throw new Error('an attempt needs a task');
  return { ...first, targets: tasks.map(({ target }) => target) };
}

/** What tells a node which target it is, where the task does not. */
export const TARGET_VARIABLE = 'PI_BENCH_TARGET';
export const INDEX_VARIABLE = 'PI_BENCH_INDEX';
/** What tells it by which name it is known. */
export const NODE_VARIABLE = 'PI_BENCH_NODE';

export function ownTarget({ target, targets }: Task, env: NodeJS.ProcessEnv): string {
  const index = env[INDEX_VARIABLE];
  return env[TARGET_VARIABLE] || (index === undefined ? undefined : targets?.[Number(index)]) || target;
}

/** @throws UserError for what is no task */
export function parseTask(text: string): Task {
  try {
    return taskSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new UserError(`${ON_NODE} takes what \`pi-bench submit\` gives it: ${messageOf(error)}`);
  }
}

const deliverySchema = z.strictObject({
  target: z.string(),
  attempt: z.int(),
  /** As the node calls itself. */
  node: z.string(),
  exitCode: z.int(),
  /** The campaign's folder below the attempt's; null where the command made none. */
  campaign: z.string().nullable(),
  /** The last line that the command said, where it failed. */
  said: z.string().nullable(),
  /** What was left behind because it was too much, for a person. */
  leftBehind: z.string().nullable(),
  /** The campaign's files in base64; null where the folder is shared, so that they are there already. */
  files: z.record(z.string(), z.base64()).nullable(),
});

/** How one attempt on a node ended, and its results. */
export type Delivery = z.infer<typeof deliverySchema>;

/** @throws UserError */
export function parseDelivery(text: string, where: string): Delivery {
  try {
    return deliverySchema.parse(JSON.parse(text));
  } catch (error) {
    throw new UserError(`${where} is damaged: ${messageOf(error).replaceAll(/\s+/g, ' ')}`);
  }
}

const MARK = 'PI-BENCH-RESULT';
/** Logs are cut at longer lines here and there. */
const LINE = 4000;

/** Lines among which others may stand; the last one tells whether all of them came. */
export function deliveryLines(delivery: Delivery): string {
  const text = gzipSync(JSON.stringify(delivery)).toString('base64');
  const parts = text.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
  const digest = createHash('sha256').update(text).digest('hex');
  return [
    ...parts.map((part, i) => `${MARK} ${i} ${part}`),
    `${MARK} end ${parts.length} ${digest}`,
    '',
  ].join('\n');
}

/**
 * @param output of a task, with whatever else was printed
 * @returns null where there is none
 * @throws UserError where it came incomplete or altered
 */
export function deliveryIn(output: string, where: string): Delivery | null {
  // mpirun may put a name before each line, and a terminal a carriage return behind it.
  const lines = [...output.matchAll(new RegExp(`${MARK} (\\d+) (\\S+)`, 'g'))];
  const ends = [...output.matchAll(new RegExp(`${MARK} end (\\d+) ([0-9a-f]{64})`, 'g'))];
  const end = ends.at(-1);
  if (end === undefined) {
    if (lines.length === 0) return null;
    throw new UserError(`${where} is cut off: ${lines.length} lines of the result came, and its end did not`);
  }
  const parts = new Map(lines.map(([, index, part]) => [Number(index), part ?? '']));
  const text = Array.from({ length: Number(end[1]) }, (_, i) => parts.get(i) ?? '').join('');
  if (createHash('sha256').update(text).digest('hex') !== end[2])
    throw new UserError(`${where} is damaged: the result's digest does not fit`);
  return parseDelivery(gunzipSync(Buffer.from(text, 'base64')).toString('utf8'), where);
}
