/** A table that gives up the length of words, then columns, and then the length of its names, where a terminal is too narrow for all. */
import { shortNames } from '../short-names.js';
import { type Style, shownLength } from './style.js';
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

const cutAt = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

/** A column of which every cell is empty is left out, too. */
function emptyHeads(rows: readonly (readonly Cell[])[]): readonly string[] {
  const heads = (rows[0] ?? []).map(({ head }) => head);
  return heads.filter((head) =>
    rows.every((row) => row.every((cell) => cell.head !== head || cell.text === '')),
  );
}

/** @param rows with the same columns each; the column that is shortened has no colours */
export function renderFitting(
  rows: readonly (readonly Cell[])[],
  { optional, shortened: named, atLast = [] }: Fitting,
  style: Style,
): string {
  const names = rows.map((row) => row.find(({ head }) => head === named)?.text ?? '');
  const longestWords = Math.max(0, ...rows.flat().map(({ words, text }) => (words ? text.length : 0)));
  const render = (
    without: ReadonlySet<string>,
    words: number,
    longest = Number.POSITIVE_INFINITY,
  ): string => {
    const short = longest === Number.POSITIVE_INFINITY ? names : shortNames(names, longest);
    const kept = rows.map((row, i) =>
      row
        .filter(({ head }) => !without.has(head))
        .map((cell) => (cell.head === named ? { ...cell, text: short[i] ?? cell.text } : cell))
        .map((cell) => (cell.words ? { ...cell, text: cutAt(cell.text, words) } : cell)),
    );
    return renderColumns(
      (kept[0] ?? []).map(({ head, align }) => ({ head, align })),
      kept.map((row) => row.map(({ text }) => text)),
      style,
    );
  };
  const excess = (text: string): number => Math.max(...text.split('\n').map(shownLength)) - style.width;
  const longest = Math.max(0, ...names.map((name) => name.length));
  const without = new Set(emptyHeads(rows));
  const dropUntil = (heads: readonly string[], most?: number): void => {
    for (const head of heads) {
      if (excess(render(without, LEAST_NAME, most)) <= 0) break;
      without.add(head);
    }
  };
  if (excess(render(without, longestWords)) > 0) dropUntil(optional);
  // What was left out may have made room for more of the words, and of the names.
  const words = Math.max(LEAST_NAME, longestWords - Math.max(0, excess(render(without, longestWords))));
  if (excess(render(without, words)) <= 0) return render(without, words);
  dropUntil(atLast, LEAST_NAME);
  return render(without, words, Math.max(LEAST_NAME, longest - excess(render(without, words))));
}
