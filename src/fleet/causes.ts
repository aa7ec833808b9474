/** Why a node is named, and what to do next: from the flags of its launches, its clock, its settings and the shape of what is worse. Pure. */
import { causeNamed, type CauseName as OwnCause } from '../qualify/causes.js';
import type { SEVERITIES } from '../record/schema/qualification.js';
import type { FlagName } from '../statistics/validity/types.js';
import type { RuleName } from './rules.js';

export type Severity = (typeof SEVERITIES)[number];

export interface Cause {
  readonly severity: Severity;
  readonly words: string;
  readonly action: string;
}

/** What qualify finds a node to have, and no rate shows. */
function asQualified(name: OwnCause, words: string): Cause {
  const { severity, action } = causeNamed(name);
  return { severity, words, action };
}

/** From the surest to the vaguest: the first that holds is the cause, the rest are named beside it. */
export const CAUSES = {
  'wrong-result': {
    severity: 'isolate',
    words: 'it computed a wrong result',
    action:
      'take it out of service now; run pi-bench qualify there, and if it is wrong again test its memory and its processor or GPU',
  },
  'memory-errors': asQualified('memory-errors', 'its memory had errors that could not be corrected'),
  'remap-failed': asQualified('remap-failed', 'a broken row of its memory has no spare one'),
  'driver-fault': asQualified('driver-fault', 'the driver of a device reported a fault'),
  'remap-pending': asQualified('remap-pending', 'spare rows of its memory wait to be put in place'),
  'missing-device': asQualified('missing-device', 'a device is missing'),
  lost: {
    severity: 'triage',
    words: 'not everything was measured',
    // Not resume alone: it refuses t0 and t1, and what came to its end.
    action:
      'see in its record and the system’s log why that was not measured, then measure it again; what was killed goes on with pi-bench resume',
  },
  'device-errors': {
    severity: 'reset',
    words: 'a device counted errors while it was measured',
    action: 'reset the device, measure again; if errors are counted again have it replaced',
  },
  'link-degraded': {
    severity: 'reset',
    words: 'a link runs narrower or slower than it can',
    action: 'reset the device or reseat the card, then compare the link’s width and generation',
  },
  'cpu-quota': {
    severity: 'config',
    words: 'a quota stops its CPUs',
    action: 'lift the quota of its control group (cpu.max), or measure outside it',
  },
  'far-memory': asQualified('far-memory', 'the host’s memory of its copies lies far from its GPU'),
  thermal: {
    severity: 'triage',
    words: 'it is throttled by heat',
    action: 'look after fans, airflow and heat sinks, and measure again when it is cool',
  },
  power: {
    severity: 'triage',
    words: 'it is throttled by power',
    action: 'compare its power limit and its supply with those of the other nodes',
  },
  // Before what is found at its KPIs only: the check looked at what these can only be explained by.
  'failed-check': {
    severity: 'triage',
    words: 'a check of its own failed',
    action: 'follow what that check says: pi-bench show has it, with its limit',
  },
  neighbours: {
    severity: 'monitor',
    words: 'something else runs on it',
    action: 'drain the node, find the other load, and measure again',
  },
  settings: {
    severity: 'config',
    words: 'its settings are not those of the fleet',
    action: 'set it up like the others and measure again',
  },
  'slow-clock': {
    severity: 'triage',
    words: 'its clock is slow',
    action:
      'compare governor, turbo, firmware settings and temperature with those of a fast node, such as the reference where one is named',
  },
  pausing: {
    severity: 'triage',
    words: 'it stands still now and then',
    action: 'look for a quota of CPU time and for other load, then measure again with the node drained',
  },
  drifting: {
    severity: 'triage',
    words: 'it gets slower while it works',
    action: 'watch temperature and clock over a longer run (pi-bench qualify --tier t3)',
  },
  stalling: {
    severity: 'triage',
    words: 'some of its repetitions are far slower than the rest',
    action:
      'look for intermittent throttling and interrupts: open its page (pi-bench report) and the system’s log',
  },
  scattered: {
    severity: 'triage',
    words: 'its repetitions scatter more than the fleet’s',
    action: 'look for other load and for frequency changes, then measure again',
  },
  slow: {
    severity: 'triage',
    words: 'it is slower throughout',
    action:
      'compare it with a fast node, such as the reference where one is named (pi-bench compare), then run pi-bench qualify --tier t2 there',
  },
  'above-ceiling': {
    severity: 'triage',
    words: 'a rate of it lies above what bounds it, so that the one or the other is wrong',
    action:
      'measure it again, in fresh launches and with nothing else running; if it is the same, hold its clock and its time source against those of the other nodes',
  },
  'open-check': {
    severity: 'triage',
    words: 'a check of its own is open',
    action:
      'see why that check could not be judged (pi-bench show has it), mend that, and qualify the node again',
  },
} as const satisfies Readonly<Record<string, Cause>>;

