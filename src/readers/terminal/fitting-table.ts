/** A table that gives up columns, and then the length of its names, where a terminal is too narrow for all. */
import { type Style, shownLength } from './style.js';
import { type Column, renderColumns } from './table.js';

const LEAST_NAME = 8;

export interface Cell {
  readonly head: string;
  readonly align: Column['align'];
  readonly text: string;
}

export interface Fitting {
  /** Heads of the columns that are left out, from the last to the first. */
  readonly optional: readonly string[];
  /** Head of the column whose texts are shortened last. */
  readonly shortened: string;
}

const shortened = (name: string, most: number): string =>
  shownLength(name) <= most ? name : `${name.slice(0, most - 1)}…`;

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
  { optional, shortened: named }: Fitting,
  style: Style,
): string {
  const render = (without: ReadonlySet<string>, longest = Number.POSITIVE_INFINITY): string => {
    const kept = rows.map((row) =>
      row
        .filter(({ head }) => !without.has(head))
        .map((cell) => (cell.head === named ? { ...cell, text: shortened(cell.text, longest) } : cell)),
    );
    return renderColumns(
      (kept[0] ?? []).map(({ head, align }) => ({ head, align })),
      kept.map((row) => row.map(({ text }) => text)),
      style,
    );
  };
  const widthOf = (text: string): number => Math.max(...text.split('\n').map(shownLength));
  const without = new Set(emptyHeads(rows));
  for (const head of optional) {
    if (widthOf(render(without)) <= style.width) break;
    without.add(head);
  }
  const whole = render(without);
  const excess = widthOf(whole) - style.width;
  if (excess <= 0) return whole;
  const names = rows.flatMap((row) =>
    row.filter(({ head }) => head === named).map(({ text }) => text.length),
  );
  return render(without, Math.max(LEAST_NAME, Math.max(0, ...names) - excess));
}
