/** Reads a fleet: results folders, their collections, and files of node lines, ours or SuperBench's. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, systemCode, UserError } from '../errors.js';
import type { RecordInspection } from '../record/schema.js';
import { mayBeThere } from '../store/may-be-there.js';
import { readInspection } from '../store/read-inspection.js';
import { readRecord } from '../store/read-record.js';
import { RECORD } from '../store/store.js';
import { NODES } from '../submit/names.js';
import { NAME_LABEL, nameIn, nodeOf } from './from-record.js';
import { putLines, threadsFor } from './lines-into.js';
import { type NodeHead, type NodeLine, unknownNode } from './node-line.js';
import { isFileOfLines, nodesOfLines, placeOfLine } from './read-node-lines.js';
import { nameInSubmission, nodesWithoutRecord } from './read-submission.js';
import { buildFleet, type Fleet } from './table.js';

export interface ReadNode {
  readonly line: NodeLine;
  /** File and line, or folder. */
  readonly where: string;
  /** What it is called where several have its name; null: its line names it, and it has to be unique. */
  readonly place: string | null;
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (systemCode(error) === 'ENOENT')
      throw new UserError(`there is no ${path}: name results folders, or files of node lines`);
    throw new UserError(`cannot read the nodes: ${messageOf(error)}`);
  }
};

/** Samples lie beside the record; where they were not kept the record's own figures have to do. */
function samplesOf(folder: string, { file }: RecordInspection): Float64Array | null {
  if (file === null) return null;
  const read = readInspection(folder, file);
  return read === null || read.samples.seconds.length === 0 ? null : read.samples.seconds;
}

/** A folder stands for a node, or for the nodes below its `nodes`, as `submit` collects them, with those that brought nothing. */
function* nodesOfFolder(folder: string): Generator<ReadNode> {
  const place = basename(folder);
  if (mayBeThere(join(folder, RECORD))) {
    yield nodeOfCampaign(folder, place);
    return;
  }
  const below = join(folder, NODES);
  if (existsSync(below)) {
    for (const name of readdirSync(below).sort()) {
      if (isFolder(join(below, name))) yield* nodesBelow(join(below, name), name);
    }
    for (const { target, name, why } of nodesWithoutRecord(folder)) {
      const own = join(below, name);
      // A folder without a record is told of above; one that has it is of another turn on that node.
      if (!existsSync(own) || existsSync(join(own, RECORD)))
        yield lostNode(folder, name, why, join(place, target));
    }
    return;
  }
  yield lostNode(folder, place);
}

/** A node's folder is its campaign's, or holds it. */
function* nodesBelow(folder: string, name: string): Generator<ReadNode> {
  const campaigns = mayBeThere(join(folder, RECORD))
    ? [folder]
    : readdirSync(folder)
        .sort()
        .map((one) => join(folder, one))
        .filter((one) => mayBeThere(join(one, RECORD)));
  if (campaigns.length === 0) yield lostNode(folder, name);
  for (const one of campaigns)
    yield nodeOfCampaign(one, campaigns.length === 1 ? name : join(name, basename(one)));
}

/** @throws UserError where the record or its samples cannot be read */
function nodeOfRecord(path: string, place: string): ReadNode {
  const { record, path: file } = readRecord(path);
  const folder = dirname(file);
  return {
    line: nodeOf(record, nameIn(record, nameInSubmission(resolve(folder))) ?? place, (inspection) =>
      samplesOf(folder, inspection),
    ),
    where: file,
    place,
  };
}

/** A record that cannot be read is a lost node's: one damaged file must not keep all others from being judged. */
function nodeOfCampaign(folder: string, place: string): ReadNode {
  try {
    return nodeOfRecord(folder, place);
  } catch (error) {
    if (error instanceof UserError) return lostNode(folder, place, error.message);
    throw error;
  }
}

/** A campaign that left no record is a node of which nothing is known, not a reason to judge none. */
function lostNode(where: string, name: string, why = `${where} holds no ${RECORD}`, place = name): ReadNode {
  const problems = [{ kind: 'lost', what: 'campaign', why }] as const;
  return { line: { ...unknownNode(name, 'pi-bench'), problems }, where, place };
}

