/** The command line: commands, their errors, their exit codes. */
import type { Argv, CommandModule } from 'yargs';
import createYargs from 'yargs';
import { EXIT, messageOf, systemCode, UserError } from '../errors.js';
import { thereIs } from '../nearest.js';
import { identity } from '../package.js';
import { QuantityError } from '../quantities/parse.js';
import { ON_NODE } from '../submit/names.js';
import { say } from './say.js';
import { outliveHangup } from './signals.js';
import {
  asUsual,
  type CommandHelp,
  joinNegatives,
  missingArguments,
  plainMessage,
  refuseTwice,
  refuseValue,
  requireValues,
  shellOf,
  UsageError,
} from './usage.js';

type Command = () => Promise<CommandModule>;

/**
 * A new command is its file and its line here; a new indicator's command comes by itself. Each is loaded when it is asked
 * for: most of what starting takes is loading.
 */
const others: Readonly<Record<string, Command>> = {
  sweep: async () => (await import('./commands/sweep.js')).sweepCommand,
  run: async () => (await import('./commands/run.js')).runCommand,
  explore: async () => (await import('./commands/explore.js')).exploreCommand,
  qualify: async () => (await import('./commands/qualify.js')).qualifyCommand,
  verdict: async () => (await import('./commands/verdict.js')).verdictCommand,
  machine: async () => (await import('./commands/machine.js')).machineCommand,
  stacks: async () => (await import('./commands/stacks.js')).stacksCommand,
  doctor: async () => (await import('./commands/doctor.js')).doctorCommand,
  show: async () => (await import('./commands/show.js')).showCommand,
  report: async () => (await import('./commands/report.js')).reportCommand,
  compare: async () => (await import('./commands/compare.js')).compareCommand,
  history: async () => (await import('./commands/history.js')).historyCommand,
  score: async () => (await import('./commands/score.js')).scoreCommand,
  resume: async () => (await import('./commands/resume.js')).resumeCommand,
  import: async () => (await import('./commands/import.js')).importCommand,
  fleet: async () => (await import('./commands/fleet.js')).fleetCommand,
  submit: async () => (await import('./commands/submit.js')).submitCommand([], checkNodeCommand),
};

/** Not for people. */
const hidden: Readonly<Record<string, Command>> = {
  [ON_NODE]: async () => (await import('./commands/submit.js')).onNodeCommand,
};

/** What nodes can be told to run beside the commands that measure: whatever leaves a record behind. */
const ON_NODES = ['sweep', 'run', 'explore', 'qualify'];

/** The commands of the indicators, which measure. */
async function measuringCommands(): Promise<ReadonlyMap<string, CommandModule>> {
  const [{ indicators }, { measureCommand }] = await Promise.all([
    import('../indicators/index.js'),
    import('./commands/measure.js'),
  ]);
  return new Map(indicators.map((indicator) => [indicator.name, measureCommand(indicator)]));
}

/**
 * The command that is asked for; all of them where none is, for help and completion.
 * @throws UsageError for a command that there is not: yargs would call it an unknown argument.
 */
async function commandsFor([first = '']: readonly string[]): Promise<readonly CommandModule[]> {
  const load = [others, hidden].find((commands) => Object.hasOwn(commands, first))?.[first];
  if (load !== undefined) return [await load()];
  const measuring = await measuringCommands();
  const asked = measuring.get(first);
  if (asked !== undefined) return [asked];
  if (first !== '' && !first.startsWith('-') && first !== 'completion') {
    const names = [...measuring.keys(), ...Object.keys(others), 'completion'];
    throw new UsageError(`there is no command ${first}; ${thereIs(first, names)}`);
  }
  const rest = await Promise.all(Object.values(others).map((one) => one()));
  return [...measuring.values(), ...rest];
}

/** A submission: its own flags and the command of its nodes, which yargs is to see one after the other. */
async function submission(
  args: readonly string[],
): Promise<{ readonly args: readonly string[]; readonly commands: readonly CommandModule[] }> {
  const { arrangeSubmission, submitCommand } = await import('./commands/submit.js');
  const arranged = arrangeSubmission(args);
  return { args: arranged.args, commands: [submitCommand(arranged.command, checkNodeCommand)] };
}

/** Flags and names as the command itself checks them, without running it; false where it only prints its help. */
async function checkNodeCommand(words: readonly string[]): Promise<boolean> {
  const [first = ''] = words;
  const measuring = [...(await measuringCommands()).keys()];
  if (![...measuring, ...ON_NODES].includes(first))
    throw new UsageError(`nodes can be told to run ${[...measuring, ...ON_NODES].join(', ')}; not ${first}`);
  let asked = false;
  const handler = (): void => {
    asked = true;
  };
  // The commands of a sweep stand below it, each with a handler of its own, which would measure here.
  const given =
    first === 'sweep'
      ? [(await import('./commands/sweep.js')).sweepingBy(handler)]
      : (await commandsFor(words)).map((command) => ({ ...command, handler }));
  await build(words, given).parseAsync();
  return asked;
}

