/** Programs in the foreground that cannot outlive the test: the kernel kills them when the process that started them ends. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

export interface Daemon {
  readonly pid: number;
  readonly ended: Promise<void>;
  /** Says a line on its standard input. */
  tell(line: string): void;
  /** Resolves with the first line that it prints, or rejects when it ends before. */
  readonly firstLine: Promise<string>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** @param log everything that it says on stderr is added to this file */
export function startDaemon(
  command: readonly string[],
  log: string,
  env: NodeJS.ProcessEnv = process.env,
): Daemon {
  const output = openSync(log, 'a');
  // A test that is killed cannot stop anything any more.
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    env,
    cwd: '/',
    stdio: ['pipe', 'pipe', output],
  });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve());
    child.on('exit', () => resolve());
  });
  let said = '';
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (text: Buffer) => {
      said += text.toString('utf8');
      const end = said.indexOf('\n');
      if (end >= 0) resolve(said.slice(0, end));
    });
    void ended.then(() =>
      reject(new Error(`${command.join(' ')} ended: ${readFileSync(log, 'utf8').trim()}`)),
    );
  });
  firstLine.catch(() => {});
  child.stdin?.on('error', () => {});
  return {
    pid: child.pid ?? 0,
    ended,
    firstLine,
    tell(line) {
      child.stdin?.write(`${line}\n`);
    },
    async kill(signal = 'SIGKILL') {
      child.kill(signal);
      await ended;
    },
  };
}

/** Runs a command to its end. @throws with what it said when it fails. */
export function must(command: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env,
    timeout: 60_000,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${stderr}${stdout}`.trim());
  return stdout;
}

/** Processes whose environment holds all of these `NAME=value`. */
export function processesWith(variables: readonly string[]): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const given = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
        return variables.every((variable) => given.includes(variable));
      } catch {
        return false;
      }
    })
    .map(Number);
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

/** A process and all that it started. */
export function familyOf(pid: number): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }));
  const family = [pid];
  for (const member of family)
    family.push(...all.filter(({ parent }) => parent === member).map((child) => child.pid));
  return family;
}
