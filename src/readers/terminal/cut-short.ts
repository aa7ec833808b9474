/** A batch of which no launch ran to its end, for a person. Pure. */
import type { RecordBatch } from '../../record/schema.js';
import { endedText } from '../launch-counts.js';
import type { Style } from './style.js';
import type { Row } from './table.js';

/** In place of a rate. A wrong output says more by itself, and came of a launch that did end. */
export function noResultRows({ measured, planned, verified }: RecordBatch, style: Style): Row[] {
  if (verified === 'failed') return [];
  return [['rate', style.warn(`no result: ${endedText(measured, planned)}`)]];
}
