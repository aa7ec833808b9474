/**
 * How wide letters are at most, in shares of the font's size: those of DejaVu Sans, the widest of the fonts that figures ask
 * for, which is what many a Linux shows. A narrower one leaves a little air; a wider one would lose letters at the edge.
 */

const GROUPS: readonly (readonly [width: number, letters: string])[] = [
  [0.28, "'ijl"],
  [0.3, 'IJ'],
  [0.32, ' ,.’·'],
  [0.34, '/:;\\|'],
  [0.36, 'f'],
  [0.37, '-'],
  [0.4, '()[]t'],
  [0.42, '!²r'],
  [0.46, '"'],
  [0.5, '*_`–'],
  [0.55, 'szc?'],
  [0.58, 'LFk'],
  [0.62, 'vxyPTYaeo'],
  [0.64, '$0123456789ESbdghnpqu{}µ'],
  [0.7, 'KABVXZCR'],
  [0.76, 'UNH'],
  [0.79, '&DGOQ'],
  [0.84, 'w#+<=>^~×≥≤'],
  [0.87, 'M'],
  [0.99, '%mW'],
];

const WIDTHS = new Map(GROUPS.flatMap(([width, letters]) => [...letters].map((letter) => [letter, width])));
/** As wide as high, as those of other scripts are. */
const UNKNOWN = 1;
/** A line of bold letters against the same in plain ones. */
const BOLD = 1.13;
const BOLD_FROM = 600;

const isBold = (weight: unknown): boolean => weight === 'bold' || Number(weight) >= BOLD_FROM;

/** In shares of the font's size. */
export function textWidth(text: string, weight?: unknown): number {
  const plain = [...text].reduce((sum, letter) => sum + (WIDTHS.get(letter) ?? UNKNOWN), 0);
  return isBold(weight) ? plain * BOLD : plain;
}
