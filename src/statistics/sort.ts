/**
 * Sorts many doubles in linear time. A campaign's samples are sorted launch by launch and all together, and comparing
 * them with each other would be much of what a record costs (`npm run bench:report`).
 */

/** Below so many the typed arrays' own sort is as fast. */
const WORTH = 5000;
const BITS = 11;
const BUCKETS = 2 ** BITS;
const MASK = BUCKETS - 1;
/** A digit's word (the low one is first) and where in it the digit begins; the last of each word is shorter. */
const DIGITS = [
  { word: 0, shift: 0 },
  { word: 0, shift: BITS },
  { word: 0, shift: 2 * BITS },
  { word: 1, shift: 0 },
  { word: 1, shift: BITS },
  { word: 1, shift: 2 * BITS },
] as const;
type Digit = (typeof DIGITS)[number];

const wordsOf = (values: Float64Array): Uint32Array =>
  new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);

/** How many values have each digit, one table for each digit. */
function countDigits(words: Uint32Array): readonly Uint32Array[] {
  const table = (): Uint32Array => new Uint32Array(BUCKETS);
  const [a, b, c, d, e, f] = [table(), table(), table(), table(), table(), table()];
  for (let i = 0; i < words.length; i += 2) {
    const low = words[i] as number;
    const high = words[i + 1] as number;
    (a[low & MASK] as number)++;
    (b[(low >>> BITS) & MASK] as number)++;
    (c[low >>> (2 * BITS)] as number)++;
    (d[high & MASK] as number)++;
    (e[(high >>> BITS) & MASK] as number)++;
    (f[high >>> (2 * BITS)] as number)++;
  }
  return [a, b, c, d, e, f];
}

/** Counts become the places at which each digit's values begin. False where all values have the same digit. */
function placesOf(counts: Uint32Array, n: number): boolean {
  let sum = 0;
  for (let digit = 0; digit < BUCKETS; digit++) {
    const count = counts[digit] as number;
    if (count === n) return false;
    counts[digit] = sum;
    sum += count;
  }
  return true;
}

/** Deals the values out by one digit, equal digits in their order. */
function deal(from: Float64Array, to: Float64Array, { word, shift }: Digit, places: Uint32Array): void {
  const words = wordsOf(from);
  for (let i = 0; i < from.length; i++) {
    const digit = ((words[2 * i + word] as number) >>> shift) & MASK;
    const at = places[digit] as number;
    to[at] = from[i] as number;
    places[digit] = at + 1;
  }
}

/** A sign, or NaN: bits that are not in the order of their values. */
function hasSignOrNaN(words: Uint32Array): boolean {
  for (let i = 1; i < words.length; i += 2) if ((words[i] as number) > 0x7ff0_0000) return true;
  return false;
}

/**
 * In place and ascending, NaN last: what `values.sort()` does. Values that are not negative lie in the order of their bits
 * (IEEE 754), so they are dealt out digit by digit, and times are such; any others are compared.
 */
export function sortInPlace(values: Float64Array): Float64Array {
  if (values.length < WORTH || hasSignOrNaN(wordsOf(values))) return values.sort();
  const tables = countDigits(wordsOf(values));
  let from = values;
  let to: Float64Array = new Float64Array(values.length);
  DIGITS.forEach((digit, i) => {
    const places = tables[i] as Uint32Array;
    if (!placesOf(places, values.length)) return;
    deal(from, to, digit, places);
    [from, to] = [to, from];
  });
  if (from !== values) values.set(from);
  return values;
}
