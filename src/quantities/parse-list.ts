/** Reads lists as people type them: names (`copy,triad`), bytes (`32KiB,1MiB`), ranges of bytes (`16KiB..256MiB*2`). */
import { nearest, thereIs } from '../nearest.js';
import type { Bytes } from '../units.js';
import { parseBytes, QuantityError } from './parse.js';

const MOST_SIZES = 1000;
const DEFAULT_FACTOR = 2;

const items = (text: string): readonly string[] => text.split(',').map((item) => item.trim());

/**
 * Some of `known`, each once, in the order of `known`.
 * @param meant by a name that there is not
 * @throws QuantityError naming the option and what there is.
 */
export function parseNames<T extends string>(
  text: string,
  option: string,
  known: readonly T[],
  meant: (wrong: string) => string | null = (wrong) => nearest(wrong, known),
): readonly T[] {
  const given = items(text);
  const wrong = given.find((name) => !known.some((one) => one === name));
  if (wrong !== undefined) {
    throw new QuantityError(`${option} ${wrong} is unknown; ${thereIs(wrong, known, meant(wrong))}`);
  }
  return known.filter((name) => given.includes(name));
}

/** A step that ends so near to the range's end is its end. */
const SAME = 1.001;

/** `low`, and each `factor` times the one before, up to `high`, which is the last in any case. */
export function geometric(low: Bytes, high: Bytes, factor: number): readonly Bytes[] {
  const sizes: Bytes[] = [];
  for (let size = low; size * SAME < high && sizes.length <= MOST_SIZES; size *= factor)
    sizes.push(Math.round(size));
  return [...sizes, high];
}

/** null when it is no range. */
function parseRange(text: string): readonly Bytes[] | null {
  const match = /^(.+?)\.\.(.+?)(?:\*([0-9.]+))?$/.exec(text);
  if (match === null) return null;
  const [low, high] = [parseBytes(match[1] ?? ''), parseBytes(match[2] ?? '')];
  const factor = match[3] === undefined ? DEFAULT_FACTOR : Number(match[3]);
  if (low === null || high === null || low > high || !(factor > 1)) return null;
  return geometric(low, high, factor);
}

/**
 * Sizes, each once, ascending.
 * @throws QuantityError naming the option and what it takes.
 */
export function parseByteList(text: string, option: string): readonly Bytes[] {
  const sizes = items(text).flatMap((item) => {
    const size = parseBytes(item);
    const some = size === null ? parseRange(item) : [size];
    if (some === null) {
      throw new QuantityError(
        `${option} takes sizes with their unit, such as 32KiB,1MiB or 16KiB..256MiB*2, the smaller end first; got "${text}"`,
      );
    }
    return some;
  });
  // Before equal ones are put together: a range that has more was cut off.
  if (sizes.length > MOST_SIZES) throw new QuantityError(`${option} takes at most ${MOST_SIZES} sizes`);
  return [...new Set(sizes)].sort((a, b) => a - b);
}
