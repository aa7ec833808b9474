/** Text within Markdown. Pure. */

/** What Markdown, or HTML in it, would take for more than text. */
export const escapedMarkdown = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>|#]/g, (letter) => (letter === '<' ? '&lt;' : `\\${letter}`));
