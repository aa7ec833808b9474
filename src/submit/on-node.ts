/**
 * One attempt on one node: runs the command as its own process, and gives its results back through the folder of the submission,
 * or as text where the node does not see that folder, or cannot put them there. The edge to processes and files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  fstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, hostname, tmpdir } from 'node:os';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { EXIT } from '../errors.js';
import { OF_STEP } from '../mpi/environment.js';
import { packageRoot } from '../package.js';
import { formatBytes } from '../quantities/format.js';
import { writeFileAtomic } from '../store/atomic.js';
import { makeFolder } from '../store/make-folder.js';
import { movedTo } from '../store/moved.js';
import { JOURNAL, RECORD } from '../store/store.js';
import { type FileBeside, type NamedFile, namedFiles, stackFileBeside } from './named-files.js';
import { ATTEMPTS, attemptName, END_FILE, NODE_PLACE } from './names.js';
import { type Delivery, deliveryLines, NODE_VARIABLE, ownTarget, type Task, TOKEN_FILE } from './task.js';

const LAUNCHER = join(packageRoot, 'bin', 'pi-bench.mjs');
/** Where several of this command's folders are, these two are a campaign without its samples. */
const SMALL: readonly string[] = [RECORD, JOURNAL];
const MOST_SAID = 4000;

/**
 * The campaign is one process of its own on this node: it must not take itself for a rank of what launched us, and launchers that it
 * starts must not start its ranks within a job of one task.
 */
const LAUNCHERS = /^(OMPI_|HYDI_|HYDRA_|MPI_LOCAL|MPIR_|MV2_COMM_WORLD_)/;
/** What its user set to tune it is no launcher's word. */
const TUNING = /^(OMPI_MCA_(btl|coll|mpi|mtl|op|opal|osc|pml|smsc)(_|$)|MPIR_CVAR_)/;

export const environmentOfCampaign = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => TUNING.test(name) || !(LAUNCHERS.test(name) || OF_STEP.test(name)),
    ),
  );

/** As the scheduler calls it, or as it calls itself. */
const nodeName = (env: NodeJS.ProcessEnv): string => env[NODE_VARIABLE] || env.SLURMD_NODENAME || hostname();

function sharesFolder({ folder, token }: Task): boolean {
  try {
    return readFileSync(join(folder, TOKEN_FILE), 'utf8') === token;
  } catch {
    return false;
  }
}

function isHere(path: string, content: string): boolean {
  try {
    return readFileSync(path, 'utf8') === content;
  } catch {
    return false;
  }
}

interface Given {
  readonly content: string;
  /** The stack file that it names; null: it names none, or that was not handed over. */
  readonly beside: (FileBeside & { readonly content: string }) | null;
}

/** What a task has of a file that its command names; null: nothing. */
function givenOf({ command, files }: Pick<Task, 'command' | 'files'>, file: NamedFile): Given | null {
  const textOf = (path: string): string | undefined => (Object.hasOwn(files, path) ? files[path] : undefined);
  const content = textOf(file.path);
  if (content === undefined) return null;
  const named = stackFileBeside(command, file, content);
  const text = named === null ? undefined : textOf(named.path);
  return { content, beside: named === null || text === undefined ? null : { ...named, content: text } };
}

function writeInto(path: string, content: string): string {
  makeFolder(dirname(path));
  writeFileSync(path, content);
  return path;
}

/** What it names lies where it names it: it is put as deep as that lies above it. @returns its path */
function writeGiven(folder: string, name: string, { content, beside }: Given): string {
  const above = normalize(beside?.written ?? '')
    .split('/')
    .filter((part) => part === '..');
  const home = join(folder, ...above.map(() => 'below'));
  if (beside !== null) writeInto(join(home, beside.written), beside.content);
  return writeInto(join(home, name), content);
}

/** The command with the files that it names, and what these name: those that are not here, or are others here, are written. */
export function withFiles(
  task: Pick<Task, 'command' | 'files'>,
  cwd: string,
  work: string,
): readonly string[] {
  const named = new Map(namedFiles(task.command).map((file) => [file.index, file]));
  const isSame = (path: string, content: string): boolean => isHere(resolve(cwd, path), content);
  return task.command.map((word, i) => {
    const file = named.get(i);
    const given = file === undefined ? null : givenOf(task, file);
    if (file === undefined || given === null) return word;
    const { content, beside } = given;
    if (isSame(file.path, content) && (beside === null || isSame(beside.path, beside.content))) return word;
    // Two may have one name, in two folders.
    return `${file.before}${writeGiven(join(work, 'files', String(i)), basename(file.path), given)}`;
  });
}

/** The command with this node's name in the paths where others have theirs. */
export const withNodeName = (command: readonly string[], node: string): readonly string[] =>
  command.map((word, i) =>
    command[i - 1] === '--format' || word.startsWith('--format=')
      ? word.replaceAll(NODE_PLACE, () => node)
      : word,
  );

/** The command with the folder of its results, before a `--`: behind that stands what explore is to measure. */
export function withOut(command: readonly string[], out: string): readonly string[] {
  const at = command.indexOf('--');
  const own = at < 0 ? command.length : at;
  return [...command.slice(0, own), '--out', out, ...command.slice(own)];
}

interface Ended {
  readonly exitCode: number;
  readonly said: string | null;
}

