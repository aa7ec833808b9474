/** Where a report goes: a file, a folder or stdout. Files are whole or absent. */
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { messageOf, UserError } from '../errors.js';
import { destinationOf, temporaryOf } from '../store/atomic.js';
import { isFolder, makeFolder } from '../store/make-folder.js';
import type { Format, OutputFile, Request } from './formats/format.js';

export type Place =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string };

/**
 * @param out what --out says; null: not given
 * @param campaign folder of the record
 * @throws UserError where several files would have to go to a file
 */
export function placeOf(format: Format, out: string | null, campaign: string): Place {
  if (out === null) {
    if (format.kind === 'text') return { kind: 'stdout' };
    return { kind: format.kind, path: join(campaign, format.place) };
  }
  const path = resolve(out);
  if (format.kind === 'folder') {
    if (existsSync(path) && !isFolder(path)) {
      throw new UserError(
        `--format ${format.name} writes several files: --out takes a folder, and ${out} is a file`,
      );
    }
    return { kind: 'folder', path };
  }
  // What is there and is no folder is written into, whatever it is called: a file without an ending, a pipe, /dev/stdout.
  const folder = isFolder(path) || out.endsWith('/') || (extname(path) === '' && !existsSync(path));
  return { kind: folder ? 'folder' : 'file', path };
}

/** A file is under another name until it is whole. @returns its bytes */
async function writeFile(named: string, text: OutputFile['text']): Promise<number> {
  const { path, isFile } = destinationOf(named);
  const temporary = isFile ? temporaryOf(path) : null;
  try {
    makeFolder(dirname(path));
    const file = await (temporary === null ? open(path, 'w') : open(temporary, 'wx'));
    let bytes = 0;
    try {
      const pieces = typeof text === 'string' ? [text] : text;
      for await (const piece of pieces) {
        await file.writeFile(piece);
        bytes += Buffer.byteLength(piece);
      }
    } finally {
      await file.close();
    }
    if (temporary !== null) await rename(temporary, path);
    return bytes;
  } catch (error) {
    if (temporary !== null) await rm(temporary, { force: true }).catch(() => {});
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new UserError(`cannot write ${named}: ${messageOf(error)}; --out takes another place`);
  }
}

export interface Written {
  readonly path: string;
  readonly bytes: number;
}

/** @returns what was written, in order; nothing for stdout. @throws UserError for a place that cannot be written */
export async function writeReport(
  format: Format,
  request: Request,
  place: Place,
): Promise<readonly Written[]> {
  if (place.kind !== 'folder') {
    if (format.text === null) throw new Error(`${format.name} has no single text`);
    const text = format.text(request);
    if (place.kind === 'file') return [{ path: place.path, bytes: await writeFile(place.path, text) }];
    for await (const piece of text) if (!(await print(piece))) break;
    return [];
  }
  const written: Written[] = [];
  for await (const { name, text } of format.files(request)) {
    const path = join(place.path, name);
    written.push({ path, bytes: await writeFile(path, text) });
  }
  return written;
}

/**
 * Waits while the reader is slower than we are: six million lines do not belong in memory.
 * @returns whether to go on: that stdout cannot be written, main says
 */
function print(piece: string): Promise<boolean> {
  return new Promise((done) => {
    process.stdout.write(piece, (error) => done(error == null));
  });
}
