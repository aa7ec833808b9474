/** A flag's several values, as a sweep takes them: a list (`64,128`), a range (`64..4096*2`, `1..8+1`, `8..64M`). */
import { parseBytes, parseQuantity, QuantityError } from './parse.js';

const MOST_VALUES = 1000;
const DEFAULT_FACTOR = 2;
/** A product that ends so near to the range's end is its end. What is added up is rounded, and is the end or another value. */
const SAME = 1.001;

interface Range {
  readonly low: number;
  readonly high: number;
  readonly bytes: boolean;
}

const isBare = (number: string): boolean => /\d$/.test(number);

/** Both ends count, or both are bytes; beside an upper end of bytes a bare number is bytes, too: `8..64MiB`. */
function endsOf(first: string, last: string): Range | null {
  const bytes = parseBytes(last);
  if (bytes !== null) {
    const low = parseBytes(isBare(first) ? `${first}B` : first);
    return low === null ? null : { low, high: bytes, bytes: true };
  }
  const [low, high] = [parseQuantity(first), parseQuantity(last)];
  return low === null || high === null ? null : { low, high, bytes: false };
}

function stepsOf({ low, high }: Range, step: string, size: number): readonly number[] {
  const values = [low];
  const adds = step === '+';
  const next = (value: number): number => (adds ? value + size : value * size);
  const isBefore = (value: number): boolean => (adds ? value : value * SAME) < high;
  for (let value = next(low); isBefore(value) && values.length <= MOST_VALUES; value = next(value))
    values.push(Math.round(value));
  return [...values, high];
}

/** What a range is multiplied by, or what is added; null: neither. Of bytes a step that is added may have their unit. */
function sizeOf(size: string | undefined, step: string, bytes: boolean): number | null {
  if (size === undefined) return DEFAULT_FACTOR;
  return parseQuantity(size) ?? (bytes && step === '+' ? parseBytes(size) : null);
}

/**
 * `low..high` doubles from `low`, with `*3` trebles, with `+8` adds 8; `high` is always the last.
 * null for what is no range of numbers: `cblas:../libblas.so`.
 */
function rangeOf(item: string, option: string): readonly string[] | null {
  const [, first, last, step = '*', size] =
    /^([\d._]+\w*)\.\.([\d._]+[A-Za-z]*)(?:([*+])(.+))?$/.exec(item) ?? [];
  if (first === undefined || last === undefined) return null;
  const range = endsOf(first, last);
  const by = sizeOf(size, step, range?.bytes === true);
  if (range === null || range.low > range.high || by === null || by <= (step === '*' ? 1 : 0)) {
    throw new QuantityError(
      `${option} takes ranges such as 64..4096*2, 1..8+1 or 32KiB..1MiB+32KiB, the smaller end first; got "${item}"`,
    );
  }
  if (range.low === 0 && step === '*' && range.high > 0) {
    throw new QuantityError(
      `${option}: "${item}" begins with 0, which no factor makes larger: give a step to add, such as ${first}..${last}+1`,
    );
  }
  return stepsOf(range, step, by).map((value) => (range.bytes ? `${value}B` : String(value)));
}

/** null: none of them. */
export const twiceIn = (items: readonly string[]): string | null =>
  items.find((item, i) => items.indexOf(item) !== i) ?? null;

/**
 * The values that a text stands for, each once, in its order. Ranges may have some in common; who types one twice gets less than he
 * asked for.
 * @throws QuantityError naming the option and what it takes.
 */
export function expandValues(text: string, option: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '')) throw new QuantityError(`${option} has an empty value in "${text}"`);
  const twice = twiceIn(items);
  if (twice !== null) throw new QuantityError(`${option} has ${twice} more than once: leave one out`);
  const values = items.flatMap((item) => rangeOf(item, option) ?? [item]);
  if (values.length > MOST_VALUES) throw new QuantityError(`${option} takes at most ${MOST_VALUES} values`);
  return [...new Set(values)];
}
