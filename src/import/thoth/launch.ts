/** One published result to one launch: units, failures, the faults of its era, and whether its figures show throttling. Pure. */
import { formatSeconds, grouped, plural, significant } from '../../quantities/format.js';
import type { Work } from '../../record/work.js';
import { throttledByProcessDocument } from '../../statistics/validity/index.js';
import type { Flag } from '../../statistics/validity/types.js';
import type { Seconds } from '../../units.js';
import { NOT_KNOWN, type NotChecked, type PublishedBatch, type PublishedLaunch } from '../published.js';
import { ownSaid } from './own.js';
import { type Output, output, type Result } from './schemas.js';
import {
  bytesRemark,
  findThothIndicator,
  type Indicator,
  type Parameters,
  repetitionOf,
  thothIndicatorNames,
} from './work.js';

/** A launch that worked, with what its batch is made from. */
export interface ReadLaunch {
  readonly launch: PublishedLaunch;
  /** null where the launch failed: of no case. */
  readonly of: {
    readonly indicator: Indicator;
    readonly parameters: Parameters;
    readonly device: string;
    readonly component: string;
    readonly work: Work | null;
    readonly statistic: PublishedBatch['statistic'];
    readonly remarks: readonly string[];
    /** The document says itself what was looked for and found: nothing is to be guessed from its figures. */
    readonly saysFlags: boolean;
  } | null;
}

export interface LaunchContext {
  readonly cpuLimit: number | null;
  /** Of the whole process; null: not published. */
  readonly wall: Seconds | null;
}

const MILLISECONDS = 1000;
const GIGA = 1e9;

const failed = (reason: string): ReadLaunch => ({
  launch: {
    status: 'failed',
    reason,
    elapsed: null,
    flopPerSecond: null,
    repetitions: null,
    flags: [],
    notChecked: [],
  },
  of: null,
});

/** Documents of 2019 do not name their indicator; one whose only size is that of a matrix is its product. */
function indicatorOf({ name, '@parameters': parameters }: Output): Indicator | undefined {
  return findThothIndicator(name ?? ('matrix_size' in parameters ? 'PiMatmul' : ''));
}

function throttling(
  { usage }: Result,
  { cpuLimit }: LaunchContext,
  repetitions: number | null,
  elapsed: Seconds,
): { flags: Flag[]; notChecked: NotChecked[] } {
  const cpuTime = usage == null ? null : (usage.ru_utime ?? 0) + (usage.ru_stime ?? 0);
  if (cpuTime === null || cpuLimit === null || repetitions === null) {
    const what =
      cpuTime === null ? 'CPU time' : cpuLimit === null ? 'limit of CPUs' : 'number of repetitions';
    const why = `the counters of the control group were not published, nor was the ${what}`;
    return { flags: [], notChecked: [{ flag: 'throttled', why }] };
  }
  const flag = throttledByProcessDocument({ cpuTime, cpuLimit, repetitions, elapsed });
  if (flag !== null) return { flags: [flag], notChecked: [] };
  const why =
    'the counters of the control group were not published, and CPU time alone shows no throttling, nor that there was none';
  return { flags: [], notChecked: [{ flag: 'throttled', why }] };
}

/** For a while the scripts published the sum over the repetitions as `elapsed`. */
function isSum(elapsed: Seconds, repetitions: number | null, wall: Seconds | null): boolean {
  return repetitions !== null && repetitions > 1 && wall !== null && elapsed * repetitions > 2 * wall;
}

function parametersOf({ '@parameters': all }: Output): Parameters {
  // The number of repetitions is how it was sampled, and the device is where: neither is the case.
  const { reps: _reps, device: _device, ...rest } = all;
  return Object.fromEntries(
    Object.entries(rest).filter((entry): entry is [string, number | string | boolean] => entry[1] !== null),
  );
}

/** @returns a failed launch where the process failed or its output is not a result */
export function readLaunch(result: Result, context: LaunchContext): ReadLaunch {
  if (result.exit_code !== 0) {
    const said = result.stderr?.trim().split('\n').at(-1);
    return failed(`ended with exit code ${result.exit_code}${said ? `: ${said}` : ''}`);
  }
  const parsed = output.safeParse(result.stdout);
  if (!parsed.success) return failed('its output is not the JSON of a performance indicator');
  const indicator = indicatorOf(parsed.data);
  if (indicator === undefined) {
    return failed(
      `its indicator ${parsed.data.name ?? 'without a name'} is not one of ${thothIndicatorNames.join(', ')}`,
    );
  }
  const { '@parameters': all, '@result': figures, component } = parsed.data;
  const repetitions =
    typeof all.reps === 'number' && Number.isInteger(all.reps) && all.reps > 0 ? all.reps : null;
  const parameters = parametersOf(parsed.data);
  const published = figures.elapsed / MILLISECONDS;
  const rate = figures.rate == null ? null : figures.rate * GIGA;
  const sum = isSum(published, repetitions, context.wall);
  const elapsed = sum && repetitions !== null ? published / repetitions : published;
  const repetition = repetitionOf(indicator, parameters, published, rate);
  const ofBytes = repetition.work === null ? null : bytesRemark(parameters);
  const said = ownSaid(result);
  const remarks = [repetition.remark, ofBytes, ...(said?.remarks ?? [])].filter((remark) => remark !== null);
  if (sum && repetitions !== null) {
    const ofRate =
      rate === null
        ? ''
        : `; the published rate (${significant(rate / 1e6, 3)} MFLOP/s) is ${grouped(repetitions)} times too low and is left out`;
    remarks.push(
      `elapsed was published as ${formatSeconds(published)}, which is the sum over ${plural(repetitions, 'repetition')} (the process took ${formatSeconds(context.wall ?? 0)}), not their median: divided here, it is their mean${ofRate}`,
    );
  }
  const holds = repetition.rateHolds && !sum;
  // A mean holds what a throttled process waited: nothing is hidden behind it.
  const { flags, notChecked } = said ?? throttling(result, context, repetitions, elapsed);
  return {
    launch: {
      status: 'measured',
      reason: null,
      elapsed,
      flopPerSecond: holds ? rate : null,
      repetitions,
      flags,
      notChecked,
    },
    of: {
      indicator,
      parameters,
      device: typeof all.device === 'string' ? all.device : NOT_KNOWN,
      component: component ?? NOT_KNOWN,
      work: repetition.work,
      statistic: sum ? 'mean' : 'median',
      remarks,
      saysFlags: said !== null,
    },
  };
}
