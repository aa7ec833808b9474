/**
 * How many columns of a terminal a text takes. In the place of the package string-width where programs are bundled
 * (scripts/bundle.mjs): only for what we write ourselves, in which every character takes one.
 */
import { stripVTControlCharacters } from 'node:util';

// biome-ignore lint/style/noDefaultExport: as the package that it stands for.
export default function textWidth(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
