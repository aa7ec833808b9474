/** The command line: commands, their errors, their exit codes. */
import type { Argv, CommandModule } from 'yargs';
import createYargs from 'yargs';
import { EXIT, messageOf, systemCode, UserError } from '../errors.js';
import { indicators } from '../indicators/index.js';
import { identity } from '../package.js';
import { QuantityError } from '../quantities/parse.js';
import { ON_NODE } from '../submit/task.js';
import { compareCommand } from './commands/compare.js';
import { doctorCommand } from './commands/doctor.js';
import { exploreCommand } from './commands/explore.js';
import { importCommand } from './commands/import.js';
import { machineCommand } from './commands/machine.js';
import { measureCommand } from './commands/measure.js';
import { reportCommand } from './commands/report.js';
import { resumeCommand } from './commands/resume.js';
import { readCampaignFile, runCommand } from './commands/run.js';
import { scoreCommand } from './commands/score.js';
import { showCommand } from './commands/show.js';
import { stacksCommand } from './commands/stacks.js';
import { arrangeSubmission, onNodeCommand, submitCommand } from './commands/submit.js';
import { sweepCommand } from './commands/sweep.js';
import { say } from './say.js';
import { refuseTwice, refuseValue, UsageError } from './usage.js';

/** A new command is its file and its line here; a new indicator's command comes by itself. */
const commands: readonly CommandModule[] = [
  ...indicators.map(measureCommand),
  sweepCommand,
  runCommand,
  exploreCommand,
  machineCommand,
  stacksCommand,
  doctorCommand,
  showCommand,
  reportCommand,
  compareCommand,
  scoreCommand,
  resumeCommand,
  importCommand,
];

/** What nodes can be told to run: whatever leaves a record behind. */
const onNodes: readonly CommandModule[] = [
  ...indicators.map(measureCommand),
  sweepCommand,
  runCommand,
  exploreCommand,
];

/** Flags and names as the command itself checks them, without running it; false where it only prints its help. */
async function checkNodeCommand(words: readonly string[]): Promise<boolean> {
  const names = onNodes.map(({ command }) => String(command).split(' ')[0] ?? '');
  if (!names.includes(words[0] ?? ''))
    throw new UsageError(`nodes can be told to run ${names.join(', ')}; not ${words[0]}`);
  let runs = false;
  const handler = ({ file }: Readonly<Record<string, unknown>>): void => {
    runs = true;
    if (words[0] === 'run') readCampaignFile(String(file));
  };
  await build(
    words,
    onNodes.map((module) => ({ ...module, handler })),
  ).parseAsync();
  return runs;
}

/** yargs would call an unknown command an unknown argument. */
function refuseUnknownCommand([first]: readonly string[]): void {
  const names = [
    ...commands.map(({ command }) => String(command).split(' ')[0] ?? ''),
    'submit',
    'completion',
  ];
  if (first === undefined || first.startsWith('-') || first === ON_NODE || names.includes(first)) return;
  throw new UsageError(`there is no command ${first}; there is ${names.join(', ')}`);
}

function build(args: readonly string[], modules: readonly CommandModule[]): Argv {
  const cli = createYargs([...args])
    .scriptName('pi-bench')
    .usage('$0 <command>\n\nHow fast, how steady and how correct a machine or a software stack is.')
    .version(identity().version)
    .option('debug', { type: 'boolean', describe: 'Stack traces of errors' })
    .completion('completion', 'Print the shell’s completion script: pi-bench completion >> ~/.bashrc')
    .demandCommand(1, 1, 'say what to do: pi-bench matmul, or pi-bench --help', 'one command at a time')
    .strict()
    .check((given) => refuseTwice(given) && refuseValue(given, args))
    .wrap(Math.min(110, process.stdout.columns ?? 100))
    .exitProcess(false)
    .epilogue(
      'Exit codes: 0 done, 1 the answer is no, 2 incomplete, 3 wrong result, 64 bad usage, 70 internal error',
    )
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? new UsageError(message ?? 'bad usage');
    });
  for (const module of modules) cli.command(module);
  return cli;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UserError) return error.exitCode;
  if (error instanceof QuantityError || error instanceof UsageError) return EXIT.usage;
  return EXIT.internal;
}

/** Runs one command; sets the exit code and never throws. */
export async function main(args: readonly string[]): Promise<void> {
  // A reader that goes away (`| head`) is no error of ours.
  process.stdout.on('error', (error) => {
    if (systemCode(error) === 'EPIPE') process.exit(process.exitCode ?? EXIT.done);
  });
  try {
    refuseUnknownCommand(args);
    const arranged = arrangeSubmission(args);
    const submit = submitCommand(arranged.command, checkNodeCommand);
    await build(arranged.args, [...commands, submit, onNodeCommand]).parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    const known = process.exitCode !== EXIT.internal;
    const text = messageOf(error)
      .trim()
      .replaceAll(/\s*\n\s*/g, ' ');
    say(known ? text : `internal error: ${text} (please report it; --debug shows where)`);
    if (args.includes('--debug') && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
}
