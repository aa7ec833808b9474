/**
 * Qualifies this machine: measures what the suite asks for, judges it, measures again what does not hold, and writes the
 * verdict into the record. The order of things; what they mean the criteria say.
 */
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { makeEngine } from '../../execution/engines.js';
import { referencesOf } from '../../qualify/baseline-references.js';
import type { Baseline } from '../../qualify/baseline-schema.js';
import type { Aftermath, Context, HistoryRun } from '../../qualify/criteria/criterion.js';
import { partOf } from '../../qualify/criteria/criterion.js';
import { qualificationOf, withQualification } from '../../qualify/qualification.js';
import type { Suite } from '../../qualify/suite.js';
import { type JudgedCheck, judgeAll, MOST_ATTEMPTS, undecided } from '../../qualify/verdict.js';
import { versionNotices } from '../../qualify/versions.js';
import type { BatchSpec, Campaign, PiBenchRecord, Qualification, RecordBatch } from '../../record/schema.js';
import type { Store } from '../../store/store.js';
import type { Seconds } from '../../units.js';
import { beginCampaign } from '../begin-campaign.js';
import { lockCampaign } from '../campaign-lock.js';
import { qualificationOfEachText } from '../campaign-of-each.js';
import { createCampaign } from '../create-campaign.js';
import { coresHere } from '../here.js';
import { type CampaignEnd, type CampaignStart, type RunOptions, runCampaign } from '../run-campaign.js';
import { say } from '../say.js';
import { costOfAll, launchesAgain, measuresAll, withTheirGroups } from './again.js';
import { type Asked, askedText, canBeResumed, withSurroundings } from './asked.js';
import { batchesHere, notMeasured } from './batches-here.js';
import { RESERVE } from './least-deadline.js';
import { afterwards, type Looked, lookAt, type ToLook } from './look.js';
import { ATTEMPTS, folderOfAttempt } from './names.js';
import { elapsed, timeLeft } from './times.js';

export interface QualifyInput extends ToLook {
  readonly suite: Suite;
  readonly expected: Readonly<Record<string, number>>;
  readonly baseline: {
    readonly data: Baseline;
    readonly said: NonNullable<Qualification['baseline']>;
  } | null;
  readonly history: readonly HistoryRun[];
  /** Folder in which the campaign gets its own. */
  readonly out: string;
  readonly command: readonly string[];
  /** When the command began, by the wall clock. */
  readonly startedAt: string;
  readonly quiet: boolean;
  readonly wait: boolean;
  /** Kept in its folder, so that it can be resumed; absent: it is a self-test. */
  readonly asked?: Asked;
  /** Of a self-test. */
  readonly fault?: Campaign['fault'];
}

/** A qualification that was killed or interrupted, as its journals have it. */
export interface Begun {
  readonly first: CampaignStart;
  /** What had been measured again, in order. */
  readonly again: readonly CampaignStart[];
}

export interface Qualified {
  readonly record: PiBenchRecord;
  readonly qualification: Qualification;
  /** Where it stands, without the verdict yet. */
  readonly store: Store;
  /** Of the signal that ended it, before or while it measured again; null: none did. */
  readonly signalled: number | null;
  /** Of a signal that came, also where nothing was left to measure; null: none came. */
  readonly came: number | null;
}

const partsOf = (batches: readonly RecordBatch[]): string[] => [
  ...new Set(batches.flatMap((batch) => partOf(batch) ?? [])),
];

/** Begun before a kill, and for other checks than do not hold now, as where the node has got more of a history since. */
const asideText = (folder: string, { store }: CampaignStart): string =>
  `${folderOfAttempt(folder, store.folder())} measured again what the checks do not ask for now, and does not count`;

function begin(
  input: QualifyInput,
  batches: readonly BatchSpec[],
  out: string,
  name: string,
  left: Seconds,
): CampaignStart {
  const { suite, machine } = input;
  const campaign: Campaign = {
    ...createCampaign({
      name,
      command: input.command,
      batches,
      seed: suite.seed,
      budget: Number.isFinite(left) ? Math.max(0, left) : null,
      labels: suite.labels,
    }),
    fault: input.fault ?? null,
  };
  return beginCampaign(campaign, out, machine);
}

/** @param first in whose folder the qualification lies */
async function runOne(
  { quiet, wait, deadline, began, asked }: QualifyInput,
  start: CampaignStart,
  first: CampaignStart,
  onMachine: NonNullable<RunOptions['onMachine']> = async () => {},
): Promise<CampaignEnd> {
  // Not tried beforehand: of ranks that do not find each other the verdict is to tell.
  const engine = makeEngine(start.campaign, coresHere(), null);
  try {
    return await runCampaign(start, {
      quiet,
      wait,
      strict: false,
      engine,
      resumed: asked !== undefined && canBeResumed(asked) ? first.store.folder() : null,
      until: deadline === null ? null : began + Math.max(0, deadline - RESERVE),
      onMachine,
    });
  } finally {
    await engine.close();
  }
}

function contextOf(
  { suite, machine, surroundings, expected, baseline, history }: Looked<QualifyInput>,
  record: PiBenchRecord,
  reference: PiBenchRecord | null,
  after: Aftermath | null,
): Context {
  return {
    source: suite.file === null ? suite.name : `suite ${suite.name}`,
    machine,
    surroundings,
    after,
    record,
    reference,
    expected,
    baseline: baseline?.data ?? null,
    history,
  };
}

/** The baseline by its name, and what it holds of what was measured. */
function baselineSaid({ baseline, machine }: QualifyInput, record: PiBenchRecord): Qualification['baseline'] {
  if (baseline === null) return null;
  return { ...baseline.said, references: referencesOf(baseline.data, machine, record) };
}

