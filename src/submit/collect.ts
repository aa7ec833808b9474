/** Brings what a node delivered to where readers look for it: `nodes/<name>/` of the submission's folder. The edge to files. */
import {
  accessSync,
  constants,
  existsSync,
  opendirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { EXIT, messageOf, systemCode, UserError } from '../errors.js';
import { makeFolder } from '../store/make-folder.js';
import { readRecord } from '../store/read-record.js';
import { RECORD } from '../store/store.js';
import { CannotKeep } from './cannot-keep.js';
import { ATTEMPTS, attemptName, checkedNode, END_FILE, NODES } from './names.js';
import { type Delivery, deliveryIn, parseDelivery } from './task.js';
import { whyNotDone } from './why-not-done.js';

/** Of what was measured: its record says more than the last line on stderr. */
const OF_RECORD: readonly number[] = [EXIT.answerIsNo, EXIT.incomplete, EXIT.wrongResult];

export interface Collected {
  readonly node: string;
  readonly exitCode: number;
  readonly said: string | null;
  /** Relative to the submission's folder; null where the command left no record. */
  readonly record: string | null;
}

/**
 * What another machine has written into a folder. A network file system remembers of each name that was asked for that it is not
 * there, as long as it takes the folder for unchanged; so no name is asked for before its folder, opened anew, lists it.
 */
function namesIn(folder: string, above: string): readonly string[] {
  try {
    opendirSync(above).closeSync();
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The delivery in a shared folder; null while there is none. @throws UserError when it is damaged */
export function sharedDelivery(folder: string, target: string, attempt: number): Delivery | null {
  const above = join(folder, ATTEMPTS);
  const own = join(above, attemptName(target, attempt));
  const path = join(own, END_FILE);
  return namesIn(own, above).includes(END_FILE) ? parseDelivery(readFileSync(path, 'utf8'), path) : null;
}

export const printedDelivery = (output: string, target: string): Delivery | null =>
  deliveryIn(output, `what ${target} printed`);

/** Writes files that came as text. @throws UserError for a name that leads elsewhere */
function unpack(files: Readonly<Record<string, string>>, folder: string): void {
  for (const [name, content] of Object.entries(files)) {
    const path = normalize(name);
    if (path.startsWith('..') || path.startsWith('/')) throw new UserError(`a result names the file ${name}`);
    makeFolder(dirname(join(folder, path)));
    writeFileSync(join(folder, path), Buffer.from(content, 'base64'));
  }
}

/** Beside its place and then renamed: a node's folder that is there is whole. */
function bring(folder: string, { target, attempt, campaign, files }: Delivery, place: string): void {
  makeFolder(dirname(place));
  if (files === null) {
    renameSync(join(folder, ATTEMPTS, attemptName(target, attempt), 'results', campaign ?? ''), place);
    return;
  }
  const scratch = `${place}.${process.pid}.tmp`;
  rmSync(scratch, { recursive: true, force: true });
  try {
    unpack(files, scratch);
    renameSync(scratch, place);
  } catch (error) {
    // A part of it is of no use, and takes room of a disk that is full.
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a disk says that takes nothing: it is full, this user's share of it is, it is read-only. */
const OF_DISK: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS'];

/** Whether no result could be kept there, and not just this one: a node may have left its own to another user. */
const takesNothing = (nodes: string, error: unknown): boolean =>
  OF_DISK.includes(systemCode(error) ?? '') || (systemCode(error) === 'EACCES' && !isWritable(nodes));

/** Whether a folder holds this very campaign, so that a kill came after it was brought. */
function holds(place: string, campaign: string): boolean {
  try {
    return readRecord(place).record.campaign.id === campaign;
  } catch {
    return false;
  }
}

/**
 * May be called again after a kill: what was brought before is taken as it is.
 * @throws UserError when the record is damaged, CannotKeep where nothing can be written
 */
export function collect(folder: string, delivery: Delivery): Collected {
  const { exitCode, campaign, leftBehind } = delivery;
  const node = checkedNode(delivery.node);
  const saying = (why: string | null): string | null =>
    [why ?? delivery.said, leftBehind].filter((text) => text !== null).join('; ') || null;
  if (campaign === null) return { node, exitCode, said: saying(null), record: null };
  // Where the scheduler chooses, one node may have more than one turn.
  const names = [node, `${node}.${attemptName(checkedNode(delivery.target), delivery.attempt)}`];
  const places = names.map((name) => join(NODES, name));
  const there = places.find((place) => holds(join(folder, place), campaign));
  const place = there ?? places.find((one) => !existsSync(join(folder, one))) ?? '';
  try {
    if (place === '') throw new UserError(`${places.join(' and ')} are there already`);
    if (there === undefined) bring(folder, delivery, join(folder, place));
    if (!existsSync(join(folder, place, RECORD))) return { node, exitCode, said: saying(null), record: null };
    const { record } = readRecord(join(folder, place));
    const { qualification } = record;
    if (exitCode === EXIT.done && qualification !== undefined && qualification.outcome !== 'qualified')
      throw new UserError(`its exit code says qualified, and its record ${qualification.outcome}`);
    const why = OF_RECORD.includes(exitCode) ? whyNotDone(record) : null;
    return { node, exitCode, said: saying(why), record: join(place, RECORD) };
  } catch (error) {
    const text = `the results of ${node} cannot be collected: ${messageOf(error)}`;
    throw takesNothing(join(folder, NODES), error) ? new CannotKeep(text) : new UserError(text);
  }
}
