/** The published set of convolution timings: a row for each launch, component, inspection, item, milliseconds. Pure. */
import { formatShare, plural } from '../../quantities/format.js';
import { shareNearMultiples } from '../../statistics/periodicity.js';
import { findQuantum, LEAST_SHARE, quantisedBy } from '../../statistics/validity/quantised.js';
import type { Flag } from '../../statistics/validity/types.js';
import type { Seconds } from '../../units.js';
import { uncheckable } from '../not-checked.js';
import { NOT_KNOWN, type PublishedBatch, type PublishedLaunch, publishedStack } from '../published.js';
import type { Table } from './csv.js';
import { quantisedLaunches } from './documents.js';

const HEADER = ['component', 'inspection_id', 'item', 'elapsed_ms'];
/** Of their ids, which are hashes of hashes: enough to tell the inspections of one set apart. */
const ID_END = /[^-]*$/;

export const isTimings = ({ header }: Table): boolean => HEADER.every((name, i) => header[i] === name);

const launchOf = (elapsed: Seconds): PublishedLaunch => ({
  status: 'measured',
  reason: null,
  elapsed,
  flopPerSecond: null,
  repetitions: null,
  flags: [],
  notChecked: [],
});

/**
 * Few launches of one batch cannot show a period, but those of the whole set can: a batch whose times lie on the multiples of
 * the set's period has measured the same scheduler.
 */
function quantisedFlag(all: readonly Seconds[]): (own: readonly Seconds[]) => readonly Flag[] {
  const found = findQuantum(all);
  return (own) => {
    const share = found === null ? 0 : shareNearMultiples(own, found.period);
    if (found === null || share < LEAST_SHARE) return quantisedLaunches(own).flags;
    const { reason, evidence } = quantisedBy(found, false);
    const whole = `of the ${plural(all.length, 'time')} of the whole set, ${reason}`;
    return [
      {
        name: 'quantised',
        reason: `${whole}; of the ${own.length} of this batch ${formatShare(share, 3)} do`,
        evidence: { ...evidence, shareOfBatch: share, timesOfSet: all.length },
      },
    ];
  };
}

export interface FromTimings {
  readonly batches: readonly PublishedBatch[];
  /** Rows without a time. */
  readonly dropped: number;
}

/** @param table that `isTimings` */
export function fromTimings({ rows }: Table): FromTimings {
  const groups = new Map<string, { component: string; id: string; elapsed: Seconds[] }>();
  let dropped = 0;
  for (const [component = '', id = '', , milliseconds = ''] of rows) {
    const elapsed = Number(milliseconds) / 1000;
    if (milliseconds === '' || !(elapsed > 0 && elapsed < Number.POSITIVE_INFINITY)) {
      dropped++;
      continue;
    }
    const key = `${component} ${id}`;
    const group = groups.get(key) ?? { component, id, elapsed: [] };
    group.elapsed.push(elapsed);
    groups.set(key, group);
  }
  const flagsOf = quantisedFlag([...groups.values()].flatMap(({ elapsed }) => elapsed));
  const batches = [...groups.values()].map(({ component, id, elapsed }): PublishedBatch => {
    const flags = flagsOf(elapsed);
    return {
      case: { indicator: 'PiConv2D', parameters: {} },
      title: 'PiConv2D of sizes that were not published',
      source: ID_END.exec(id)?.[0] || id,
      work: null,
      stack: publishedStack(component),
      device: NOT_KNOWN,
      repetitions: null,
      asked: elapsed.length,
      statistic: 'not told',
      values: { kind: 'launches', launches: elapsed.map(launchOf) },
      flags,
      notChecked: [
        ...uncheckable(['throttled', 'quantised']),
        {
          flag: 'throttled',
          why: 'neither the counters of the control group were published, nor CPU times and limits',
        },
        ...(flags.length > 0 ? [] : quantisedLaunches(elapsed).notChecked),
      ],
      remarks: [],
    };
  });
  return { batches, dropped };
}