/** Signals of a scheduler that ends us are the campaign's: it writes what it has. */
function passSignals(child: ChildProcess): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const pass = (name: NodeJS.Signals): void => {
    child.kill(name);
  };
  for (const name of names) process.on(name, pass);
  return () => {
    for (const name of names) process.off(name, pass);
  };
}

function runCampaignHere(command: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [LAUNCHER, ...command], {
      cwd,
      env: environmentOfCampaign(process.env),
      // What it prints for people is in its record; what it says on the way belongs into the job's log.
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const release = passSignals(child);
    let said = '';
    child.stderr?.on('data', (text: Buffer) => {
      said = (said + text.toString('utf8')).slice(-MOST_SAID);
      process.stderr.write(text);
    });
    const finish = (exitCode: number, why: string | null): void => {
      release();
      const last =
        said
          .trim()
          .split('\n')
          .at(-1)
          ?.replace(/^pi-bench: /, '') ?? '';
      done({ exitCode, said: exitCode === EXIT.done ? null : (why ?? (last === '' ? null : last)) });
    };
    child.on('error', (error) => finish(EXIT.internal, error.message));
    child.on('close', (code, signal) => {
      if (code !== null) finish(code, null);
      else
        finish(
          EXIT.signal(constants.signals[signal ?? 'SIGKILL']),
          `pi-bench was killed by ${signal} on the node`,
        );
    });
  });
}

/** The only folder with a journal or a record below `out`; null where there is none. */
function campaignIn(out: string): string | null {
  const names = existsSync(out) ? readdirSync(out) : [];
  return names.find((name) => SMALL.some((file) => existsSync(join(out, name, file)))) ?? null;
}

/** Paths of all files below a folder, relative to it. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** What of a campaign comes back as text. */
function carried(campaign: string, most: number): Pick<Delivery, 'files' | 'leftBehind'> {
  const all = filesBelow(campaign);
  const bytes = all.reduce((sum, path) => sum + statSync(join(campaign, path)).size, 0);
  const chosen = bytes <= most ? all : all.filter((path) => SMALL.includes(path));
  const files = Object.fromEntries(
    chosen.map((path) => [path, readFileSync(join(campaign, path)).toString('base64')]),
  );
  const leftBehind =
    bytes <= most
      ? null
      : `its samples (${formatBytes(bytes)}) were too much to come back as text: only the record did`;
  return { files, leftBehind };
}

interface Place {
  readonly work: string;
  /** Whether it is in the submission's folder. */
  readonly shared: boolean;
}

/** In the submission's folder, where this node sees it and can write to it; elsewhere in one that is gone afterwards. */
function placeOf(task: Task): Place {
  const work = join(task.folder, ATTEMPTS, attemptName(task.target, task.attempt));
  if (sharesFolder(task)) {
    const probe = join(work, 'probe');
    try {
      makeFolder(work);
      // A disk that is full may take a folder all the same.
      writeFileSync(probe, task.token);
      rmSync(probe);
      return { work, shared: true };
    } catch {
      // Mounted read-only here, somebody else's, or full.
    }
  }
  return { work: mkdtempSync(join(tmpdir(), 'pi-bench-node-')), shared: false };
}

/** @returns whether the submission's folder has it */
function leaveEnd(work: string, delivery: Delivery): boolean {
  try {
    writeFileAtomic(join(work, END_FILE), `${JSON.stringify(delivery)}\n`);
    return true;
  } catch {
    return false;
  }
}

/** As that of a batch job, which the scheduler puts into the submission's folder; others bring back what is printed by themselves. */
const printsToFile = (): boolean => fstatSync(process.stdout.fd).isFile();

/** Delivers what came of it, whatever that is: how the command ended is in the delivery, not in an exit code. */
export async function runOnNode(given: Task): Promise<void> {
  // Tasks of an array are told the same; the scheduler says which one this is.
  const task = { ...given, target: ownTarget(given, process.env) };
  const { work, shared } = placeOf(task);
  const cwd = existsSync(task.cwd) ? task.cwd : work;
  try {
    const out = join(work, 'results');
    const node = nodeName(process.env);
    const command = withOut(withNodeName(withFiles(task, cwd, work), node), out);
    const how = await runCampaignHere(command, cwd);
    const campaign = campaignIn(out);
    const bare: Delivery = {
      target: task.target,
      attempt: task.attempt,
      node,
      ...how,
      campaign,
      files: null,
      leftBehind: null,
    };
    const folder = campaign === null ? null : join(out, campaign);
    // A campaign whose folder became full is elsewhere on this node.
    const elsewhere = folder === null ? null : movedTo(folder);
    if (shared && elsewhere === null && leaveEnd(work, bare)) return;
    const whole = folder === null ? bare : { ...bare, ...carried(elsewhere ?? folder, task.mostBytes) };
    if (shared && elsewhere !== null) {
      if (leaveEnd(work, whole)) return;
      // Where there is no room for that, there is none for it in a log beside it.
      const leftBehind = `its folder had no room: what it measured is in ${elsewhere} on ${node}`;
      if (printsToFile() && leaveEnd(work, { ...bare, leftBehind })) return;
    }
    process.stdout.write(deliveryLines(whole));
  } finally {
    if (!shared) rmSync(work, { recursive: true, force: true });
  }
}
