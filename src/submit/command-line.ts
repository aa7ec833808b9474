/**
 * `pi-bench submit slurm --nodes 4 matmul --size 512`: which words are the submission's and which the nodes' command. Pure.
 */
import type { Options } from 'yargs';

export interface SplitLine {
  /** For the submission: its flags, wherever they stood before a `--`. */
  readonly own: readonly string[];
  /** For the nodes. */
  readonly command: readonly string[];
}

/** `stackFile` as `stack-file`. */
export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * A flag that submission knows is its own; the first word that is no flag's value begins the command, and so does a flag that it
 * does not know. Behind `--` everything is the command's.
 * @param args behind the scheduler's name
 */
export function splitLine(args: readonly string[], options: Readonly<Record<string, Options>>): SplitLine {
  const flags = new Map(
    Object.entries(options).map(([name, option]) => [kebab(name), option.type === 'boolean']),
  );
  const own: string[] = [];
  const command: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? '';
    if (word === '--') {
      command.push(...args.slice(i + 1));
      break;
    }
    const [, no, name = '', value] = /^--(no-)?([^=]+)(=.*)?$/s.exec(word) ?? [];
    const boolean = flags.get(name);
    const isOwn = boolean !== undefined && (no === undefined || boolean);
    // Help before the command is that of the submission.
    const isHelp = command.length === 0 && (word === '--help' || word === '--debug');
    if (!isOwn && !isHelp) {
      command.push(word);
      continue;
    }
    own.push(word);
    const takesNext = isOwn && boolean === false && value === undefined;
    if (takesNext && args[i + 1] !== undefined) own.push(args[++i] ?? '');
  }
  return { own, command };
}
