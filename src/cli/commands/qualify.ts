/** `pi-bench qualify`: is this node as fast, as steady and as correct as it should be? A verdict, its reasons, an exit code. */
import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { UserError } from '../../errors.js';
import type { Flags } from '../../indicators/indicator.js';
import { monotonic } from '../../inspection/job.js';
import { TIERS } from '../../qualify/answer.js';
import type { Tier } from '../../qualify/suite-file.js';
import { requireDuration } from '../../quantities/parse.js';
import type { Seconds } from '../../units.js';
import { ranksOfJobText } from '../campaign-of-each.js';
import { refuseOnce } from '../follow-rank.js';
import { describeHere } from '../here.js';
import { type Asked, canBeResumed, suiteOf } from '../qualification/asked.js';
import { batchesHere, budgetHere } from '../qualification/batches-here.js';
import { deliver } from '../qualification/deliver.js';
import { PUSH_CREDENTIALS, pushAddress, withoutCredentials } from '../qualification/gateway.js';
import {
  baselineFrom,
  parseExpected,
  readHistory,
  readText,
  requireChecksFor,
} from '../qualification/inputs.js';
import { requireTimeToMeasure } from '../qualification/least-deadline.js';
import { parseFormats, requireOneOnStdout } from '../qualification/outputs.js';
import { qualify } from '../qualification/qualify.js';
import { testQualification } from '../qualification/self-test.js';
import { lookAround } from '../qualification/surroundings.js';
import { say } from '../say.js';

const DEFAULT_TIER: Tier = 't1';
/** A GPU that sleeps takes seconds to wake up; a driver that hangs must not take the deadline with it. */
const MOST_OF_DEADLINE = 0.5;

/** What a self-test has of its own. */
const NOT_OF_SELF_TEST = [
  ...['tier', 'suite', 'expect', 'baseline', 'require', 'budget', 'deadline'],
  ...['format', 'push', 'json'],
] as const;
const DEFAULT_OUT = 'results';

/** @throws UserError for a flag that it would not heed */
function requireSelfTestAlone(flags: Flags): void {
  const given: readonly string[] = [
    ...NOT_OF_SELF_TEST.filter((name) => flags[name] !== undefined),
    ...(flags.out === DEFAULT_OUT ? [] : ['out']),
    ...(flags.wait === false ? ['no-wait'] : []),
  ];
  if (given.length > 0)
    throw new UserError(
      `--self-test judges a suite of its own and keeps no record, so nothing would come of ${given.map((name) => `--${name}`).join(', ')}: leave it out`,
    );
}

const textOf = (flags: Flags, name: string): string | null =>
  flags[name] === undefined ? null : String(flags[name]);

const secondsOf = (flags: Flags, name: string): Seconds | null => {
  const text = textOf(flags, name);
  return text === null ? null : requireDuration(text, `--${name}`);
};

const suiteAsked = (flags: Flags): Pick<Asked, 'tier' | 'suite' | 'require'> => {
  const [tier, file] = [textOf(flags, 'tier'), textOf(flags, 'suite')];
  if (tier !== null && file !== null)
    throw new UserError('--tier is a shipped suite and --suite one of your own: give one of them');
  return {
    tier: file === null ? ((tier ?? DEFAULT_TIER) as Tier) : null,
    suite: readText(file, file ?? ''),
    require: textOf(flags, 'require'),
  };
};

async function run(flags: Flags): Promise<void> {
  const began = monotonic();
  const startedAt = new Date().toISOString();
  // All that can be wrong with the command is said before anything takes time.
  const chosen = suiteAsked(flags);
  const suite = suiteOf(chosen);
  const format = textOf(flags, 'format');
  const wanted = format === null ? [] : parseFormats(format);
  const json = flags.json === true;
  requireOneOnStdout(json, wanted);
  const pushed = textOf(flags, 'push');
  const gateway = pushed === null ? null : pushAddress(pushed);
  const expect = textOf(flags, 'expect');
  const expected = parseExpected(expect);
  requireChecksFor(suite, { expect, baseline: textOf(flags, 'baseline') });
  const deadline = secondsOf(flags, 'deadline');
  const given = readText(textOf(flags, 'baseline'), 'the baseline');
  const gpus = (expected.gpu ?? 0) > 0;
  const machine = describeHere(gpus, deadline === null ? null : deadline * MOST_OF_DEADLINE);
  const batches = batchesHere(suite, machine);
  const onJob = ranksOfJobText(suite.name, { batches });
  if (onJob !== null) refuseOnce(onJob);
  requireTimeToMeasure(deadline, suite.name, batches);
  const budget = secondsOf(flags, 'budget') ?? budgetHere(suite, machine);
  const baseline = baselineFrom(given, machine);
  const out = String(flags.out);
  const qualified = await qualify({
    suite,
    machine,
    lookAround,
    expected,
    baseline,
    history: readHistory(out, suite, machine),
    out,
    command: withoutCredentials(process.argv.slice(2), pushed, gateway),
    began,
    startedAt,
    budget,
    deadline,
    quiet: flags.quiet === true,
    wait: flags.wait !== false,
    asked: {
      kind: 'pi-bench qualification',
      schemaVersion: 1,
      ...chosen,
      expect,
      baseline: given,
      budget,
      deadline,
      format,
      push: gateway?.address ?? null,
      out: resolve(out),
      startedAt,
    },
  });
  await deliver(qualified, { json, wanted, gateway });
  if (qualified.signalled !== null && canBeResumed(chosen))
    say(`pi-bench resume ${qualified.store.folder()} goes on with it`);
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
        describe:
          't0: a look, no load, 5 s; t1: a minute; t2: some five minutes; t3: half an hour and more; longer with GPUs',
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
        describe: 'What has to be here: gpu=8,cpu=128,core=64,socket=2,numa=2,memory=768GiB',
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
        default: DEFAULT_OUT,
        group: 'Output:',
        describe: 'Folder in which the run gets its own, and from which a node’s history is read',
      })
      .option('format', {
        type: 'string',
        group: 'Output:',
        describe:
          'Beside the record: json,jsonl,junit,md,html,prom, each with a place of its own if wanted: prom=FILE, json=-',
      })
      .option('push', {
        type: 'string',
        group: 'Output:',
        describe: `Address of a Prometheus Pushgateway; ${PUSH_CREDENTIALS}=user:password says who pushes`,
      })
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
      .epilogue(
        'Exit codes: 0 qualified, 1 not qualified, 2 inconclusive, or a file or gateway did not get the verdict, 64 bad usage, 128+n signal n',
      ),
  handler: async (flags) => {
    if (flags.selfTest !== true) return run(flags);
    requireSelfTestAlone(flags);
    process.exitCode = await testQualification();
  },
};
