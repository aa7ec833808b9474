/** Text within Markdown. Pure. */
import { printableText } from '../../readers/printable.js';

/** What Markdown, or HTML in it, would take for more than text. */
export const escapedMarkdown = (text: string): string =>
  printableText(text.replaceAll(/\s+/g, ' ')).replaceAll(/[\\`*_{}[\]<>|#]/g, (letter) =>
    letter === '<' ? '&lt;' : `\\${letter}`,
  );
