/**
 * Files that hold no output of nccl-tests where one was meant to be: of a program that was killed before its
 * first line, or that never started. Much else lies beside outputs, so a file has to be like them. Pure.
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
const HIDDEN = /(^|\/)\./;
/** Where a launcher gives each rank a file, as `mpirun --output-filename` does: all but the first are empty. */
const RANK = /(?<![a-z])(rank|task|proc)[._-]?\d+/gi;
/** In what a loader, a shell or a launcher says where a program did not start, or was killed. */
const FAILED = new RegExp(
  [
    String.raw`\b(errors?|fail(ed|ure|s)?|fault|fatal|exception|illegal|cannot|could not|unable|not found|no such file|no route)\b`,
    String.raw`\b(denied|refused|reset|unreachable|killed|abort(ed)?|terminated|timed out|cancelled|core dumped)\b`,
  ].join('|'),
  'i',
);
const SCRIPT = /^#!/;
const MOST_SHOWN = 200;

const isEmpty = ({ text }: Silent): boolean => text.trim() === '';
const isOfFailure = (silent: Silent): boolean =>
  isEmpty(silent) || (FAILED.test(silent.text) && !SCRIPT.test(silent.text));

const programIn = (path: string): string | undefined => programOf(basename(path));
const isNamesake = (path: string, outputs: readonly Placed[]): boolean =>
  outputs.some((one) => basename(one.path) === basename(path));
const runOf = (path: string): string => path.replaceAll(RANK, '#');
/** Nodes' names mostly differ in a number. */
const shapeOf = (path: string): string => basename(path).replaceAll(/\d+/g, '#');

/**
 * Called after what it measures, or as an output is, but for numbers. Where outputs have names with nothing in common, as hosts may
 * have, an empty file with their ending is one, whatever its name.
 */
function isCalledSo(silent: Silent, outputs: readonly Placed[]): boolean {
  const { path } = silent;
  const shapes = new Set(outputs.map((one) => shapeOf(one.path)));
  if (programIn(path) !== undefined || shapes.has(shapeOf(path))) return true;
  const areOfHosts = shapes.size > 1 && outputs.every((one) => programIn(one.path) === undefined);
  return areOfHosts && isEmpty(silent) && extname(path) !== '';
}

/** @param placed what was read beside it */
export function wasMeant(silent: Silent, placed: readonly Placed[]): boolean {
  const { path } = silent;
  const outputs = placed.filter((one) => extname(one.path) === extname(path));
  return (
    (isOfFailure(silent) || isNamesake(path, outputs)) &&
    !HIDDEN.test(path) &&
    !ERRORS.test(basename(path)) &&
    outputs.length > 0 &&
    !outputs.some((one) => runOf(one.path) === runOf(path)) &&
    isCalledSo(silent, outputs)
  );
}

export function whySilent(silent: Silent): string {
  const [first = ''] = silent.text.trim().split(/\r?\n/);
  return isEmpty(silent)
    ? 'its output is empty'
    : `it holds no output of nccl-tests, but: ${first.slice(0, MOST_SHOWN)}`;
}

/**
 * A folder of a node has a file of each operation, or one of the same name as others have. null: nobody says whose it is, or that node has
 * an output of that operation.
 */
export function nodeOfFolder(silent: Silent, placed: readonly Placed[]): string | null {
  const { path } = silent;
  const folder = dirname(path);
  const isNamed = programIn(path) !== undefined || isNamesake(path, placed);
  if (folder === '.' || !isNamed || !isOfFailure(silent) || runOf(path) !== path) return null;
  const beside = placed.filter((one) => dirname(one.path) === folder);
  const nodes = new Set(beside.map(({ node }) => node));
  const [only, ...others] = nodes;
  if (others.length > 0 || beside.some((one) => programIn(one.path) === programIn(path))) return null;
  if (only !== undefined) return only;
  return programOf(basename(folder)) === undefined ? folder.replaceAll('/', '-') : null;
}