export type CauseName = keyof typeof CAUSES;
export const CAUSE_NAMES = Object.keys(CAUSES) as CauseName[];

/** null: it says nothing of how fast the node is, or only in what way it is slow, as the rules do. */
const OF_FLAG: Readonly<Record<FlagName, CauseName | null>> = {
  throttled: 'cpu-quota',
  'device-errors': 'device-errors',
  'link-degraded': 'link-degraded',
  'far-memory': 'far-memory',
  thermal: 'thermal',
  'power-capped': 'power',
  'power-limit-moved': 'power',
  'power-brake': 'power',
  'clock-held': 'power',
  stolen: 'neighbours',
  contended: 'neighbours',
  'foreign-load': 'neighbours',
  preempted: 'neighbours',
  crowded: 'neighbours',
  migrated: null,
  'mixed-cores': null,
  skewed: null,
  drifting: null,
  stepped: null,
  'not-steady': null,
  multimodal: null,
  outlying: null,
  quantised: null,
  'clock-limited': null,
  'clock-not-settled': null,
  'launches-not-independent': null,
  'peak-moved': null,
  // Who has it is told of by itself (beyond.ts).
  'above-ceiling': null,
};

/** Under full load a GPU is held by its power limit wherever all is well. */
const USUAL_UNDER_LOAD = 'power-capped';

/** Flags by which a rate is lower than what its node reaches; of those that a newer pi-bench, or another tool, raised none. */
export const spoils = (flag: string): boolean =>
  Object.hasOwn(OF_FLAG, flag) && OF_FLAG[flag as FlagName] !== null && flag !== USUAL_UNDER_LOAD;

/** Of one node, or of one of its devices. */
export interface Evidence {
  readonly worst: Readonly<Partial<Record<RuleName, number>>>;
  /** Flags at KPIs that are worse, of which fewer than half of the nodes have each there, or, against a baseline, that spoil a rate. */
  readonly flags: ReadonlySet<string>;
  /** How much slower its clock is than the fleet's at KPIs that are worse; null: not known. */
  readonly clock: number | null;
  /** How far the slowest twentieth lies below its median, in its standard deviations: 1.64 where it is normal; null: not known. */
  readonly tail: number | null;
  /** Settings that most nodes have otherwise, in words. */
  readonly settings: readonly string[];
}

/** A clock must explain so much of what is missing to be its cause. */
const EXPLAINS = 0.5;
const LEAST_CLOCK = 0.015;

/** Few repetitions far off widen the spread and leave the twentieth where it was; many far off do the opposite. */
const NORMAL_TAIL = { least: 1.1, most: 2.3 } as const;

/** What the rules that broke say of how it is worse: always something. */
function byShape({ worst, tail }: Evidence): CauseName {
  const level = Math.max(worst.median ?? 0, worst.overall ?? 0);
  if (level > 0 && (worst.drift ?? 0) === 0) return 'slow';
  if ((worst.drift ?? 0) > 0) return 'drifting';
  const shapes: readonly RuleName[] = ['p05', 'spread', 'distribution'];
  if (shapes.every((rule) => worst[rule] === undefined)) return 'pausing';
  return tail !== null && tail > NORMAL_TAIL.least && tail < NORMAL_TAIL.most ? 'scattered' : 'stalling';
}

/** @returns at least one, the surest first */
export function causesOf(evidence: Evidence): readonly CauseName[] {
  const { worst, flags, clock, settings } = evidence;
  const found = new Set<CauseName>();
  for (const [flag, cause] of Object.entries(OF_FLAG))
    if (cause !== null && flags.has(flag)) found.add(cause);
  const level = Math.max(worst.median ?? 0, worst.overall ?? 0);
  if (clock !== null && clock >= LEAST_CLOCK && clock >= EXPLAINS * level && level > 0)
    found.add('slow-clock');
  if (settings.length > 0) found.add('settings');
  found.add(byShape(evidence));
  return CAUSE_NAMES.filter((name) => found.has(name));
}
