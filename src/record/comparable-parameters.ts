/** Which parameters of a case are compared over nodes and days. Pure. */
import type { RecordBatch } from './schema.js';

/**
 * What makes a case another one: of a share of the memory that share, and not what it came to, which is a little different on each
 * node and each day.
 */
export function comparableParameters({ parameters }: Pick<RecordBatch['case'], 'parameters'>) {
  if (parameters.share === undefined) return parameters;
  const { bytes: _, ...others } = parameters;
  return others;
}
