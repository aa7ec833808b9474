/** Runs a program of a scheduler to its end. The edge to processes. */
import { spawn } from 'node:child_process';
import { messageOf, systemCode, UserError } from '../errors.js';
import { NoAnswer } from './no-answer.js';

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A controller that does not answer must not hold us for ever. */
export const PATIENCE_MS = 60_000;

/**
 * @param patienceMs after which it is ended
 * @throws UserError where the program is not there, NoAnswer where it did not come to its end
 */
export function runProgram(
  program: string,
  args: readonly string[],
  input = '',
  patienceMs = PATIENCE_MS,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      signal: AbortSignal.timeout(patienceMs),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text: Buffer) => {
      stdout += text.toString('utf8');
    });
    child.stderr.on('data', (text: Buffer) => {
      stderr += text.toString('utf8');
    });
    child.on('error', (error) => {
      const absent = systemCode(error) === 'ENOENT';
      const why = absent
        ? `${program} is not installed here, or not in PATH`
        : `${program}: ${messageOf(error)}`;
      const silent = error.name === 'AbortError';
      reject(silent ? new NoAnswer(`${program} does not answer`) : new UserError(why));
    });
    child.on('close', (status) => resolve({ status, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Slurm's of what has nothing to do with a refusal. */
const REMARK = /^srun: cluster configuration lacks support for cpu binding$/;

/** What a program said, in one line and without its own name before each. */
export function wordsOf(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !REMARK.test(line))
    .map((line) => line.replace(/^(\w+: (error|fatal)|allocation failure): /, ''));
  return [...new Set(lines)].join('; ');
}

/** @throws UserError with the program's words when it fails, NoAnswer where it did not come to its end */
export async function mustRun(
  program: string,
  args: readonly string[],
  input?: string,
  /** What a person can do about what it says; null: nobody knows. */
  remedyOf: (said: string) => string | null = () => null,
): Promise<string> {
  const { status, stdout, stderr } = await runProgram(program, args, input);
  if (status === 0) return stdout;
  const said = wordsOf(stderr) || wordsOf(stdout) || 'and said nothing';
  const remedy = remedyOf(said);
  const why = `${said}${remedy === null ? '' : `; ${remedy}`}`;
  throw status === null
    ? new NoAnswer(`${program} does not answer: ${why}`)
    : new UserError(`${program} refuses: ${why}`);
}

/**
 * Of one that only says whether it would take something: without its answer nothing was handed over either.
 * @throws UserError, and no NoAnswer
 */
export async function mustTake(...asked: Parameters<typeof mustRun>): Promise<void> {
  try {
    await mustRun(...asked);
  } catch (error) {
    throw error instanceof NoAnswer ? new UserError(error.message) : error;
  }
}
