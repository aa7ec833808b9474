/** How wide and how colourful a terminal is. No colour and 80 columns where it is not one. */
import { stripVTControlCharacters } from 'node:util';
import picocolors from 'picocolors';

export interface Style {
  readonly width: number;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

const LEAST_WIDTH = 40;
export const MOST_WIDTH = 120;

export function terminalStyle(stream: { readonly isTTY?: boolean; readonly columns?: number }): Style {
  const colour = stream.isTTY === true && !('NO_COLOR' in process.env) && process.env.TERM !== 'dumb';
  const { bold, dim, green, yellow, red } = picocolors.createColors(colour);
  // A terminal that a launcher such as mpirun makes for its ranks is 0 columns wide.
  const told = stream.isTTY === true ? (stream.columns ?? 0) : 0;
  const columns = told > 0 ? told : 80;
  return {
    width: Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, columns)),
    bold,
    dim,
    good: green,
    warn: yellow,
    bad: red,
  };
}

/** Of a text without its colours. */
export const shownLength = (text: string): number => stripVTControlCharacters(text).length;

/** Breaks a text into lines of at most `width` characters that show, between words. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && shownLength(line) + 1 + shownLength(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  return lines;
}
