/** What yargs lets pass on a command line although nobody can have meant it. */
import { meantText, nearest } from '../nearest.js';
import { STDIN } from '../store/stdin.js';

export class UsageError extends Error {}

/** What yargs has of a command's help beside its types. */
export interface CommandHelp {
  /** @param columns null: as wide as it takes */
  wrap(columns: number | null): void;
  help(): string;
  getDescriptions(): Readonly<Record<string, string | undefined>>;
}

/**
 * Which arguments a command lacks that it cannot do without, and how it is called: yargs only counts them.
 * @param command as it is declared: `import <format> <path>`
 * @returns null: the message is about something else
 */
export function missingArguments(message: string, command: string, help: CommandHelp): string | null {
  const [, got] = /^Not enough non-option arguments: got (\d+)/.exec(message) ?? [];
  if (got === undefined) return null;
  const required = [...command.matchAll(/<(\w+)(?:\.\.)?>/g)].map(([, name = '']) => name);
  const descriptions = help.getDescriptions();
  const missing = required.slice(Number(got)).map((name) => `<${name}> (${descriptions[name] ?? ''})`);
  if (missing.length === 0) return null;
  help.wrap(null);
  const [, example] = /^Examples:\s+(\S.*?)(?: {2,}|$)/m.exec(help.help()) ?? [];
  const such = example === undefined ? '' : `, as in ${example}`;
  return `${command.split(' ')[0]} needs ${missing.join(' and ')}${such}`;
}

const camelCase = (name: string): string =>
  name.replaceAll(/-+(\w)/g, (_, letter: string) => letter.toUpperCase());

/** null: none is. */
function meantFlag(typed: string, known: readonly string[]): string | null {
  if (!typed.startsWith('--')) return null;
  const meant = nearest(typed.slice(2), [...known, ...known.map((name) => `no-${name}`)]);
  return meant === null ? null : `--${meant}`;
}

/** What others are asked with: `help matmul`, `version`, `-v`. */
export function asUsual(args: readonly string[]): readonly string[] {
  const [first = '', ...rest] = args;
  if (first === 'help') return [...rest, '--help'];
  if (['version', '-v', '-V'].includes(first)) return ['--version', ...rest];
  // yargs would make an empty text of it.
  return first === 'show' ? args.map((arg) => (arg === '-' ? STDIN : arg)) : args;
}

const SHELLS = ['bash', 'zsh', 'fish'];

/**
 * The shell that a script for completion is asked for, by the variable from which yargs knows it; null: the one that asks.
 * @param args behind `completion`
 * @throws UsageError for a shell that there is no script for
 */
export function shellOf(args: readonly string[]): string | null {
  const [shell, ...more] = args.filter((arg) => !arg.startsWith('-'));
  if (shell === undefined) return null;
  if (more.length === 0 && SHELLS.includes(shell)) return shell;
  throw new UsageError(
    `completion takes one shell, ${SHELLS.join(', ')}, or none for your own; got ${[shell, ...more].join(' ')}`,
  );
}

/** Commands whose flags are those of what stands below them, with a help of its own. */
const NESTING: readonly string[] = ['sweep', 'fleet'];

/** `matmul`, `sweep matmul` */
function helpOf(command: string, [typed, below = '-']: readonly string[]): string {
  const [first = ''] = command.split(' ');
  return typed === first && NESTING.includes(first) && !below.startsWith('-') ? `${first} ${below}` : first;
}

/**
 * What yargs says of arguments that it does not know, and of values that are none of its choices, as we say it elsewhere. It names a flag
 * with a hyphen twice, the second time in its own writing.
 * @param args as they were typed: what stands there behind hyphens is a flag
 * @param command as it is declared
 * @param known the flags that there are
 * @returns null: the message is about something else
 */
export function plainMessage(
  message: string,
  args: readonly string[],
  command: string,
  known: readonly string[] = [],
): string | null {
  const [, unknown] = /^Unknown arguments?: (.*)$/s.exec(message) ?? [];
  if (unknown !== undefined) {
    const names = unknown.split(', ');
    const own = names.filter((name) => !names.some((other) => other !== name && camelCase(other) === name));
    const typed = own.map((name) => {
      const flag = name.length === 1 ? `-${name}` : `--${name}`;
      return args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)) ? flag : name;
    });
    const meant = typed.flatMap((flag) => meantFlag(flag, known) ?? []);
    const called = helpOf(command, args);
    const help = `pi-bench ${called === '' ? '' : `${called} `}--help lists what there is`;
    return `unknown argument ${typed.join(', ')}; ${help}${meantText(meant.length === 0 ? null : meant.join(', '))}`;
  }
  if (!message.startsWith('Invalid values:')) return null;
  const invalid = [...message.matchAll(/Argument: (.+), Given: (.*), Choices: (.*)$/gm)];
  const told = invalid.map(([, name = '', given = '', choices = '']) => {
    const argument = command.includes(`<${name}>`) ? `<${name}>` : `--${name}`;
    return `${argument} takes ${choices.replaceAll('"', '')}; got ${given}`;
  });
  return told.length === 0 ? null : told.join('; ');
}

/** Arguments that are lists by themselves. */
const LISTS: readonly string[] = ['_', '--', 'records', 'nodes', 'first', 'second'];

/** @throws UsageError for a flag that was given twice: which of the two was meant cannot be known */
export function refuseTwice(given: Readonly<Record<string, unknown>>): true {
  const twice = Object.entries(given).find(([name, value]) => !LISTS.includes(name) && Array.isArray(value));
  if (twice !== undefined) throw new UsageError(`--${twice[0]} was given more than once`);
  return true;
}

/** `--duration -1s` as `--duration=-1s`: yargs would take the value for flags of one letter each, and complain of these. */
export function joinNegatives(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const joined: string[] = [];
  args.forEach((arg, i) => {
    const before = joined.at(-1) ?? '';
    const isOwn = end < 0 || i < end;
    if (isOwn && /^-\.?\d/.test(arg) && /^--[\w-]+$/.test(before))
      joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  });
  return joined;
}

/** yargs would take `--prepack=yes` for false. @throws UsageError */
export function refuseValue(given: Readonly<Record<string, unknown>>, args: readonly string[]): true {
  for (const arg of args) {
    const [, name = '', value = ''] = /^--([\w-]+)=(.*)$/s.exec(arg) ?? [];
    if (typeof given[name] === 'boolean' && value !== 'true' && value !== 'false') {
      throw new UsageError(`--${name} takes no value; got "${value}"`);
    }
  }
  return true;
}

/** yargs would take an empty text for the value, or the flag's default. @throws UsageError */
export function requireValues(given: Readonly<Record<string, unknown>>, args: readonly string[]): true {
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  own.forEach((arg, i) => {
    const [, name = ''] = /^--([\w-]+)$/.exec(arg) ?? [];
    if (!['string', 'number'].includes(typeof given[name])) return;
    // A `-` alone is a value, and so is a negative number.
    if (/^(?!-\.?\d|-$)-|^$/.test(own[i + 1] ?? '')) throw new UsageError(`--${name} needs a value`);
  });
  return true;
}
