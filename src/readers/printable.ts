/** Texts of a record come from anywhere, and a terminal obeys some characters (move up, erase, change colours): these are written out. Pure. */

/** C0, C1 and delete, but not the end of a line. */
const ORDERS = /(?!\n)\p{Cc}/gu;

const writtenOut = (order: string): string => `\\u${order.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const printableText = (text: string): string => text.replaceAll(ORDERS, writtenOut);

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

function printed(value: unknown): unknown {
  if (typeof value === 'string') return printableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(printed);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [printableText(name), printed(own)]));
}

/** A document that is as plain as its JSON, with every text and name in it fit for a terminal. */
export const printable = <T>(document: T): T => printed(document) as T;
