/** A table that gives up the length of words, then columns, and then the length of its names, where a terminal is too narrow for all. */
import { shortNames } from '../short-names.js';
import { MOST_WIDTH, type Style, shownLength, wrap } from './style.js';
import { type Column, renderColumns } from './table.js';

const LEAST_NAME = 8;

export interface Cell {
  readonly head: string;
  readonly align: Column['align'];
  readonly text: string;
  /** Without colours, and may lose its end: unlike a figure it says something all the same. */
  readonly words?: true;
}

export interface Fitting {
  /** Heads of the columns that are left out, from the last to the first. */
  readonly optional: readonly string[];
  /** Head of the column whose texts are shortened then. */
  readonly shortened: string;
  /** Heads that are left out where even that is not enough. */
  readonly atLast?: readonly string[];
}

const cutAt = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;

/** Of more than a function takes as its arguments, which a large sweep has. */
const most = (lengths: readonly number[]): number =>
  lengths.reduce((longest, one) => Math.max(longest, one), 0);

/** A column of which every cell is empty is left out, too. */
function emptyHeads(rows: readonly (readonly Cell[])[]): readonly string[] {
  const heads = (rows[0] ?? []).map(({ head }) => head);
  return heads.filter((head) =>
    rows.every((row) => row.every((cell) => cell.head !== head || cell.text === '')),
  );
}

/** What was left out for want of room, and how much of it there has to be; nothing where that is all there is. */
function leftOutLines(heads: readonly string[], room: number, style: Style): readonly string[] {
  const named = heads.filter((head) => head !== '');
  if (named.length === 0) return [];
  const wider =
    room > MOST_WIDTH ? '' : ` (a terminal of ${room} shows ${named.length === 1 ? 'it' : 'them'})`;
  const text = `not shown at ${style.width} columns: ${named.join(', ')}${wider}`;
  return wrap(text, style.width - 2).map((line) => `  ${style.dim(line)}`);
}

/**
 * Tables of one page, which leave out the same columns. Below the last one stands which these are.
 * @param tables rows with the same columns each, also from table to table; the column that is shortened has no colours
 */
export function renderFittings(
  tables: readonly (readonly (readonly Cell[])[])[],
  { optional, shortened: named, atLast = [] }: Fitting,
  style: Style,
): readonly string[] {
  const rows = tables.flat();
  const names = rows.map((row) => row.find(({ head }) => head === named)?.text ?? '');
  const longestWords = most(rows.flat().map(({ words, text }) => (words ? text.length : 0)));
  const render = (
    without: ReadonlySet<string>,
    words: number,
    longest = Number.POSITIVE_INFINITY,
  ): readonly string[] => {
    const short = longest === Number.POSITIVE_INFINITY ? names : shortNames(names, longest);
    const kept = rows.map((row, i) =>
      row
        .filter(({ head }) => !without.has(head))
        .map((cell) => (cell.head === named ? { ...cell, text: short[i] ?? cell.text } : cell))
        .map((cell) => (cell.words ? { ...cell, text: cutAt(cell.text, words) } : cell)),
    );
    let next = 0;
    return tables.map(({ length }) => {
      const own = kept.slice(next, next + length);
      next += length;
      return renderColumns(
        (own[0] ?? []).map(({ head, align }) => ({ head, align })),
        own.map((row) => row.map(({ text }) => text)),
        style,
      );
    });
  };
  const widthOf = (texts: readonly string[]): number =>
    most(texts.flatMap((text) => text.split('\n')).map(shownLength));
  const excess = (texts: readonly string[]): number => widthOf(texts) - style.width;
  const longest = most(names.map((name) => name.length));
  const empty = emptyHeads(rows);
  const without = new Set(empty);
  const dropUntil = (heads: readonly string[], longestName?: number): void => {
    for (const head of heads) {
      if (excess(render(without, LEAST_NAME, longestName)) <= 0) break;
      without.add(head);
    }
  };
  const withLeftOut = (texts: readonly string[]): readonly string[] => {
    const heads = (rows[0] ?? []).map(({ head }) => head);
    const leftOut = heads.filter((head) => without.has(head) && !empty.includes(head));
    const room = widthOf(render(new Set(empty), longestWords));
    return texts.map((text, i) =>
      i === texts.length - 1 ? [text, ...leftOutLines(leftOut, room, style)].join('\n') : text,
    );
  };
  if (excess(render(without, longestWords)) > 0) dropUntil(optional);
  // What was left out may have made room for more of the words, and of the names.
  const words = Math.max(LEAST_NAME, longestWords - Math.max(0, excess(render(without, longestWords))));
  if (excess(render(without, words)) <= 0) return withLeftOut(render(without, words));
  dropUntil(atLast, LEAST_NAME);
  return withLeftOut(render(without, words, Math.max(LEAST_NAME, longest - excess(render(without, words)))));
}

export const renderFitting = (rows: readonly (readonly Cell[])[], fitting: Fitting, style: Style): string =>
  renderFittings([rows], fitting, style).join('');
