/** `pi-bench qualify`: is this node as fast, as steady and as correct as it should be? A verdict, its reasons, an exit code. */
import { dirname } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT, messageOf, UserError } from '../../errors.js';
import type { Flags } from '../../indicators/indicator.js';
import { monotonic } from '../../inspection/job.js';
import type { MachineDescription } from '../../machine/types.js';
import { isJudged } from '../../qualify/formats/index.js';
import { TIERS, type Tier } from '../../qualify/suite.js';
import { requireDuration } from '../../quantities/parse.js';
import { renderQualification } from '../../readers/terminal/qualification.js';
import { terminalStyle } from '../../readers/terminal/style.js';
import type { Qualification } from '../../record/schema.js';
import { writeFileAtomic } from '../../store/atomic.js';
import type { Seconds } from '../../units.js';
import { describeHere } from '../here.js';
import { baselineOf, parseExpected, readHistory, requiring } from '../qualification/inputs.js';
import { keepVerdict, parseFormats, push, pushAddress, writeFormats } from '../qualification/outputs.js';
import { qualify } from '../qualification/qualify.js';
import { testQualification } from '../qualification/self-test.js';
import { shippedSuite, suiteOf } from '../qualification/suites.js';
import { lookAround } from '../qualification/surroundings.js';
import { say } from '../say.js';

const DEFAULT_TIER: Tier = 't1';
/** A GPU that sleeps takes seconds to wake up; a driver that hangs must not take the deadline with it. */
const MOST_OF_DEADLINE = 0.5;

const EXITS: Readonly<Record<Qualification['outcome'], number>> = {
  qualified: EXIT.done,
  'not-qualified': EXIT.answerIsNo,
  inconclusive: EXIT.incomplete,
};

const textOf = (flags: Flags, name: string): string | null =>
  flags[name] === undefined ? null : String(flags[name]);

const secondsOf = (flags: Flags, name: string): Seconds | null => {
  const text = textOf(flags, name);
  return text === null ? null : requireDuration(text, `--${name}`);
};

function chosenSuite(flags: Flags) {
  const [tier, file] = [textOf(flags, 'tier'), textOf(flags, 'suite')];
  if (tier !== null && file !== null)
    throw new UserError('--tier is a shipped suite and --suite one of your own: give one of them');
  return file === null ? shippedSuite((tier ?? DEFAULT_TIER) as Tier) : suiteOf(file);
}

/** A suite's budget is that of a node without GPUs; each of them is measured by itself, and takes about as long. */
const budgetHere = (budget: Seconds | null, { gpus }: MachineDescription): Seconds | null =>
  budget === null ? null : budget * (1 + (gpus?.devices.length ?? 0));

async function run(flags: Flags): Promise<void> {
  const began = monotonic();
  const startedAt = new Date().toISOString();
  // All that can be wrong with the command is said before anything takes time.
  const suite = requiring(chosenSuite(flags), textOf(flags, 'require'));
  const wanted = textOf(flags, 'format') === null ? [] : parseFormats(String(flags.format));
  if (flags.json === true && wanted.some(({ place }) => place === '-'))
    throw new UserError(
      '--json is the record on stdout, and --format sends something else there, too: give one of them',
    );
  const gateway = textOf(flags, 'push') === null ? null : pushAddress(String(flags.push));
  const expected = parseExpected(textOf(flags, 'expect'));
  const deadline = secondsOf(flags, 'deadline');
  const gpus = (expected.gpu ?? 0) > 0;
  const machine = describeHere(gpus, deadline === null ? null : deadline * MOST_OF_DEADLINE);
  const budget = secondsOf(flags, 'budget') ?? budgetHere(suite.budget, machine);
  const baseline = baselineOf(textOf(flags, 'baseline'), machine);
  const out = String(flags.out);
  const toStdout = flags.json === true || wanted.some(({ place }) => place === '-');
  const { record, qualification, path, signalled } = await qualify({
    suite,
    machine,
    surroundings: await lookAround(),
    expected,
    baseline,
    history: readHistory(out, suite),
    out,
    command: process.argv.slice(2),
    began,
    startedAt,
    budget,
    deadline,
    quiet: flags.quiet === true,
    wait: flags.wait !== false,
  });
  writeFileAtomic(path, `${JSON.stringify(record, null, 1)}\n`);
  if (!isJudged(record)) throw new Error('the record lost its verdict');
  process.exitCode = signalled ?? EXITS[qualification.outcome];
  if (flags.json === true) process.stdout.write(`${JSON.stringify(record, null, 1)}\n`);
  else if (!toStdout)
    process.stdout.write(`${renderQualification(record, path, terminalStyle(process.stdout))}\n`);
  try {
    keepVerdict(record, path);
  } catch (error) {
    say(`pi-bench verdict will not know of this: ${messageOf(error)}`);
  }
  for (const file of await writeFormats(record, path, wanted)) say(`written: ${file}`);
  if (gateway === null) return;
  try {
    await push(record, gateway);
  } catch (error) {
    say(
      `the verdict stands, but ${gateway.origin} did not take it: ${messageOf(error)}; the record is in ${dirname(path)}`,
    );
  }
}

