/**
 * Which inspection comes next, and when there is none. A batch has a fixed number of launches, or as many as its
 * precision takes, or as its comparisons with others take. Deterministic: told the same ends, it asks for the same inspections, so a resumed campaign goes the
 * way that it would have gone.
 */
import type { BatchSpec, Campaign } from '../record/schema.js';
import { median } from '../statistics/quantile.js';
import { nextLook } from '../statistics/settling.js';
import { LEAST_LAUNCHES, precisionPlan, precisionReached } from '../statistics/stopping.js';
import type { Seconds } from '../units.js';
import { createComparisons } from './comparisons.js';
import { type PlannedInspection, rounds } from './plan.js';

/** Launches from which the length of the others is chosen. */
const PILOTS = 3;
/**
 * A batch that failed so often in a row gets no more launches, at its beginning and later: what stopped it then (a GPU that is gone, a
 * full disk) would stop all of the hundreds that a precision may take, each after its time limit.
 */
const MOST_FAILURES = 3;

/** What the schedule has to know of a launch that was measured. */
export interface LaunchValue {
  /** Of one call each. */
  readonly samples: Float64Array;
  /** Of one repetition, all of its calls. */
  readonly costOfRepetition: Seconds;
  /** Start, load, warm-up and all else outside the repetitions that a later launch of the batch has too. */
  readonly costOfLaunch: Seconds;
}

export interface Asked extends PlannedInspection {
  /** null: as the batch's sampling says. */
  readonly repetitions: number | null;
  /** One of the first, by which the others are planned. */
  readonly pilot: boolean;
}

export interface Schedule {
  /** null: the campaign has all that it asks for. Each must be told to have ended before the next is asked for. */
  next(): Asked | null;
  /** @param value null where nothing was measured */
  ended(inspection: PlannedInspection, value: LaunchValue | null): void;
  /** Whether all comparisons that it was to settle are; also where there is none. */
  settled(): boolean;
  /** How many launches of each batch there will be, as far as can be told. */
  expected(): readonly number[];
}

interface BatchState {
  readonly spec: BatchSpec;
  readonly medians: number[];
  readonly pilots: LaunchValue[];
  launches: number;
  /** Since the last one that was measured. */
  failures: number;
  /** Chosen from the pilots, once. */
  repetitions: number | null;
  /** Launches in all, as last estimated. */
  expected: number;
  /** Whether its precision is; looked at once for each launch, for to look takes its time. */
  reached: boolean;
  /** No comparison needs its launches any more. */
  settled: boolean;
}

/** Nobody promised how many launches it gets. */
const decidedOnTheWay = ({ precision, settle }: BatchSpec): boolean =>
  precision !== undefined || settle !== undefined;

/** Whether which launch comes next follows from what those before it have measured. */
export const decidesOnTheWay = ({ batches }: Campaign): boolean => batches.some(decidedOnTheWay);

/** What goes on failing is given up where nobody promised a count. */
const givenUp = ({ spec, failures }: BatchState): boolean =>
  decidedOnTheWay(spec) && failures >= MOST_FAILURES;

const enough = (state: BatchState): boolean => state.settled || state.reached || givenUp(state);

function choose(state: BatchState): void {
  const { spec, pilots } = state;
  if (spec.precision === undefined) return;
  const { repetitions, launches } = precisionPlan({
    launches: pilots.map(({ samples }) => samples),
    costOfLaunch: median(pilots.map(({ costOfLaunch }) => costOfLaunch)),
    costOfRepetition: median(pilots.map(({ costOfRepetition }) => costOfRepetition)),
    target: spec.precision,
  });
  // A count that somebody asked for stays.
  if (spec.sampling.kind === 'budget') state.repetitions = repetitions;
  state.expected = Math.min(spec.inspections, launches ?? LEAST_LAUNCHES);
}

function learn(state: BatchState, value: LaunchValue | null): void {
  if (value === null) {
    state.failures++;
    return;
  }
  state.failures = 0;
  const { spec, medians } = state;
  medians.push(median(value.samples));
  state.reached = spec.precision !== undefined && precisionReached(medians, spec.precision).reached;
  if (state.pilots.length < PILOTS) {
    state.pilots.push(value);
    if (state.pilots.length === PILOTS) choose(state);
  }
}

function expectedOf(state: BatchState): number {
  if (enough(state)) return state.launches;
  const { settle, inspections } = state.spec;
  if (settle !== undefined) return nextLook(state.launches, inspections);
  return Math.max(state.expected, Math.min(state.launches + 1, state.spec.inspections));
}

export function createSchedule(campaign: Campaign): Schedule {
  const states = campaign.batches.map(
    (spec): BatchState => ({
      spec,
      medians: [],
      pilots: [],
      launches: 0,
      failures: 0,
      repetitions: null,
      expected: spec.precision === undefined ? spec.inspections : Math.min(spec.inspections, LEAST_LAUNCHES),
      reached: false,
      settled: false,
    }),
  );
  const comparisons = createComparisons(campaign.batches);
  const stateOf = (batch: number): BatchState => states[batch] as BatchState;
  const order = rounds(campaign, (batch, launch) => {
    const state = stateOf(batch);
    if (givenUp(state)) comparisons.giveUp(batch);
    else if (state.spec.settle !== undefined) state.settled = !comparisons.open(batch, launch);
    return launch < state.spec.inspections && !enough(state);
  });
  return {
    next() {
      const { value } = order.next();
      if (value === undefined) return null;
      const state = stateOf(value.batch);
      state.launches++;
      return { ...value, repetitions: state.repetitions, pilot: value.launch < PILOTS };
    },
    ended({ batch, launch }, value) {
      learn(stateOf(batch), value);
      comparisons.learn(batch, launch, value === null ? null : median(value.samples));
    },
    settled: comparisons.allSettled,
    expected: () => states.map(expectedOf),
  };
}
