/** Rows of a name and what belongs to it, wrapped to the terminal's width; columns under their heads. */
import { type Style, shownLength, wrap } from './style.js';

const INDENT = '  ';

/** A row without a name continues the one above. */
export type Row = readonly [name: string, text: string];

export function renderRows(rows: readonly Row[], style: Style): string {
  const column = Math.max(...rows.map(([name]) => name.length)) + 2;
  const room = Math.max(20, style.width - INDENT.length - column);
  return rows
    .flatMap(([name, text]) =>
      wrap(text, room).map((line, i) => `${INDENT}${style.dim((i === 0 ? name : '').padEnd(column))}${line}`),
    )
    .join('\n');
}

export interface Column {
  readonly head: string;
  readonly align: 'left' | 'right';
}

/** @param rows a cell for each column */
export function renderColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style,
): string {
  const widths = columns.map(({ head }, i) =>
    Math.max(head.length, ...rows.map((row) => shownLength(row[i] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, i) => {
        const cell = cells[i] ?? '';
        const space = ' '.repeat((widths[i] ?? 0) - shownLength(cell));
        return align === 'left' ? cell + space : space + cell;
      })
      .join('  ')
      .trimEnd();
  return [style.dim(line(columns.map(({ head }) => head))), ...rows.map(line)]
    .map((text) => `${INDENT}${text}`)
    .join('\n');
}
