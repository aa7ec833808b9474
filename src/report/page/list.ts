/** Texts as a list; nothing for none. */
import { textHtml } from './escape.js';

/** @param className of the list; '': none */
export function listHtml(className: string, texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  const name = className === '' ? '' : ` class="${className}"`;
  return [`<ul${name}>${texts.map((text) => `<li>${textHtml(text)}</li>`).join('')}</ul>`];
}
