/**
 * Whether the end of the terminal (SIGHUP) is to be outlived, as who starts us under `nohup` asks. Such a program ignores the signal, but
 * Node takes that back when it starts, for itself and for all that it starts, and npx is a Node too: /proc/self/status never tells. So
 * it goes by what else nohup and shells leave behind, of this process and of those above it in its job.
 */
import { basename } from 'node:path';
import type { FileReader } from '../machine/linux/reader.js';
import { readLocalFile } from '../machine/local-files.js';

const SIGHUP_BIT = 1n;
/** Of open(2): how a file was opened, and for writing alone. */
const ACCESS = 0o3;
const WRITE_ONLY = 0o1;

interface Place {
  readonly parent: string;
  /** Of processes: a shell's job. */
  readonly group: string;
}

function placeOf(pid: string, reader: FileReader): Place | null {
  const stat = reader(`/proc/${pid}/stat`) ?? '';
  const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return parent === undefined || group === undefined ? null : { parent, group };
}

/** As of a shell that runs a script under nohup, or that was told to: trap '' HUP. */
const ignoresHangup = (status: string): boolean =>
  (BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`) & SIGHUP_BIT) !== 0n;

/** A shell names the program that it starts, and nohup becomes the program that it starts. */
function isNamedNohup(environment: string): boolean {
  const started = environment.split('\0').find((variable) => variable.startsWith('_='));
  return started !== undefined && basename(started.slice(2)) === 'nohup';
}

/** What GNU nohup puts in the place of a terminal from which nothing is to be read. */
function cannotRead(input: string): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(input)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & ACCESS) === WRITE_ONLY;
}

const isMarked = (pid: string, reader: FileReader): boolean =>
  ignoresHangup(reader(`/proc/${pid}/status`) ?? '') ||
  isNamedNohup(reader(`/proc/${pid}/environ`) ?? '') ||
  cannotRead(reader(`/proc/${pid}/fdinfo/0`) ?? '');

/** Whether a process, or one above it in its job, was started so. */
export function isToOutliveHangup(pid: string, reader: FileReader): boolean {
  const own = placeOf(pid, reader);
  let at = pid;
  for (let place = own; place !== null && place.group === own?.group; place = placeOf(at, reader)) {
    if (isMarked(at, reader)) return true;
    at = place.parent;
  }
  return false;
}

let known: boolean | undefined;

/** Of this process: it does not change. */
export function outlivesHangup(): boolean {
  known ??= isToOutliveHangup(String(process.pid), readLocalFile);
  return known;
}
