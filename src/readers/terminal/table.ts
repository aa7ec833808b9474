/** Rows of a name and what belongs to it, wrapped to the terminal's width. */
import { type Style, wrap } from './style.js';

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