/** What is no file of lines: a folder, or a record by its file. */
function nodesAt(path: string): Iterable<ReadNode> {
  if (isFolder(path)) return nodesOfFolder(path);
  try {
    return [nodeOfRecord(path, basename(dirname(path)))];
  } catch (error) {
    if (!(error instanceof UserError) || path.endsWith('.json')) throw error;
    throw new UserError(`${error.message}; node lines are known by their ending, .jsonl or .ndjson`);
  }
}

const isLines = (path: string): boolean => isFileOfLines(path) && !isFolder(path);

/** @throws UserError that says what cannot be read, of a file of lines which line */
export function* readNodes(paths: readonly string[]): Generator<ReadNode> {
  for (const path of paths) {
    if (!isLines(path)) yield* nodesAt(path);
    else {
      for (const { line, number } of nodesOfLines(path)) {
        yield { line, where: placeOfLine(path, number), place: null };
      }
    }
  }
}

/**
 * One measurement under two names would be two nodes of a fleet that are alike.
 * @param wheres of the nodes, in their order
 * @throws UserError that names the first two
 */
function requireOwnRecords(
  nodes: readonly Pick<NodeHead, 'node' | 'digest'>[],
  wheres: readonly string[],
): void {
  const first = new Map<string, number>();
  nodes.forEach(({ node, digest }, i) => {
    if (digest === null) return;
    const before = first.get(digest);
    if (before === undefined) {
      first.set(digest, i);
      return;
    }
    throw new UserError(
      `nodes ${nodes[before]?.node} and ${node} are one measurement, of record ${digest.slice(0, DIGEST_SHOWN)} (${wheres[before]} and ${wheres[i]}): give each node what was measured on it`,
    );
  });
}

/** Tells records apart, and fits into a line. */
const DIGEST_SHOWN = 12;

type Named = Pick<ReadNode, 'where' | 'place'> & { readonly node: string };

/**
 * A name of its own for each node: records of one host are called by their folders, for three nodes on one machine have one
 * host name.
 * @throws UserError where one line's name is another's
 */
function uniqueNames(read: readonly Named[]): readonly string[] {
  const wheres = new Map<string, string[]>();
  for (const { node, where } of read) wheres.set(node, [...(wheres.get(node) ?? []), where]);
  const names = new Set<string>();
  return read.map(({ node, where, place }) => {
    const [first, second] = wheres.get(node) ?? [];
    if (second !== undefined && place === null) {
      throw new UserError(`node ${node} is there twice, ${first} and ${second}: give each node once`);
    }
    const name = second === undefined ? node : (place ?? node);
    if (names.has(name)) {
      throw new UserError(
        `two nodes are called ${name} (one of them ${where}): label its campaign when it is measured (--labels ${NAME_LABEL}=NAME; to qualify, under labels in the suite’s campaign), or give each folder once`,
      );
    }
    names.add(name);
    return name;
  });
}

const EMPTY =
  'the fleet is empty: give the results folders of its nodes, or a file of node lines (.jsonl; of a pipe /dev/stdin)';

/** All nodes as lines. @throws UserError where there is none, or two have one name or one record */
export function readLines(paths: readonly string[]): readonly NodeLine[] {
  const read = [...readNodes(paths)];
  if (read.length === 0) throw new UserError(EMPTY);
  const names = uniqueNames(read.map(({ line, where, place }) => ({ node: line.node, where, place })));
  const lines = read.map(({ line }, i) => ({ ...line, node: names[i] ?? line.node }));
  requireOwnRecords(
    lines,
    read.map(({ where }) => where),
  );
  return lines;
}

/**
 * The same as columns, no line being kept.
 * @throws UserError where there is none, two have one name or one record, or they do not agree on the unit of a KPI
 */
export async function readFleet(paths: readonly string[]): Promise<Fleet> {
  const builder = buildFleet();
  const read: Named[] = [];
  for (const path of paths) {
    if (!isLines(path)) {
      for (const { line, where, place } of nodesAt(path)) {
        builder.add(line);
        read.push({ node: line.node, where, place });
      }
    } else {
      for (const { node, number } of await putLines(builder, path, threadsFor(path))) {
        read.push({ node, where: placeOfLine(path, number), place: null });
      }
    }
  }
  if (read.length === 0) throw new UserError(EMPTY);
  const names = uniqueNames(read);
  const fleet = builder.fleet();
  const nodes = fleet.nodes.map((head, i) => ({ ...head, node: names[i] ?? head.node }));
  requireOwnRecords(
    nodes,
    read.map(({ where }) => where),
  );
  return { ...fleet, nodes };
}
