/** A process that is there already runs command lines, so that each costs what it does and not what starting costs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./command-server.mjs', import.meta.url));

/** What a process reads once only, when it starts: another value takes another process. */
const READ_AT_START = [
  'FORCE_COLOR',
  'LD_LIBRARY_PATH',
  'NO_COLOR',
  'PATH',
  'PIBENCH_ADDON',
  'PIBENCH_GLOO_PLUGIN',
  'PIBENCH_GPU_KERNELS',
];

export interface CommandLine {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line when those before it have ended. @throws what the process said, where it ended instead */
export type CommandServer = (line: CommandLine) => Promise<Answer>;

function ask(child: ChildProcess, said: () => string, line: CommandLine): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      child.off('message', answered);
      child.off('exit', ended);
    };
    const answered = (answer: unknown): void => {
      settle();
      resolve(answer as Answer);
    };
    const ended = (code: number | null, signal: string | null): void => {
      settle();
      reject(new Error(`pi-bench ${line.args.join(' ')} ended its process (${code ?? signal}): ${said()}`));
    };
    if (child.exitCode !== null || child.signalCode !== null) return ended(child.exitCode, child.signalCode);
    child.on('message', answered);
    child.on('exit', ended);
    child.send(line);
  });
}

/**
 * @param before what begins its command line
 * @param onEnd called when it has ended, which it does not by itself
 */
function startServer(before: readonly string[], env: NodeJS.ProcessEnv, onEnd: () => void): CommandServer {
  const [program = '', ...words] = [...before, process.execPath, PROGRAM];
  const child = spawn(program, words, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.on('data', (text) => {
    said += text;
  });
  child.on('exit', onEnd);
  // It ends with this process, which need not wait for it.
  child.unref();
  child.channel?.unref();
  let last: Promise<unknown> = Promise.resolve();
  return (line) => {
    const answer = last.then(() => ask(child, () => said, line));
    last = answer.catch(() => {});
    return answer;
  };
}

/**
 * Servers that are started when they are needed, one for all environments that a process can change to. Whose process a command
 * ends, that command alone has failed.
 * @param before what begins their command lines, when they start
 */
export function makeCommandServers(before: () => readonly string[]): CommandServer {
  const servers = new Map<string, CommandServer>();
  return (line) => {
    const key = JSON.stringify(READ_AT_START.map((name) => line.env[name] ?? null));
    const server = servers.get(key) ?? startServer(before(), line.env, () => servers.delete(key));
    servers.set(key, server);
    return server(line);
  };
}
