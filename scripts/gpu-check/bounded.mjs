// Runs a command for so long at most, with all that it starts.
import { spawn } from 'node:child_process';
import { packageRoot } from '../lib/tree.mjs';

/** What a process that hangs in the driver leaves open is not waited for. */
const PIPES_MS = 1000;

/**
 * After `seconds` it is asked to end, which pi-bench does with what it has measured; after `grace` more it and all that it
 * started are ended. Never rejects.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ seconds: number, grace?: number, env?: NodeJS.ProcessEnv }} limits
 * @returns {Promise<{ status: number | string, outOfTime: boolean, stdout: string, stderr: string }>} the exit status, or the
 *   signal or error in its place
 */
export function bounded(command, args, { seconds, grace = 10, env = process.env }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: packageRoot,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr, outOfTime] = ['', '', false];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const endGroup = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    };
    const timers = [
      setTimeout(() => {
        outOfTime = true;
        endGroup('SIGTERM');
      }, seconds * 1000),
      setTimeout(() => endGroup('SIGKILL'), (seconds + grace) * 1000),
    ];
    const done = (status) => {
      for (const timer of timers) clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ status, outOfTime, stdout, stderr });
    };
    child.on('error', (error) => done(error.message));
    child.on('close', (code, signal) => done(code ?? signal));
    child.on('exit', (code, signal) => {
      if (outOfTime) endGroup('SIGKILL');
      timers.push(setTimeout(() => done(code ?? signal), PIPES_MS));
    });
  });
}
