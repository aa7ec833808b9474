/**
 * Which words of the nodes' command are files that the nodes need as well. All others are names or numbers, whatever lies in the
 * current folder: a file that happens to be called `matmul`, `all-reduce` or `64` is not meant by them. Pure.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { parse } from 'yaml';
import { kebab } from './command-line.js';

/** Flags whose value is such a file. */
const FILE_FLAGS: readonly string[] = ['baseline', 'stack-file', 'suite'];
/** Commands whose first word without a flag is one. */
const FILE_COMMANDS: readonly string[] = ['explore', 'run'];
/** Flags of these commands that take the next word, which is not the file then. */
const VALUE_FLAGS: readonly string[] = ['count', 'out', 'seed', 'strategy'];

export interface NamedFile {
  /** Of the word in the command. */
  readonly index: number;
  /** What that word has before the path: `--suite=`, or nothing. */
  readonly before: string;
  readonly path: string;
}

/** @param command such as `['qualify', '--suite', 'own.yaml']` */
export function namedFiles(command: readonly string[]): readonly NamedFile[] {
  const found: NamedFile[] = [];
  let takesFile = FILE_COMMANDS.includes(command[0] ?? '');
  for (let index = 1; index < command.length; index++) {
    const word = command[index] ?? '';
    // What explore is to measure stands behind it, and nothing there is a file.
    if (word === '--') break;
    if (!word.startsWith('-')) {
      if (takesFile) found.push({ index, before: '', path: word });
      takesFile = false;
      continue;
    }
    const [, flag = '', equals = '', path = ''] = /^--([^=]+)(=?)(.*)$/s.exec(word) ?? [];
    const name = kebab(flag);
    const isFile = FILE_FLAGS.includes(name);
    if (equals !== '') {
      if (isFile) found.push({ index, before: `--${flag}=`, path });
    } else if (isFile || (takesFile && VALUE_FLAGS.includes(name))) {
      index++;
      const value = command[index];
      if (isFile && value !== undefined) found.push({ index, before: '', path: value });
    }
  }
  return found;
}

/** A file that a named one names in its turn. */
export interface FileBeside {
  /** As it stands there: relative to that file. */
  readonly written: string;
  /** As the command would name it. */
  readonly path: string;
}

/** null: none, or it is no campaign file, which the nodes' own command says. */
function stackFileIn(campaign: string): string | null {
  try {
    const { stackFile } = (parse(campaign, { logLevel: 'error' }) ?? {}) as { readonly stackFile?: unknown };
    return typeof stackFile === 'string' ? stackFile : null;
  } catch {
    return null;
  }
}

/**
 * The stack file of the campaign file that `run` takes; null: there is none.
 * @param content of the campaign file
 */
export function stackFileBeside(
  command: readonly string[],
  { path }: Pick<NamedFile, 'path'>,
  content: string,
): FileBeside | null {
  const written = command[0] === 'run' ? stackFileIn(content) : null;
  if (written === null) return null;
  return { written, path: isAbsolute(written) ? written : join(dirname(path), written) };
}
