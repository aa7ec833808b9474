/** Texts of a record come from anywhere: they enter a page only through these. Pure. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For element content and for attributes in quotes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? '');

/** For what is read: a number and its % stay on one line. */
export const textHtml = (text: string): string => escapeHtml(text.replaceAll(/(\d) %/g, '$1\u00a0%'));

/**
 * JSON for a script element: nothing in it can end the element or open a comment, and the two line ends that JSON allows
 * and older scripts do not are written out.
 */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');

/**
 * A program for a script element. Its text cannot be changed as data can, so one that would end the element is refused.
 * @throws Error for such a program
 */
export function scriptProgram(source: string): string {
  if (/<\/script|<!--/i.test(source)) throw new Error('a script that would end its own element');
  return source;
}
