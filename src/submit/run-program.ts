/** Runs a program of a scheduler to its end. The edge to processes. */
import { spawn } from 'node:child_process';
import { messageOf, systemCode, UserError } from '../errors.js';

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A controller that does not answer must not hold us for ever. */
const PATIENCE_MS = 60_000;

/** @throws UserError where the program is not there */
export function runProgram(program: string, args: readonly string[], input?: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      signal: AbortSignal.timeout(PATIENCE_MS),
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
      const silent = error.name === 'AbortError';
      const why = silent ? `${program} does not answer` : `${program}: ${messageOf(error)}`;
      reject(new UserError(absent ? `${program} is not installed here, or not in PATH` : why));
    });
    child.on('close', (status) => resolve({ status, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
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

/** @throws UserError with the program's words when it fails */
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
  const how = status === null ? 'does not answer' : 'refuses';
  throw new UserError(`${program} ${how}: ${said}${remedy === null ? '' : `; ${remedy}`}`);
}
