/** The history of what a campaign measured, over those before it: levels, changes, and whether the newest is one. Pure. */
import { UserError } from '../../errors.js';
import { plural } from '../../quantities/format.js';
import { RISK } from '../../statistics/compare.js';
import { LEVEL } from '../../statistics/interval.js';
import { holm } from '../../statistics/several.js';
import { MOST_FOR_SHORT_LEVELS } from '../../statistics/short-levels.js';
import { lostLaunches, missingLaunches } from '../comparison/lost-launches.js';
import type { NamedRecord } from '../comparison/sides.js';
import { askedForOther, askedForTheSame } from './asked.js';
import { differencesBetween } from './differences.js';
import type {
  HistoryDocument,
  HistoryOutcome,
  HistoryPoint,
  HistorySeries,
  NewestJudged,
} from './document.js';
import {
  type Counted,
  countedOf,
  type Judged,
  judgeNewest,
  lastOnLevel,
  levelsOf,
  rangeOf,
  sinceFirst,
  speedOfLevel,
  verdictOfShift,
} from './judge.js';
import { namesOf } from './names.js';
import { byMoment, momentOf, type Point, type Series, seriesOf, speedOf } from './series.js';
import { usedOf } from './used.js';

export interface HistoryQuestion {
  /** Changes below this do not matter. */
  readonly margin: number;
  /** How many of the newest campaigns of a case are judged as one. */
  readonly together: number;
  /** What may differ within a series. */
  readonly across: readonly string[];
  /** Also the cases that the judged campaign does not have. */
  readonly all: boolean;
}

/** What was found, and is no record that can be read. */
export interface Unreadable {
  readonly record: string;
  readonly why: string;
  /** When it began, as far as its name or its file tells; in milliseconds since 1970. */
  readonly at: number;
}

/** Small enough to be of use to who watches for regressions, and more than two days of one machine differ by. */
export const HISTORY_MARGIN = 0.05;

const pointOf = (point: Point): HistoryPoint => {
  const { entry, medians, leftOut } = point;
  return {
    campaign: entry.of.record.campaign.id,
    record: entry.of.name,
    at: entry.of.record.campaign.createdAt,
    speed: speedOf(point),
    launches: medians.length,
    launchesLost: lostLaunches(entry.batch),
    launchesMissing: missingLaunches(entry.batch),
    flags: entry.batch.flags.map(({ name }) => name),
    leftOut,
  };
};

/** A series up to the judged campaign, with what its newest point came to. */
interface Looked {
  readonly series: Series;
  readonly counted: readonly Counted[];
  readonly judged: Judged | null;
  /** What it is without a verdict; null: it has one, or it is none of the judged campaign's. */
  readonly without: Pick<NewestJudged, 'outcome' | 'why'> | null;
  readonly isAsked: boolean;
}

/** Of a case that the judged campaign has. */
function withoutVerdict(
  points: readonly Point[],
  counted: readonly Counted[],
  together: number,
): Looked['without'] {
  const last = points.at(-1);
  if (last?.leftOut != null) {
    const outcome = last.entry.batch.verified === 'failed' ? 'wrong output' : 'not measured';
    return { outcome, why: last.leftOut };
  }
  if (points.length === 1) return { outcome: 'new', why: 'no campaign before it has the case' };
  if (counted.length > together) return null;
  const why =
    counted.length === 1
      ? 'no campaign before it counts'
      : `${plural(counted.length, 'campaign')} of the case, of which the newest ${together} are judged together: none is left before them`;
  return { outcome: 'cannot tell', why };
}

/** @param expected campaigns that were asked for the same: what they had, and the judged one does not, is missing */
function lookAt(
  series: Series,
  newest: NamedRecord,
  expected: readonly NamedRecord[],
  together: number,
): Looked {
  const last = series.points.at(-1);
  const counted = countedOf(series);
  const rest = { series, counted, judged: null } as const;
  if (last !== undefined && last.entry.of !== newest) {
    const isGone = expected.includes(last.entry.of);
    const why = `${last.entry.of.name}, which was asked for the same, has the case`;
    return { ...rest, isAsked: isGone, without: isGone ? { outcome: 'not measured', why } : null };
  }
  const without = withoutVerdict(series.points, counted, together);
  const judged = without === null ? judgeNewest(counted, together) : null;
  return typeof judged === 'string'
    ? { ...rest, isAsked: true, without: { outcome: 'cannot tell', why: judged } }
    : { ...rest, isAsked: true, without, judged };
}

const NOTHING = { reference: null, ratio: null, interval: null, pAdjusted: null, differences: [] } as const;

function newestOf(
  { series: { points }, judged, without, isAsked }: Looked,
  p: number,
  { margin }: HistoryQuestion,
): NewestJudged | null {
  if (!isAsked) return null;
  if (without !== null) return { ...without, campaigns: 0, ...NOTHING };
  const last = points.at(-1);
  if (judged === null || last === undefined) return null;
  const { level, newer, shift } = judged;
  const interval = rangeOf(shift, LEVEL);
  return {
    outcome: verdictOfShift(shift, p, margin),
    why:
      interval === null
        ? 'the campaigns of the level do not differ, and so do not tell how far they spread'
        : null,
    campaigns: newer.length,
    reference: {
      campaigns: level.length,
      since: level[0]?.point.entry.of.record.campaign.createdAt ?? '',
      speed: speedOfLevel(level),
      deviation: shift.deviation,
      stoodOut: shift.stoodOut,
    },
    ratio: shift.ratio,
    interval,
    pAdjusted: p,
    differences: differencesBetween(lastOnLevel(judged)?.point.entry ?? last.entry, last.entry),
  };
}

