/** A table as CSV (RFC 4180): the first row names the columns, null is empty. Pure. */
import type { Cell, Table } from '../figures/figure.js';

/** A spreadsheet takes a text that begins so for a formula; names in a record are anybody's. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cell).join(',')}\r\n`;

export const csvText = ({ columns, rows }: Table): string => [columns, ...rows].map(csvLine).join('');
