/** `pi-bench resume DIR`: finishes a campaign that was killed or interrupted, repeating nothing that was done. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { doneSoFar } from '../../campaign/progress-of-journal.js';
import { UserError } from '../../errors.js';
import { openEngine } from '../../execution/engines.js';
import type { MachineDescription } from '../../machine/types.js';
import { identity } from '../../package.js';
import { commandName } from '../../record/command-name.js';
import type { InspectionDocument } from '../../record/schema.js';
import { type Journal, type JournalEntry, readJournal, repairJournal } from '../../store/journal.js';
import { JOURNAL, STACK_LOCK, type Store } from '../../store/store.js';
import { openStoreAloud } from '../begin-campaign.js';
import { lockCampaign } from '../campaign-lock.js';
import { followedLibrary, followLibrary } from '../follow-rank.js';
import { coresHere, describeHere } from '../here.js';
import { restoreOwnStacks } from '../own-stacks.js';
import { runCampaign } from '../run-campaign.js';
import { isSubmission, runSubmission, type SubmissionOptions } from '../run-submission.js';
import { say } from '../say.js';
import { showEnd } from '../show-end.js';

/** @throws UserError when this is not the machine, or not the pi-bench, that began the campaign. */
function checkSame({ head }: Journal): void {
  const there = head.machine as unknown as MachineDescription;
  const here = describeHere();
  if (there.os.machineIdHash !== here.os.machineIdHash || there.cpu.modelName !== here.cpu.modelName) {
    throw new UserError(
      `this campaign was begun on another machine (${there.os.hostname}, ${there.cpu.modelName}): resume it there, or start it anew here`,
    );
  }
  const { version, commit } = identity();
  if (head.piBench.version !== version || head.piBench.commit !== commit) {
    throw new UserError(
      `this campaign was begun by pi-bench ${head.piBench.version} (${head.piBench.commit ?? 'no commit'}): resume it with that one, or start it anew`,
    );
  }
}

/** What the worker wrote before the kill although the campaign had not yet noted it. */
function adopt(store: Store, campaign: string, open: ReadonlyMap<number, number>): void {
  for (const [index, attempt] of open) {
    let document: InspectionDocument | undefined;
    try {
      document = store.readInspection(index)?.document;
    } catch {
      continue;
    }
    if (document?.campaign !== campaign || document.attempt !== attempt || document.ended !== 'complete')
      continue;
    const wrong = document.verification?.passed === false;
    store.append({
      event: 'ended',
      index,
      attempt,
      status: wrong ? 'wrong' : 'measured',
      reason: wrong ? 'the output is wrong' : null,
      wall: document.spans.reduce((sum, { seconds }) => sum + seconds, 0),
      at: new Date().toISOString(),
    });
  }
}

interface ResumeOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly wait: boolean;
  readonly strict: boolean;
}

async function resume(folder: string, options: ResumeOptions): Promise<void> {
  if (isSubmission(folder)) return resumeSubmission(folder, options);
  const path = join(folder, JOURNAL);
  if (!existsSync(path))
    throw new UserError(`${folder} has no ${JOURNAL}: resume takes a campaign's results folder`);
  const journal = readJournal(path);
  checkSame(journal);
  if (journal.truncated) say('the last line of the journal was cut off by the kill and is dropped');
  const { campaign } = journal.head;
  if (commandName(campaign) === 'qualify')
    throw new UserError(
      `${folder} is a qualification, whose verdict is of one uninterrupted run: start it anew with pi-bench ${campaign.command.join(' ')}`,
    );
  const followed = followedLibrary(campaign);
  if (followed !== null) return followLibrary(followed);
  const lock = await lockCampaign(campaign.id);
  try {
    await resumeCampaign(folder, path, options);
  } finally {
    lock.release();
  }
}

/** With the campaign to ourselves: its journal is as whoever worked on it has left it. */
async function resumeCampaign(folder: string, path: string, options: ResumeOptions): Promise<void> {
  const journal = readJournal(path);
  const { campaign, machine, piBench } = journal.head;
  const engine = await openEngine(campaign, coresHere().allowed.length);
  try {
    repairJournal(path, journal);
    await restoreOwnStacks(campaign.stacks ?? [], join(folder, STACK_LOCK), options.quiet);
    const store = openStoreAloud(folder, campaign.id);
    const resumed: JournalEntry = { event: 'resumed', at: new Date().toISOString() };
    store.append(resumed);
    adopt(store, campaign.id, doneSoFar(journal.entries).open);
    const { entries } = readJournal(join(store.folder(), JOURNAL));
    const end = await runCampaign(
      { campaign, store, machine: machine as unknown as MachineDescription, piBench, journal: entries },
      { ...options, engine },
    );
    showEnd(end, options.json);
  } finally {
    await engine.close();
  }
}

async function resumeSubmission(folder: string, options: SubmissionOptions): Promise<void> {
  await runSubmission(folder, options, true);
}

export const resumeCommand: CommandModule = {
  command: 'resume <dir>',
  describe: 'Finish a campaign or a submission that was killed or interrupted',
  builder: (yargs) =>
    yargs
      .positional('dir', {
        type: 'string',
        describe: 'The campaign’s or submission’s results folder',
        demandOption: true,
      })
      .option('json', { type: 'boolean', describe: 'Print the record on stdout and nothing else there' })
      .option('quiet', { type: 'boolean', describe: 'No progress' })
      .option('wait', {
        type: 'boolean',
        default: true,
        describe: 'Wait while another campaign measures on this machine',
      })
      .option('strict', { type: 'boolean', describe: 'Exit code 1 where a precision was not reached' })
      .example([['$0 resume results/20261121T080000Z-matmul-1f2e3d', 'launches only what is missing']]),
  handler: ({ dir, json, quiet, wait, strict }) =>
    resume(resolve(String(dir)), {
      json: json === true,
      quiet: quiet === true,
      wait: wait !== false,
      strict: strict === true,
    }),
};
