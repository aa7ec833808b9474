// A candidate's process: started with an environment of its own, asked line by line, stopped while others have their turn.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const START_LIMIT_MS = 120_000;
const TURN_LIMIT_MS = 120_000;

/** What the user's shell sets for thread pools would measure the shell. OMP_PROC_BIND binds later pools to one CPU. */
const FOREIGN = /^(OMP|GOMP|KMP|OPENBLAS|GOTO|BLIS|MKL|DNNL|ONEDNN|LIBXSMM)_/;

const cleanEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));

/**
 * Starts the process and waits for its first line, then stops it. Returns { hello, turn(seconds), end() }; answers are the
 * process's own or { failed: why }.
 */
export async function startChild({ command, args, environment }) {
  const child = spawn(command, args, {
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let trouble = '';
  let waiting = null;
  let ended = false;
  const answer = (value) => {
    clearTimeout(waiting?.timer);
    waiting?.resolve(value);
    waiting = null;
  };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    trouble += text;
  });
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => answer(JSON.parse(line)));
  child.on('error', (error) => answer({ failed: error.message }));
  child.on('close', (code, signal) => {
    ended = true;
    answer({ failed: `ended with ${code ?? signal} ${trouble.trim().split('\n').at(-1)}`.trim() });
  });
  const next = (limit) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        answer({ failed: `no answer within ${limit / 1000} s` });
      }, limit);
      waiting = { resolve, timer };
    });
  const hello = await next(START_LIMIT_MS);
  child.kill('SIGSTOP');
  return {
    hello,
    async turn(seconds) {
      if (ended) return { failed: 'its process has ended' };
      const answered = next(TURN_LIMIT_MS);
      child.kill('SIGCONT');
      child.stdin.write(`run ${seconds}\n`);
      const result = await answered;
      child.kill('SIGSTOP');
      return result;
    },
    /** @returns {Promise<void>} */
    end: () =>
      new Promise((resolve) => {
        if (ended) return resolve();
        child.on('close', resolve);
        child.kill('SIGKILL');
      }),
  };
}
