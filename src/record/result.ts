/** What of a record is a result. Pure. */
import type { RecordBatch } from './schema.js';

/**
 * Whether some launch of a batch ran to its end. Where all were cut short, the batch keeps what they had measured until then, and
 * that is no result of its case: of a million repetitions that were asked for there may be 460,000. So it has no KPI, is no point of
 * a curve or of a fit, nothing is advised by it, and nothing is compared with it.
 */
export const isResult = ({ measured }: Pick<RecordBatch, 'measured'>): boolean => measured > 0;
