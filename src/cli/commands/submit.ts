/** `pi-bench submit SCHEDULER COMMAND...`: a campaign on each of many nodes, by the scheduler that they have. */
import type { CommandModule, Options } from 'yargs';
import { UserError } from '../../errors.js';
import type { Flags } from '../../indicators/indicator.js';
import { requireDuration } from '../../quantities/parse.js';
import { splitLine } from '../../submit/command-line.js';
import { findScheduler, schedulers } from '../../submit/index.js';
import { ON_NODE } from '../../submit/names.js';
import { runOnNode } from '../../submit/on-node.js';
import type { Scheduler } from '../../submit/scheduler.js';
import { parseTask } from '../../submit/task.js';
import { beginSubmission, type Submission } from '../begin-submission.js';
import { runSubmission } from '../run-submission.js';
import { say } from '../say.js';

const MOST_RETRIES = 100;

/** @throws UserError for what is no whole number, or too large */
function retriesOf({ retries }: Flags): number {
  const count = Number(retries);
  if (/^\d+$/.test(String(retries)) && count <= MOST_RETRIES) return count;
  throw new UserError(`--retries takes a whole number from 0 to ${MOST_RETRIES}; got "${String(retries)}"`);
}

const commonOptions: Readonly<Record<string, Options>> = {
  retries: {
    type: 'string',
    group: 'Following:',
    default: '0',
    describe: 'Attempts more for a node that was lost',
  },
  'give-up': {
    type: 'string',
    group: 'Following:',
    describe: 'A node that has not begun after this time (2h) is lost',
    defaultDescription: 'never',
  },
  'pi-bench': {
    type: 'string',
    group: 'Following:',
    describe: 'Where pi-bench is on the nodes',
    defaultDescription: 'as here; on Kubernetes pi-bench in PATH',
  },
  out: {
    type: 'string',
    group: 'Output:',
    describe: 'Folder in which the submission gets its own; best one that the nodes share',
    default: 'results',
  },
  json: {
    type: 'boolean',
    group: 'Output:',
    describe: 'Print how each node ended as JSON, and nothing else on stdout',
  },
  quiet: { type: 'boolean', group: 'Output:', describe: 'No progress' },
};

const optionsOf = ({ options, dryRunNeeds }: Scheduler): Readonly<Record<string, Options>> => ({
  ...options,
  ...commonOptions,
  'dry-run': {
    type: 'boolean',
    group: 'Output:',
    describe: `Print what would be handed over, and hand over nothing${dryRunNeeds === null ? '' : `; needs ${dryRunNeeds}`}`,
  },
});

export interface Arranged {
  /** For yargs. */
  readonly args: readonly string[];
  /** For the nodes. */
  readonly command: readonly string[];
}

/** Takes the nodes' command out of a command line; any other command's is left as it is. @throws UserError for an unknown scheduler */
export function arrangeSubmission(args: readonly string[]): Arranged {
  const [first, name] = args;
  if (first !== 'submit' || name === undefined || name.startsWith('-')) return { args, command: [] };
  const scheduler = findScheduler(name);
  const { own, command } = splitLine(args.slice(2), optionsOf(scheduler));
  return { args: ['submit', scheduler.name, ...own], command };
}

function submissionOf(scheduler: Scheduler, flags: Flags, command: readonly string[]): Submission {
  return {
    scheduler,
    settings: {
      ...scheduler.settingsOf(flags),
      piBench: flags.piBench === undefined ? null : String(flags.piBench),
    },
    command,
    retries: retriesOf(flags),
    giveUp: flags.giveUp === undefined ? null : requireDuration(String(flags.giveUp), '--give-up'),
  };
}

/** Checks a command of the nodes as their own pi-bench would, before anything is handed over. False: it only asked for help. */
export type CheckCommand = (command: readonly string[]) => Promise<boolean>;

async function submit(
  scheduler: Scheduler,
  flags: Flags,
  command: readonly string[],
  check: CheckCommand,
): Promise<void> {
  if (command.length === 0)
    throw new UserError(`say what the nodes are to run: pi-bench submit ${scheduler.name} matmul --size 512`);
  const submission = submissionOf(scheduler, flags, command);
  if (!(await check(command))) return;
  await (await import('../check-node-values.js')).checkNodeValues(command);
  const hint = scheduler.hint?.(submission.settings, command) ?? null;
  if (hint !== null) say(hint);
  const out = String(flags.out);
  const dryRun = flags.dryRun === true;
  const folder = await beginSubmission(submission, out, dryRun);
  if (folder !== null)
    await runSubmission(folder, { json: flags.json === true, quiet: flags.quiet === true });
}

export function submitCommand(command: readonly string[], check: CheckCommand): CommandModule {
  return {
    command: 'submit',
    describe: 'Run a campaign on many nodes, by Slurm, MPI or Kubernetes',
    builder: (yargs) => {
      for (const scheduler of schedulers) {
        yargs.command({
          command: scheduler.name,
          describe: scheduler.summary,
          builder: (inner) =>
            inner
              .usage(`$0 submit ${scheduler.name} [options] COMMAND...\n\n${scheduler.summary}.`)
              .options(optionsOf(scheduler))
              .example(scheduler.examples.map(([a, b]) => [a, b])),
          handler: (flags) => submit(scheduler, flags, command, check),
        });
      }
      return yargs.demandCommand(
        1,
        1,
        'say by what: pi-bench submit slurm --nodes 4 matmul',
        'one scheduler at a time',
      );
    },
    handler: () => {},
  };
}

/** Not for people: what `submit` has a scheduler run on a node. */
export const onNodeCommand: CommandModule = {
  command: `${ON_NODE} <task>`,
  describe: false,
  builder: (yargs) => yargs.positional('task', { type: 'string', demandOption: true }),
  handler: ({ task }) => runOnNode(parseTask(String(task))),
};
