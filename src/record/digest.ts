/** Fingerprints of documents: whether a record, or a file that it names, is still as it was written. */
import { createHash } from 'node:crypto';

export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

/** JSON with the keys of every object in order, so that equal documents have equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Of a document without its own `digest` field. */
export function digestOf(document: Readonly<Record<string, unknown>>): string {
  const { digest: _, ...rest } = document;
  return sha256(canonicalJson(rest));
}
