// Tables that a terminal shows aligned and markdown takes as they are. Pure.

/**
 * Rows of cells as a markdown table, the columns aligned: the first to the left, the others to the right.
 * @param {readonly string[]} header
 * @param {readonly (readonly string[])[]} rows
 */
export function table(header, rows) {
  const widths = header.map((cell, column) =>
    Math.max(3, cell.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => '-'.repeat(width + 1) + (column === 0 ? '-' : ':')).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

/** @param {number} threads */
export const threadsText = (threads) => `${threads} ${threads === 1 ? 'thread' : 'threads'}`;
