/** Cells that tables of rates have in common. Pure. */
import { prefixOf, significant } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import { noScoreText } from '../launch-counts.js';
import type { Style } from './style.js';

/** The interval of a rate, in the prefix of the rate beside it. */
export function intervalText({ rate }: RecordBatch): string {
  if (rate?.interval == null) return '-';
  const [factor] = prefixOf(rate.median);
  return `${significant(rate.interval.low / factor)}–${significant(rate.interval.high / factor)}`;
}

export function outputText({ verified }: RecordBatch, style: Style): string {
  if (verified === 'failed') return style.bad('WRONG');
  return verified === 'passed' ? style.good('verified') : style.warn('not run');
}

/** In the place of a rate. */
export function noScoreCell(batch: RecordBatch, style: Style): string {
  const text = noScoreText(batch);
  return text === 'no score' ? style.bad(text) : style.warn(text);
}
