/** What a reader of a comparison should know beside its verdicts. Pure. */
import { formatShare, plural } from '../../quantities/format.js';
import { RISK } from '../../statistics/compare.js';
import type { Range } from '../../statistics/shift.js';
import type { ComparedPair } from './document.js';
import { familiesOf } from './families.js';
import type { Entry } from './sides.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function distanceText(milliseconds: number): string {
  if (milliseconds < 2 * MINUTE_MS) return 'a moment';
  if (milliseconds < 2 * HOUR_MS) return `${Math.round(milliseconds / MINUTE_MS)} minutes`;
  if (milliseconds < 2 * DAY_MS) return `${Math.round(milliseconds / HOUR_MS)} hours`;
  return `${Math.round(milliseconds / DAY_MS)} days`;
}

/** Launches of different campaigns did not take turns. */
export function turnsNote(entries: readonly Entry[]): readonly string[] {
  const moments = new Map(
    entries.map(({ of }) => [of.record.campaign.id, Date.parse(of.record.campaign.createdAt)]),
  );
  if (moments.size < 2) return [];
  const times = [...moments.values()];
  const apart = distanceText(Math.max(...times) - Math.min(...times));
  return [
    `the sides were measured in ${plural(moments.size, 'campaign')}, ${apart} apart: their launches did not take turns, so what else changed on the machine counts as a difference`,
  ];
}

/** Two states of one campaign, as where it went on in another folder. */
function oneCampaignNote(entries: readonly Entry[]): readonly string[] {
  const records = [...new Set(entries.map(({ of }) => of))];
  return [...new Set(records.map(({ record }) => record.campaign.id))].flatMap((id) => {
    const names = records.filter(({ record }) => record.campaign.id === id).map(({ name }) => name);
    return names.length < 2
      ? []
      : [
          `${names.join(' and ')} are records of one campaign (${id}): launches that both have are compared with themselves`,
        ];
  });
}

/** Records whose machine had to do another campaign's work, too. */
const contendedNote = (entries: readonly Entry[]): readonly string[] =>
  [...new Set(entries.map(({ of }) => of))].flatMap(({ name, record: { contendedBy } }) =>
    contendedBy === null ? [] : [`${name}: ${contendedBy} measured at the same time`],
  );

const lookingNote = (entries: readonly Entry[]): readonly string[] =>
  entries.some(({ batch }) => batch.precision !== undefined)
    ? [
        'the number of launches of some batches was decided by looking at them (--precision): intervals are a little too narrow',
      ]
    : [];

/** What a campaign file asks of each entry may differ. */
function marginNote(pairs: readonly ComparedPair[]): readonly string[] {
  const margins = pairs.map(({ margin }) => margin);
  const [least, most] = [Math.min(...margins), Math.max(...margins)];
  return least === most
    ? []
    : [
        `each case is judged by the margin that its own launches were to settle, ${formatShare(least)} to ${formatShare(most)}`,
      ];
}

/** Of a table with both families, each has the risk by itself. */
function amongText({ among, looked }: ComparedPair, hasBoth: boolean): string {
  const size = among ?? 1;
  if (!hasBoth) return plural(size, 'comparison');
  const not = looked ? '' : ' not';
  return plural(size, `comparison that was${not} to be settled`, `comparisons that were${not} to be settled`);
}

/** Ratios that would have a verdict if they were the only ones. */
function correctionNotes(pairs: readonly ComparedPair[]): readonly string[] {
  const held = pairs.filter(
    ({ outcome, interval }) => outcome === 'cannot tell' && interval != null && !holds(interval, 1),
  );
  const hasBoth = familiesOf(pairs).every((family) => family.length > 0);
  return familiesOf(held).flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          `${plural(1 + others.length, 'ratio has', 'ratios have')} an interval without 1 and no verdict: among ${amongText(first, hasBoth)} chance makes such a one in more than ${formatShare(RISK)} of tables of these (Holm’s correction); more launches tell`,
        ],
  );
}

const holds = ({ low, high }: Range, value: number): boolean => low <= value && value <= high;

/** @param entries all that are compared; `pairs` every comparison with the reference */
export const notesOf = (entries: readonly Entry[], pairs: readonly ComparedPair[]): readonly string[] => [
  ...turnsNote(entries),
  ...oneCampaignNote(entries),
  ...contendedNote(entries),
  ...lookingNote(entries),
  ...marginNote(pairs),
  ...correctionNotes(pairs),
];
