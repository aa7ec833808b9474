/** `pi-bench resume` of a qualification that was killed or interrupted: what was measured stays, the rest is measured, and judged as it was asked for. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { doneSoFar } from '../../campaign/progress-of-journal.js';
import { UserError } from '../../errors.js';
import { monotonic } from '../../inspection/job.js';
import type { MachineDescription } from '../../machine/types.js';
import type { Surroundings } from '../../qualify/criteria/criterion.js';
import { isJudged } from '../../qualify/formats/index.js';
import { type Journal, readJournal } from '../../store/journal.js';
import { readRecord } from '../../store/read-record.js';
import { JOURNAL, RECORD } from '../../store/store.js';
import { checkSame, goOn, sayTruncated } from '../go-on.js';
import { describeHere, hostHere } from '../here.js';
import { keepAddon } from '../keep-addon.js';
import { checkSameStacks } from '../same-stacks.js';
import { say } from '../say.js';
import { batchesSoFar } from '../where-it-stands.js';
import { type Asked, canBeResumed, keptSurroundings, readAsked, suiteOf } from './asked.js';
import { attemptsIn } from './attempts.js';
import { deliver, deliverAgain } from './deliver.js';
import { pushAddress } from './gateway.js';
import { baselineFrom, parseExpected, readHistory } from './inputs.js';
import { parseFormats, requireOneOnStdout } from './outputs.js';
import { qualify } from './qualify.js';
import { lookAround } from './surroundings.js';

/**
 * How the last process that worked on it ended: `complete`, `incomplete`, `interrupted`; null: it was killed. A signal that came when
 * nothing was left to stop may have kept it from being measured again.
 */
function lastStatus({ entries }: Journal): string | null {
  const [before, last] = entries.slice(-2);
  if (last?.event !== 'stopped') return null;
  return before?.event === 'interrupted' ? 'interrupted' : last.status;
}

const gpusOf = ({ gpus }: MachineDescription): string =>
  (gpus?.devices ?? [])
    .map(({ uuid }) => uuid)
    .sort()
    .join(', ');

/** @throws UserError where a GPU came or went meanwhile: what was measured is of another node */
function checkSameGpus(there: MachineDescription, here: MachineDescription): void {
  const [then, now] = [gpusOf(there), gpusOf(here)];
  if (then === now) return;
  throw new UserError(
    `the GPUs are not those with which this qualification began (${then || 'none'} then, ${now || 'none'} now): start it anew`,
  );
}

/** The busier of both, as launches of both are judged; errors by what they were before the first. */
function sinceKill({ busy, memoryErrors }: Asked, now: Surroundings): Surroundings {
  const busier = busy === null || now.busy === null ? null : Math.max(busy ?? now.busy, now.busy);
  return { busy: busier, memoryErrors: memoryErrors ?? now.memoryErrors };
}

/** @throws UserError */
export async function resumeQualification(
  folder: string,
  { json, quiet, wait }: { readonly json: boolean; readonly quiet: boolean; readonly wait: boolean },
): Promise<void> {
  const asked = readAsked(folder);
  const journal = readJournal(join(folder, JOURNAL));
  const { campaign, machine: described } = journal.head;
  if (!canBeResumed(asked))
    throw new UserError(
      `${folder} is a qualification of tier ${asked.tier}, whose launches belong to one minute: start it anew with pi-bench ${campaign.command.join(' ')}`,
    );
  const found = attemptsIn(folder, journal);
  const delivery = {
    json,
    wanted: asked.format === null ? [] : parseFormats(asked.format),
    gateway: asked.push === null ? null : pushAddress(asked.push),
  };
  requireOneOnStdout(json, delivery.wanted);
  const path = join(folder, RECORD);
  const record = existsSync(path) ? readRecord(folder).record : null;
  const open = [journal, ...found.map((one) => one.journal)].map(lastStatus);
  if (
    record !== null &&
    isJudged(record) &&
    !open.some((status) => status === null || status === 'interrupted')
  ) {
    say('this qualification came to its end: nothing is left to measure');
    return deliverAgain(record, path, hostHere(), delivery);
  }
  // What is measured again is held to what the first campaign measured, also where that one is complete.
  const held = batchesSoFar(folder, journal);
  checkSame(journal, held);
  keepAddon(folder, journal);
  checkSameStacks(campaign, held);
  for (const one of found) sayTruncated(one.journal);
  const suite = suiteOf(asked);
  const expected = parseExpected(asked.expect);
  const there = described as unknown as MachineDescription;
  const machine = describeHere((expected.gpu ?? 0) > 0 || (there.gpus?.devices.length ?? 0) > 0);
  checkSameGpus(there, machine);
  const used = [journal, ...found.map((one) => one.journal)].reduce(
    (sum, { entries }) => sum + doneSoFar(entries).active,
    0,
  );
  const qualified = await qualify(
    {
      suite,
      machine,
      lookAround: async () => ({
        ...(keptSurroundings(asked, doneSoFar(journal.entries)) ?? sinceKill(asked, await lookAround())),
        // A row that broke before the kill is replaced by the boot: beside what is there now it would not be new.
        gpus: there.gpus?.devices ?? [],
      }),
      expected,
      baseline: baselineFrom(asked.baseline, machine),
      history: readHistory(asked.out, suite, machine),
      out: asked.out,
      command: campaign.command,
      // Only time in which somebody worked on it counts.
      began: monotonic() - used,
      startedAt: asked.startedAt,
      budget: asked.budget,
      deadline: asked.deadline,
      quiet,
      wait,
      asked,
    },
    {
      first: goOn(folder, journal),
      again: found.map((one) => goOn(one.folder, one.journal)),
    },
  );
  await deliver(qualified, delivery);
}
