/**
 * Files that hold no output of nccl-tests where one was meant to be: of a program that was killed before its
 * first line, or that never started. Pure.
 */
import { basename, dirname, extname } from 'node:path';
import { programOf } from './programs.js';

/** A file of which nothing was read. */
export interface Silent {
  readonly path: string;
  readonly text: string;
}

/** A file that a node came from. */
export interface Placed {
  readonly path: string;
  readonly node: string;
}

/** What a program says beside its output, mostly nothing. */
const ERRORS = /(^|[._-])(std)?err(ors?)?([._-]|$)/i;
const MOST_SHOWN = 200;

const isEmpty = ({ text }: Silent): boolean => text.trim() === '';

/** Called after what it measures, or as an output in another folder is. */
const isCalledSo = ({ path }: Silent, placed: readonly Placed[]): boolean =>
  programOf(basename(path)) !== undefined || placed.some((one) => basename(one.path) === basename(path));

/** @param placed what was read beside it */
export const wasMeant = (silent: Silent, placed: readonly Placed[]): boolean =>
  !ERRORS.test(basename(silent.path)) &&
  (isCalledSo(silent, placed) ||
    (isEmpty(silent) && placed.some((one) => extname(one.path) === extname(silent.path))));

export function whySilent(silent: Silent): string {
  const [first = ''] = silent.text.trim().split(/\r?\n/);
  return isEmpty(silent)
    ? 'its output is empty'
    : `it holds no output of nccl-tests, but: ${first.slice(0, MOST_SHOWN)}`;
}

/** A folder of a node has a file of each operation, or one of the same name as others have. null: nobody says whose it is. */
export function nodeOfFolder(silent: Silent, placed: readonly Placed[]): string | null {
  const folder = dirname(silent.path);
  if (folder === '.' || !isCalledSo(silent, placed)) return null;
  const nodes = new Set(placed.flatMap(({ path, node }) => (dirname(path) === folder ? [node] : [])));
  const [only, ...others] = nodes;
  if (others.length > 0) return null;
  if (only !== undefined) return only;
  return programOf(basename(folder)) === undefined ? folder.replaceAll('/', '-') : null;
}