/** Only what is about something measured: the machine is not looked at again. */
const ofBatches = (judged: readonly JudgedCheck[]): readonly JudgedCheck[] =>
  judged.filter(({ judgement }) => judgement.batch !== null);

const nameOf = ({ name }: QualifyInput['suite']): string => `qualify-${name}`;

/** A first attempt is begun with what it was asked for beside it: from then on a kill loses nothing. */
function beginFirst(input: QualifyInput): CampaignStart {
  const { suite, machine, out } = input;
  const start = begin(input, batchesHere(suite, machine), out, nameOf(suite), timeLeft(input, 0));
  if (input.asked !== undefined) start.store.writeAsked(askedText(input.asked));
  return start;
}

/**
 * @param begun to go on with, by whoever holds its campaign's lock; null: to begin
 * @throws UserError where another process works on it
 */
export async function qualify(input: QualifyInput, begun: Begun | null = null): Promise<Qualified> {
  if (begun !== null) return attempt(input, begun.first, begun.again);
  const start = beginFirst(input);
  const ofEach = input.asked === undefined ? null : qualificationOfEachText(start.campaign);
  if (ofEach !== null) say(ofEach);
  const lock = await lockCampaign(start.campaign.id, start.store.folder());
  try {
    return await attempt(input, start, []);
  } finally {
    lock.release();
  }
}

/** Measures, judges, and measures again what did not hold. */
async function attempt(
  input: QualifyInput,
  start: CampaignStart,
  begunAgain: Begun['again'],
): Promise<Qualified> {
  const { batches } = start.campaign;
  let looking: Promise<Looked<QualifyInput>> | null = null;
  const look = (waited: Seconds): Promise<Looked<QualifyInput>> => (looking ??= lookAt(input, waited));
  const first = await runOne(input, start, start, async (waited) => {
    const { asked, surroundings } = await look(waited);
    if (asked !== undefined) start.store.writeAsked(askedText(withSurroundings(asked, surroundings)));
  });
  // Where it was stopped while it waited, or nothing was left to launch, nobody has looked yet.
  const looked = await look(first.came === null ? first.waited : 0);
  const { suite, machine, startedAt } = looked;
  let { waited } = first;
  const judged: (readonly JudgedCheck[])[] = [
    judgeAll(suite, contextOf(looked, first.record, null, afterwards(looked, first.record))),
  ];
  const attempts: Qualification['attempts'] = [
    {
      number: 1,
      campaign: first.record.campaign.id,
      folder: null,
      why: 'the suite',
      parts: partsOf(first.record.batches),
      cooledDown: 0,
    },
  ];
  const folder = dirname(first.path);
  let ended = first;
  /** Of a signal that came too late to stop what was measured, and keeps it from being measured again. */
  let late: number | null = null;
  /** What was begun before a kill, as long as its turn has not come; and what has none. */
  const begun = [...begunAgain];
  const aside: CampaignStart[] = [];
  for (let number = 2; number <= MOST_ATTEMPTS && ended.signalled === null; number++) {
    const again = withTheirGroups(undecided(judged), batches);
    if (again.length === 0) break;
    if (ended.came !== null) {
      late = ended.came;
      break;
    }
    const launches = launchesAgain(judged[0] ?? [], batches);
    const cost = suite.cooldown + costOfAll(first.record, again, batches, launches);
    const parts = partsOf(again.flatMap((index) => first.record.batches[index] ?? []));
    const once = again.flatMap((index) => {
      const batch = batches[index];
      return batch === undefined ? [] : [{ ...batch, inspections: launches(index) }];
    });
    const at = begun.findIndex(({ campaign }) => measuresAll(campaign, once));
    aside.push(...begun.splice(0, at === -1 ? begun.length : at));
    const known = begun.shift();
    if (known === undefined && cost > timeLeft(input, waited)) {
      say(`no time to measure again what did not hold (${parts.join(', ')})`);
      break;
    }
    if (!input.quiet) say(`measuring again what did not hold: ${parts.join(', ')} (attempt ${number})`);
    if (known === undefined) await setTimeout(suite.cooldown * 1000);
    const place = join(folder, ATTEMPTS);
    ended = await runOne(
      input,
      known ?? begin(input, once, place, `${nameOf(suite)}-again`, timeLeft(input, waited)),
      start,
    );
    waited += ended.waited;
    judged.push(ofBatches(judgeAll(suite, contextOf(looked, ended.record, first.record, null))));
    attempts.push({
      number,
      campaign: ended.record.campaign.id,
      folder: folderOfAttempt(folder, dirname(ended.path)),
      why: 'checks of performance did not hold',
      parts: partsOf(ended.record.batches),
      cooledDown: suite.cooldown,
    });
  }
  const signalled = first.signalled ?? ended.signalled ?? late;
  // What a signal kept from its turn is gone on with when this is resumed.
  if (signalled === null) aside.push(...begun);
  const uncounted = aside.map((one) => asideText(folder, one));
  for (const text of uncounted) say(text);
  const qualification = qualificationOf({
    suite,
    machine,
    expected: input.expected,
    baseline: baselineSaid(looked, first.record),
    startedAt,
    endedAt: new Date().toISOString(),
    wall: elapsed(input) - waited,
    judged,
    attempts,
    interrupted: signalled !== null,
    notJudged: [
      ...notMeasured(suite, machine),
      ...uncounted,
      ...versionNotices(first.record.piBench.version, {
        baseline: input.baseline?.data ?? null,
        history: input.history,
        expected: input.expected,
      }),
    ],
  });
  return {
    record: withQualification(first.record, qualification),
    qualification,
    store: start.store,
    signalled,
    came: first.came ?? ended.came,
  };
}