/** What yargs has of itself beside its types. */
interface Insides {
  getInternalMethods?(): { getUsageInstance(): { cacheHelpMessage(): void } };
}

/**
 * While a command begins yargs lays out all of its help, for a failure that may come later, which ours report without it. That
 * took longer than all else that yargs does.
 */
function withoutKeptHelp(cli: Argv): Argv {
  const usage = (cli as Insides).getInternalMethods?.().getUsageInstance();
  if (usage !== undefined) usage.cacheHelpMessage = () => {};
  return cli;
}

function build(given: readonly string[], commands: readonly CommandModule[]): Argv {
  const args = joinNegatives(given);
  const cli = createYargs([...args])
    .scriptName('pi-bench')
    // All else that is said is English.
    .detectLocale(false)
    .usage('$0 <command>\n\nHow fast, how steady and how correct a machine or a software stack is.')
    .version(identity().version)
    .alias('help', 'h')
    .option('debug', { type: 'boolean', describe: 'Stack traces of errors' })
    .completion(
      'completion',
      'Print the completion script of a shell, or of yours: pi-bench completion bash >> ~/.bashrc',
    )
    .demandCommand(1, 1, 'say what to do: pi-bench matmul, or pi-bench --help', 'one command at a time')
    .strict()
    .check((flags) => refuseTwice(flags) && refuseValue(flags, args) && requireValues(flags, args))
    .wrap(Math.min(110, process.stdout.columns ?? 100))
    .exitProcess(false)
    .epilogue(
      'Exit codes: 0 done, 1 the answer is no, 2 incomplete or not to be told, 3 wrong result, 64 bad usage, 70 internal error',
    )
    .fail((message: string | null, error: Error | undefined, help: unknown) => {
      const [{ command } = {}, ...more] = commands;
      const declared = more.length === 0 && typeof command === 'string' ? command : '';
      const said = message ?? '';
      const plain =
        missingArguments(said, declared, help as CommandHelp) ??
        plainMessage(said, args, declared, Object.keys((help as CommandHelp).getDescriptions()));
      throw error ?? new UsageError(plain ?? message ?? 'bad usage');
    });
  for (const command of commands) cli.command(command);
  return withoutKeptHelp(cli);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UserError) return error.exitCode;
  if (error instanceof QuantityError || error instanceof UsageError) return EXIT.usage;
  return EXIT.internal;
}

/** yargs takes no shell, and looks for the name in its environment. @throws UsageError */
function choosingShell(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  const shell = first === 'completion' ? shellOf(rest) : null;
  if (shell === null) return args;
  delete process.env.ZSH_NAME;
  process.env.SHELL = shell;
  return args.filter((arg) => arg !== shell);
}

/** Runs one command; sets the exit code and never throws. */
export async function main(given: readonly string[]): Promise<void> {
  let args = asUsual(given);
  outliveHangup();
  process.stdout.on('error', (error) => {
    // A reader that goes away (`| head`) is no error of ours, and no end either: what is kept beside what is printed is kept all the
    // same. A full disk is an error that nobody else would tell of.
    if (systemCode(error) === 'EPIPE') return;
    say(`cannot write to stdout: ${messageOf(error)}`);
    process.exitCode ||= EXIT.incomplete;
  });
  // Who does not read how it gets on (`2>&1 | head`) wants what is measured all the same.
  process.stderr.on('error', () => {});
  const asksForRanks = args.some(
    (arg) => arg === 'mpi' || /^--(?:transport=mpi$|rendezvous(?:=|$))/.test(arg),
  );
  try {
    args = choosingShell(args);
    if (args.some((arg) => /^--rendezvous(=|$)/.test(arg))) {
      const { rankVariables } = await import('../mpi/rendezvous.js');
      Object.assign(process.env, rankVariables(args));
    }
    if (asksForRanks) {
      const { followArguments, followsArguments } = await import('./follow-rank.js');
      if (followsArguments(args)) return followArguments(args);
    }
    const asked = args[0] === 'submit' ? await submission(args) : { args, commands: await commandsFor(args) };
    await build(asked.args, asked.commands).parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    const known = process.exitCode !== EXIT.internal;
    const text = messageOf(error)
      .trim()
      .replaceAll(/\s*\n\s*/g, ' ');
    say(known ? text : `internal error: ${text} (please report it; --debug shows where)`);
    if (args.includes('--debug') && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    if (asksForRanks) await (await import('./follow-rank.js')).letFollowersGo(args);
  }
}
