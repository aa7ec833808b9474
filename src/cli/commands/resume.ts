/** `pi-bench resume DIR`: finishes a campaign that was killed or interrupted, repeating nothing that was done. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { UserError } from '../../errors.js';
import { commandName } from '../../record/command-name.js';
import { type Journal, readJournal } from '../../store/journal.js';
import { mayBeThere } from '../../store/may-be-there.js';
import { movedTo } from '../../store/moved.js';
import { JOURNAL, QUALIFY, RECORD, STACK_LOCK } from '../../store/store.js';
import { lockCampaign } from '../campaign-lock.js';
import { STRICT } from '../common-options.js';
import { endFollowersOf, followedLibrary, followLibrary, letFollowersOfGo } from '../follow-rank.js';
import { checkSame, finishedIn, goOn, sayOutOfSight, sayTruncated } from '../go-on.js';
import { keepAddon } from '../keep-addon.js';
import { openEngineHere } from '../open-engine.js';
import { restoreOwnStacks } from '../own-stacks.js';
import { resumeQualification } from '../qualification/resume.js';
import { runCampaign } from '../run-campaign.js';
import { isSubmission, runSubmission } from '../run-submission.js';
import { checkSameStacks } from '../same-stacks.js';
import { showEnd } from '../show-end.js';
import { batchesSoFar } from '../where-it-stands.js';

interface ResumeOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly wait: boolean;
  readonly strict: boolean;
}

/** @throws UserError for flags that nothing of what is resumed would heed */
function refuseUnheeded(given: Readonly<Record<string, boolean>>, why: string): void {
  const names = Object.keys(given).filter((name) => given[name]);
  if (names.length > 0)
    throw new UserError(`${why}, so nothing would come of ${names.join(' and ')}: leave it out`);
}

async function resume(folder: string, options: ResumeOptions): Promise<void> {
  if (isSubmission(folder)) return resumeSubmission(folder, options);
  const path = join(folder, JOURNAL);
  if (!mayBeThere(path))
    throw new UserError(
      existsSync(folder)
        ? `${folder} has no ${JOURNAL}: resume takes a campaign's results folder`
        : `there is no ${folder}: resume takes a campaign's results folder`,
    );
  const elsewhere = movedTo(folder);
  if (elsewhere !== null)
    throw new UserError(
      `${folder} could not be written any more, and holds a part of its campaign: pi-bench resume ${elsewhere} goes on with it`,
    );
  sayOutOfSight(folder);
  const journal = readJournal(path);
  // Before the machine is compared: ranks of one job may be on several.
  const followed = followedLibrary(journal.head.campaign);
  if (followed !== null) return followLibrary(followed);
  try {
    await resumeLocked(folder, path, journal, options);
  } catch (error) {
    // Not waited for: it may take long, and what went wrong is said first.
    letFollowersOfGo(journal.head.campaign).catch(() => {});
    throw error;
  }
}

/**
 * What was asked for lies beside the journal, however it was typed. Of a folder that has lost it the command still tells, and to finish
 * that as a plain campaign would be to end well without a verdict.
 */
const isQualification = (folder: string, { campaign }: Journal['head']): boolean =>
  existsSync(join(folder, QUALIFY)) || commandName(campaign) === 'qualify';

async function resumeLocked(
  folder: string,
  path: string,
  journal: Journal,
  options: ResumeOptions,
): Promise<void> {
  const { campaign } = journal.head;
  const lock = await lockCampaign(campaign.id, folder);
  try {
    if (isQualification(folder, journal.head)) {
      refuseUnheeded(
        { '--strict': options.strict },
        `${folder} is a qualification, which ends as its verdict says`,
      );
      await resumeQualification(folder, options);
    } else await resumeCampaign(folder, path, options);
  } finally {
    lock.release();
  }
}

/** With the campaign to ourselves: its journal is as whoever worked on it has left it. */
async function resumeCampaign(folder: string, path: string, options: ResumeOptions): Promise<void> {
  const journal = readJournal(path);
  const { campaign } = journal.head;
  const finished = finishedIn(folder, journal);
  // Nothing is launched then: it stays as it is, wherever it is looked at and whatever became of its stacks.
  if (finished !== null) {
    await showEnd(await runCampaign(finished, options), options.json);
    return endFollowersOf(campaign);
  }
  const unfinished = batchesSoFar(folder, journal).filter(({ toCome }) => toCome > 0);
  checkSame(journal, unfinished);
  sayTruncated(journal);
  // All that comes is a record, which needs no stack.
  if (unfinished.length === 0) {
    const start = { ...goOn(folder, journal), lacksRecordOnly: true };
    await showEnd(await runCampaign(start, options), options.json);
    return endFollowersOf(campaign);
  }
  keepAddon(folder, journal);
  const engine = await openEngineHere(campaign);
  try {
    await restoreOwnStacks(campaign.stacks ?? [], join(folder, STACK_LOCK), options.quiet);
    checkSameStacks(campaign, unfinished);
    const end = await runCampaign(goOn(folder, journal), { ...options, engine });
    await showEnd(end, options.json);
  } finally {
    await engine.close();
  }
}

/** What other commands read names a campaign as well as its folder does, and is the path that an interrupted one prints. */
const folderOf = (path: string): string => (basename(path) === RECORD ? dirname(path) : path);

async function resumeSubmission(folder: string, options: ResumeOptions): Promise<void> {
  refuseUnheeded(
    { '--no-wait': !options.wait, '--strict': options.strict },
    `${folder} is a submission, whose nodes measure as they were told when it began`,
  );
  await runSubmission(folder, options, true);
}

export const resumeCommand: CommandModule = {
  command: 'resume <dir>',
  describe: 'Finish a campaign or a submission that was killed or interrupted',
  builder: (yargs) =>
    yargs
      .positional('dir', {
        type: 'string',
        describe: 'The campaign’s or submission’s results folder, or the campaign’s record.json',
        demandOption: true,
      })
      .option('json', { type: 'boolean', describe: 'Print the record on stdout and nothing else there' })
      .option('quiet', { type: 'boolean', describe: 'No progress' })
      .option('wait', {
        type: 'boolean',
        default: true,
        describe: 'Wait while another campaign measures on this machine',
      })
      .option('strict', { type: 'boolean', describe: STRICT })
      .example([['$0 resume results/20261121T080000Z-matmul-1f2e3d', 'launches only what is missing']]),
  handler: ({ dir, json, quiet, wait, strict }) =>
    resume(folderOf(resolve(String(dir))), {
      json: json === true,
      quiet: quiet === true,
      wait: wait !== false,
      strict: strict === true,
    }),
};
