/** The history of some cases over campaigns, as `--json` prints it. */
import type { Verdict } from '../../statistics/compare.js';
import type { Range } from '../../statistics/shift.js';
import type { Difference } from '../comparison/comparable.js';
import type { Outcome } from '../comparison/document.js';

/** `new`: no campaign before has the case. */
export type HistoryOutcome = Outcome | 'new';

/** How fast a case was: its rate, or where it has none the time of a repetition. */
export interface Speed {
  /** null: it does no work that is counted. */
  readonly rate: number | null;
  readonly rateUnit: string;
  readonly elapsedSeconds: number;
}

export interface HistoryPoint {
  readonly campaign: string;
  /** As its user calls it. */
  readonly record: string;
  /** When the campaign began, ISO 8601. */
  readonly at: string;
  /** By the median of the launches' medians; null where there is none. */
  readonly speed: Speed | null;
  readonly launches: number;
  /** What is to be said of those that are in no figure; null: nothing. */
  readonly launchesLost: string | null;
  readonly launchesMissing: string | null;
  readonly flags: readonly string[];
  /** Why it has no part in the levels; null: it has. */
  readonly leftOut: string | null;
}

export interface HistoryLevel {
  /** Indices of the first of the series' points and the last, between which others may be left out. */
  readonly from: number;
  readonly to: number;
  readonly campaigns: number;
  readonly speed: Speed;
}

/** From one level to the next, by the margin or more. */
export interface HistoryChange {
  /** Index of the first point of the new level; `before` of the last one of the old. */
  readonly at: number;
  readonly before: number;
  /** Rate of the new level over that of the old. */
  readonly ratio: number;
  /** At `level`, as if the place of the change were known beforehand; null where the campaigns allow none. */
  readonly interval: Range | null;
  readonly outcome: Verdict;
  /** Labels of the two campaigns that are not the same. */
  readonly differences: readonly Difference[];
}

/** The newest campaigns held to the level before them. */
export interface NewestJudged {
  readonly outcome: HistoryOutcome;
  /** Why there is no verdict; null where there is one. */
  readonly why: string | null;
  /** How many of the newest campaigns are judged together; 0 without a verdict. */
  readonly campaigns: number;
  /** The level that they are held to; null where there is none. */
  readonly reference: {
    readonly campaigns: number;
    readonly since: string;
    readonly speed: Speed;
    /** Relative standard deviation of a campaign; null where they do not differ. */
    readonly deviation: number | null;
    readonly stoodOut: number;
  } | null;
  /** Rate over that of the level. */
  readonly ratio: number | null;
  readonly interval: Range | null;
  readonly pAdjusted: number | null;
  /** Labels of the last campaign of the level and of the newest that are not the same. */
  readonly differences: readonly Difference[];
}

export interface HistorySeries {
  readonly title: string;
  /** By what it differs from the other series; the title where there is one only. */
  readonly name: string;
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
  readonly levels: readonly HistoryLevel[];
  readonly changes: readonly HistoryChange[];
  /** Of the last level to the first, where they lie apart by the margin or more, also by small steps; null: they do not. */
  readonly sinceFirst: number | null;
  /** null: the judged campaign does not have the case, and was not asked for it. */
  readonly newest: NewestJudged | null;
}

export interface HistoryDocument {
  readonly kind: 'pi-bench history';
  readonly schemaVersion: 1;
  /** The campaign that is judged. */
  readonly judged: string;
  readonly campaigns: number;
  readonly margin: number;
  readonly level: number;
  readonly risk: number;
  readonly series: readonly HistorySeries[];
  /** Cases that the judged campaign does not have and that are not shown. */
  readonly others: number;
  /** Records that could not be read or have no part, and why. */
  readonly leftOut: readonly {
    readonly record: string;
    readonly why: string;
    /** It began after the campaign that is judged, which is then not the newest there is. */
    readonly isNewer: boolean;
  }[];
  readonly notes: readonly string[];
  readonly answer: HistoryOutcome;
}