const ORDER: readonly HistoryOutcome[] = [
  'wrong output',
  'slower',
  'not measured',
  'cannot tell',
  'faster',
  'same',
];

/** The worst; where nothing has a history, that. */
const answerOf = (outcomes: readonly HistoryOutcome[]): HistoryOutcome =>
  ORDER.find((one) => outcomes.includes(one)) ?? 'new';

function notesOf(shown: readonly HistorySeries[], { across, together }: HistoryQuestion): readonly string[] {
  const long = shown.filter(({ points }) => points.length > MOST_FOR_SHORT_LEVELS).length;
  const stood = shown.reduce((sum, { newest }) => sum + (newest?.reference?.stoodOut ?? 0), 0);
  return [
    ...(across.length > 0
      ? [`a series goes across ${across.join(', ')}: what they change counts as a change`]
      : []),
    ...(together > 1 ? [`the newest ${together} campaigns of a case are judged as one`] : []),
    ...(long > 0
      ? [
          `of ${plural(long, 'series', 'series')} only the newest ${MOST_FOR_SHORT_LEVELS} campaigns are looked at`,
        ]
      : []),
    ...(stood > 0
      ? [
          `${plural(stood, 'campaign')} stood far out of a level: they say nothing of how far it spreads, and one more that lies no further out is no sure change`,
        ]
      : []),
  ];
}

/** One campaign is judged, and a folder may have several kinds of them. */
function otherNotes(upTo: readonly NamedRecord[], newest: NamedRecord): readonly string[] {
  const other = askedForOther(upTo, newest);
  return other === null
    ? []
    : [
        `campaigns that were asked for something else are not judged, ${other.name} the last of them: --of judges one`,
      ];
}

/**
 * @param all in any order
 * @param judged one of them; null: the newest
 * @param unreadable what was found beside them
 * @throws UserError where there is nothing to judge
 */
export function historyOf(
  all: readonly NamedRecord[],
  judged: NamedRecord | null,
  question: HistoryQuestion,
  unreadable: readonly Unreadable[] = [],
): HistoryDocument {
  const { records, leftOut: unused } = usedOf(all);
  const newest = judged ?? records.at(-1);
  const leftOut = [
    ...unused.map((one) => ({ ...one, isNewer: false })),
    // The one that is judged was chosen because it is the newest that can be read.
    ...unreadable.map(({ record, why, at }) => ({
      ...{ record, why },
      isNewer: judged === null && newest !== undefined && at > momentOf(newest),
    })),
  ];
  if (newest === undefined) throw new UserError('there is no campaign that has a history: each was left out');
  const upTo = records.filter((one) => byMoment(one, newest) <= 0 || one === newest);
  if (!upTo.includes(newest))
    throw new UserError(
      `${newest.name} has no part in a history: ${leftOut.find(({ record }) => record === newest.name)?.why ?? 'it is not there'}`,
    );
  const series = seriesOf(upTo, question.across);
  const expected = askedForTheSame(upTo, newest);
  const looked = series.map((one) => lookAt(one, newest, expected, question.together));
  const shown = looked.filter(
    ({ isAsked, series: { points } }) => isAsked || (question.all && points.length > 1),
  );
  const withShift = looked.flatMap(({ judged: one }) => (one === null ? [] : [one]));
  const adjusted = holm(withShift.map(({ shift }) => shift.p));
  const pOf = new Map(withShift.map((one, i) => [one, adjusted[i] ?? 1]));
  const names = namesOf(shown.map(({ series: one }) => one));
  const documents = shown.map((one, i): HistorySeries => {
    const last = one.series.points.at(-1) ?? one.series.points[0];
    return {
      title: last.entry.batch.title,
      name: names[i] ?? last.entry.batch.title,
      points: one.series.points.map(pointOf),
      ...levelsOf(one.counted, question.margin),
      sinceFirst: sinceFirst(one.counted, question.margin),
      newest: newestOf(one, one.judged === null ? 1 : (pOf.get(one.judged) ?? 1), question),
    };
  });
  return {
    kind: 'pi-bench history',
    schemaVersion: 1,
    judged: newest.record.campaign.id,
    campaigns: upTo.length,
    margin: question.margin,
    level: LEVEL,
    risk: RISK,
    series: documents,
    others: looked.length - shown.length,
    leftOut,
    notes: [...notesOf(documents, question), ...(judged === null ? otherNotes(upTo, newest) : [])],
    answer: answerOf([
      ...documents.flatMap(({ newest: one }) => (one === null ? [] : [one.outcome])),
      ...leftOut.flatMap(({ isNewer }): readonly HistoryOutcome[] => (isNewer ? ['not measured'] : [])),
    ]),
  };
}
