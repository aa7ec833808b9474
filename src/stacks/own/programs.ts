/** Runs the package managers, and turns their complaints into one line. The edge to other programs. */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { messageOf, systemCode } from '../../errors.js';
import { changedEnvironment } from '../environment.js';
import type { Environment } from '../stack.js';

const TIME_LIMIT_MS = 15 * 60_000;
/** What is kept of what a program says; Debian's answers are of some kilobytes. */
const MOST_OUTPUT = 16 * 2 ** 20;

/** A package manager that failed: why, in one line. */
export class ProgramError extends Error {}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment?: Environment;
  /** The line of its complaint that says most; null: the last one does. */
  readonly complaint?: (stderr: string) => string | null;
}

/** This Node's own tools first, and words that can be read by programs. */
const OURS: Environment = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
  LC_ALL: 'C.UTF-8',
  LANGUAGE: null,
};

/**
 * @returns what it printed
 * @throws ProgramError
 */
export function runProgram({ command, args, cwd, environment = {}, complaint }: Program): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new ProgramError(why.trim().replaceAll(/\s*\n\s*/g, ' ')));
    const child = spawn(command, [...args], {
      cwd,
      env: changedEnvironment(process.env, { ...OURS, ...environment }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // What it started holds its pipes, and is not waited for.
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
    }, TIME_LIMIT_MS);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data: Buffer) => {
      stdout = (stdout + data.toString('utf8')).slice(0, MOST_OUTPUT);
    });
    child.stderr.on('data', (data: Buffer) => {
      stderr = (stderr + data.toString('utf8')).slice(-MOST_OUTPUT);
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      fail(
        systemCode(error) === 'ENOENT'
          ? `${command} is not on this system`
          : `${command} did not start: ${messageOf(error)}`,
      );
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve(stdout);
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      const last = stderr.trim().split('\n').at(-1) ?? '';
      const said = complaint?.(stderr) ?? last;
      fail(said === '' ? `${command} ${how}` : `${command}: ${said}`);
    });
  });
}