export const qualifyCommand: CommandModule = {
  command: 'qualify',
  describe: 'Is this node as fast, as steady and as correct as it should be? Verdict, reasons, exit code',
  builder: (yargs) =>
    yargs
      .option('tier', {
        type: 'string',
        choices: TIERS,
        group: 'What is checked:',
        describe: 't0: a look, no load, 5 s; t1: a minute; t2: some five minutes; t3: half an hour and more',
        defaultDescription: DEFAULT_TIER,
      })
      .option('suite', {
        type: 'string',
        group: 'What is checked:',
        describe: 'A suite of your own (YAML or JSON, schema/suite.schema.json)',
      })
      .option('expect', {
        type: 'string',
        group: 'What is checked:',
        describe: 'What has to be here: gpu=8,cpu=64,numa=2',
      })
      .option('baseline', {
        type: 'string',
        group: 'What is checked:',
        describe: 'What nodes of this kind reach, from pi-bench fleet baseline',
      })
      .option('require', {
        type: 'string',
        group: 'What is checked:',
        describe: 'Checks that have to be judged, where the suite would do without: floor,history',
      })
      .option('budget', {
        type: 'string',
        group: 'Measuring:',
        describe: 'Time after which nothing is begun that would end later (60s)',
        defaultDescription: 'of the suite',
      })
      .option('deadline', {
        type: 'string',
        group: 'Measuring:',
        describe: 'Time after which even what runs is ended, with a verdict (50s)',
      })
      .option('wait', {
        type: 'boolean',
        default: true,
        group: 'Measuring:',
        describe: 'Wait while another campaign measures on this machine; --no-wait measures beside it',
      })
      .option('self-test', {
        type: 'boolean',
        describe:
          'Inject a flipped bit, a slow-down, a throttle, a hang and a crash, and look whether each is judged rightly',
      })
      .option('out', {
        type: 'string',
        default: 'results',
        group: 'Output:',
        describe: 'Folder in which the run gets its own, and from which a node’s history is read',
      })
      .option('format', {
        type: 'string',
        group: 'Output:',
        describe:
          'Beside the record: json,jsonl,junit,md,html,prom, each with a place of its own if wanted: prom=FILE, json=-',
      })
      .option('push', { type: 'string', group: 'Output:', describe: 'Address of a Prometheus Pushgateway' })
      .option('json', {
        type: 'boolean',
        group: 'Output:',
        describe: 'Print the record on stdout and nothing else there',
      })
      .option('quiet', { type: 'boolean', group: 'Output:', describe: 'No progress' })
      .example([
        ['$0 qualify', 'about a minute; the verdict, what is wrong, what to do'],
        ['$0 qualify --tier t0 --expect gpu=8 --deadline 50s', 'a look without load, for a health check'],
        ['$0 qualify --tier t2 --baseline fleet.json --format junit,html', 'against nodes of its kind'],
        ['$0 qualify --self-test', 'that each kind of fault is found, and none where there is none'],
      ])
      .epilogue('Exit codes: 0 qualified, 1 not qualified, 2 inconclusive, 64 bad usage, 128+n signal n'),
  handler: async (flags) => {
    if (flags.selfTest !== true) return run(flags);
    process.exitCode = await testQualification();
  },
};
