/** Results of other tools that are of nodes: files become lines of a fleet. Pure but for reading the files passed in. */
import { basename, dirname } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import type { NodeLine } from '../fleet/node-line.js';
import { dcgmNode, openDcgmNode } from './dcgm.js';
import type { Found, FoundFile } from './files.js';
import type { Unread } from './published.js';
import { leftOutText, superbenchNode } from './superbench.js';

export interface ImportedNodes {
  readonly nodes: readonly NodeLine[];
  readonly unread: readonly Unread[];
}

export type Reading = { readonly nodes: NodeLine[]; readonly unread: Unread[] };

/** null where it cannot be read, which is then noted. */
function textOf(file: FoundFile, { unread }: Reading): string | null {
  try {
    return file.read();
  } catch (error) {
    unread.push({ path: file.path, why: messageOf(error), damaged: true });
    return null;
  }
}

/**
 * @param ending of the files that are read; '': all of them
 * @throws UserError where not one node is among them
 */
export function readAll(
  found: Found,
  what: string,
  read: (file: FoundFile, text: string, into: Reading) => void,
  ending = '',
): Reading {
  const reading: Reading = { nodes: [], unread: [...found.leftOut] };
  for (const file of found.files) {
    if (!file.path.endsWith(ending)) {
      reading.unread.push({ path: file.path, why: `not a ${ending} file`, damaged: false });
      continue;
    }
    const text = textOf(file, reading);
    if (text !== null) read(file, text, reading);
  }
  if (reading.nodes.length > 0) return reading;
  const [first] = [...reading.unread].sort((a, b) => Number(b.damaged) - Number(a.damaged));
  const why = first === undefined ? 'it is empty' : `${first.path}: ${first.why}`;
  throw new UserError(`${found.name} holds no ${what} (${why})`);
}

/** `results-summary.jsonl`, or a folder that holds some. */
export function readSuperbench(found: Found): ImportedNodes {
  const read = ({ path }: FoundFile, text: string, { nodes, unread }: Reading): void => {
    const before = nodes.length;
    text.split('\n').forEach((line, i) => {
      if (line.trim() === '') return;
      try {
        const node = superbenchNode(JSON.parse(line));
        if (node === null)
          unread.push({ path: `${path}:${i + 1}`, why: 'no node of a summary', damaged: true });
        else nodes.push(node);
      } catch (error) {
        unread.push({ path: `${path}:${i + 1}`, why: `not JSON: ${messageOf(error)}`, damaged: true });
      }
    });
    const why = leftOutText(nodes.slice(before));
    if (why !== null) unread.push({ path, why, damaged: false });
  };
  return readAll(found, 'results-summary.jsonl of SuperBench', read, '.jsonl');
}

/**
 * The output does not name its node: the file does, or its folder where all files have one name. Beside these folders one of that name
 * has no other than its own.
 */
function nodeNameOf({ path }: FoundFile, { files }: Found): string {
  const own = basename(path).replace(/\.json$/, '');
  const folder = dirname(path);
  const unique = files.filter((file) => basename(file.path) === basename(path)).length === 1;
  return unique || folder === '.' ? own : folder.replaceAll('/', '-');
}

/** What `dcgmi diag -j` printed on each node, a file each. */
export function readDcgm(found: Found): ImportedNodes {
  /** Whose run was killed, or told only of its error. Beside outputs of others such a node must not be missing. */
  const cut: NodeLine[] = [];
  const { nodes, unread } = readAll(found, 'output of dcgmi diag -j', (file, text, into) => {
    const { path } = file;
    const name = nodeNameOf(file, found);
    try {
      const node = dcgmNode(text, name);
      if (node === null) into.unread.push({ path, why: 'no output of dcgmi diag -j', damaged: false });
      else into.nodes.push(node);
    } catch (error) {
      const why = `not JSON, or cut off: ${messageOf(error)}`;
      into.unread.push({ path, why, damaged: true });
      if (path.endsWith('.json')) cut.push(openDcgmNode(name, `its output is ${why}`));
    }
  });
  return { nodes: [...nodes, ...cut], unread };
}
