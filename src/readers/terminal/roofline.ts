/** How far a case is from what bounds it, in words. */
import { isGpu } from '../../devices/device.js';
import { formatBytes, formatShare, plural, significant, withPrefix } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import { MOST_OF_CEILING, passesPeak, peaksDiffer } from '../../statistics/roofline.js';
import type { Bytes } from '../../units.js';
import type { Style } from './style.js';
import type { Row } from './table.js';

type Ceilings = Pick<RecordBatch, 'roofline' | 'rateUnit' | 'work' | 'device'>;

function inTurnsRow(inTurns: NonNullable<RecordBatch['roofline']>['inTurns'], style: Style): Row[] {
  if (inTurns === undefined) return [];
  const { share, turns } = inTurns;
  const text = `${formatShare(share, 3)} of the peak of the same moments: ${turns} looks at calls between looks at it`;
  const doubt = 'nothing passes a peak, so these looks were disturbed: do not trust them';
  return [['in turns', share > MOST_OF_CEILING ? style.warn(`${text}; ${doubt}`) : text]];
}

/** What a rate of reading is of; nothing where that is not known. */
function readOf(read: Bytes | undefined, workingSet: Bytes): string {
  if (read === undefined) return '';
  const [some, all] = [formatBytes(read), formatBytes(workingSet)];
  if (some === all) return ` at its ${all}`;
  return read < workingSet ? ` over ${some} of its ${all}` : ` over ${some}, which is more than its ${all}`;
}

export function rooflineRows({ roofline, rateUnit, work, device }: Ceilings, style: Style): Row[] {
  if (roofline == null || work === null) return [];
  const { peak, peakIsa, peaks, measuredBy, efficiency, inTurns } = roofline;
  const { bandwidth, intensity, bound, attainable, share, bytes } = roofline;
  const apart = peaksDiffer(peaks)
    ? `, median of ${peaks.launches} launches that differ by ${formatShare(peaks.most / peaks.least - 1)}`
    : '';
  const by =
    measuredBy === undefined
      ? ''
      : `, in the ${measuredBy.launches} of ${plural(measuredBy.of, 'launch', 'launches')} that measured it`;
  const inRegisters = `${withPrefix(peak, rateUnit, 4)} that ${isGpu(device) ? 'this GPU reaches' : 'these threads reach'} in registers (${peakIsa}${apart})${by}`;
  if (passesPeak(roofline)) {
    const doubt = 'the ceiling was measured too low, as under other load: do not trust the efficiency';
    return [
      ['efficiency', style.warn(`${formatShare(efficiency, 3)} of the ${inRegisters}: ${doubt}`)],
      ...inTurnsRow(inTurns, style),
    ];
  }
  const rows: Row[] = [
    ['efficiency', `${formatShare(efficiency, 3)} of the ${inRegisters}`],
    ...inTurnsRow(inTurns, style),
  ];
  if (bound === null || bandwidth === null || attainable === null || share === null) return rows;
  const reading = `${withPrefix(bandwidth, 'B/s', 3)}${readOf(bytes, work.bytes)}`;
  const operations = `${significant(intensity, 3)} operations a byte`;
  if (bound === 'arithmetic') {
    const allowed = withPrefix(intensity * bandwidth, rateUnit, 3);
    return [
      ...rows,
      ['bound by', `arithmetic: reading ${reading} with ${operations} would allow ${allowed}`],
    ];
  }
  const reached = formatShare(share, 3);
  const allowed = `memory: ${operations} x ${reading} allow ${withPrefix(attainable, rateUnit, 3)}, of which it reaches ${reached}`;
  const doubt = ': the rate of reading was measured too low, as under other load';
  return [...rows, ['bound by', share > MOST_OF_CEILING ? style.warn(`${allowed}${doubt}`) : allowed]];
}
