/** How far a case is from what bounds it, in words. */
import { formatBytes, formatShare, significant, withPrefix } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import type { Row } from './table.js';

export function rooflineRows({ roofline, rateUnit, work }: RecordBatch): Row[] {
  if (roofline == null) return [];
  const { peak, peakIsa, efficiency, bandwidth, intensity, bound, attainable, share } = roofline;
  const rows: Row[] = [
    [
      'efficiency',
      `${formatShare(efficiency, 3)} of the ${withPrefix(peak, rateUnit, 4)} that these threads reach in registers (${peakIsa})`,
    ],
  ];
  if (bound === null || bandwidth === null || attainable === null || share === null) return rows;
  const reading = `${withPrefix(bandwidth, 'B/s', 3)} at its ${formatBytes(work.bytes)}`;
  const operations = `${significant(intensity, 3)} operations a byte`;
  const why =
    bound === 'memory'
      ? `memory: ${operations} x ${reading} allow ${withPrefix(attainable, rateUnit, 3)}, of which it reaches ${formatShare(share, 3)}`
      : `arithmetic: reading ${reading} with ${operations} would allow ${withPrefix(intensity * bandwidth, rateUnit, 3)}`;
  return [...rows, ['bound by', why]];
}
