// What the rounds of `bench-collective.mjs` say of a target, and of two callers of one library. Pure.
import { intervalOf, sideOf } from '../lib/order-interval.mjs';

/** Two callers agree within this share. */
export const AGREEMENT = 0.1;

const WORDS = /** @type {const} */ ({ above: 'meets', below: 'MISSES', open: 'open' });

/**
 * @param {readonly number[]} ratios of the rounds
 * @param {number} target
 * @returns {'meets' | 'MISSES' | 'open' | 'few'} `open`: their interval holds the target; `few`: they have none
 */
export function againstTarget(ratios, target) {
  const interval = intervalOf(ratios);
  return interval === null ? 'few' : WORDS[sideOf(interval, target)];
}

/**
 * @param {readonly number[]} ratios of the rounds
 * @returns {'agrees' | 'DIFFERS' | 'open' | 'few'} `open`: their interval holds an end of what is within the share
 */
export function agreement(ratios) {
  const interval = intervalOf(ratios);
  if (interval === null) return 'few';
  const { low, high } = interval;
  const [least, most] = [1 - AGREEMENT, 1 + AGREEMENT];
  if (low >= least && high <= most) return 'agrees';
  return low > most || high < least ? 'DIFFERS' : 'open';
}

/** `0.91 to 1.07`; nothing where there are too few rounds for 95 %. */
export function intervalText(ratios) {
  const interval = intervalOf(ratios);
  return interval === null ? '' : `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}`;
}
