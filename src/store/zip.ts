/**
 * A zip archive of a few files in memory, deflated. The worker writes one with every launch, so it is made with what Node
 * has: a library would have to be loaded, and its deflate is slower. No encryption, no zip64: up to 4 GiB.
 */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const VERSION = 20;
const DEFLATED = 8;
/** 1 January 1980, the earliest there is: the same content gives the same archive. */
const DATE = (1 << 5) | 1;
/** Samples vary in their low bytes: more effort takes several times as long and gains nothing. */
const EFFORT = 1;

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** What local header and directory have in common, from the version needed to the length of the extra field. */
function common(name: Buffer, { bytes }: ZipEntry, packed: Buffer): Buffer {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(VERSION, 0);
  head.writeUInt16LE(DEFLATED, 4);
  head.writeUInt16LE(DATE, 8);
  head.writeUInt32LE(crc32(bytes), 10);
  head.writeUInt32LE(packed.length, 14);
  head.writeUInt32LE(bytes.length, 18);
  head.writeUInt16LE(name.length, 22);
  return head;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** @param entries their names in ASCII, each once */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name, 'ascii');
    const packed = deflateRawSync(entry.bytes, { level: EFFORT });
    const head = common(name, entry, packed);
    const local = Buffer.concat([word(LOCAL), head, name, packed]);
    const version = Buffer.from([VERSION, 0]);
    // No comment, first disk, no attributes.
    directory.push(word(CENTRAL), version, head, Buffer.alloc(10), word(at), name);
    files.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, central, end]);
}

function unpack(archive: Buffer, at: number): { entry: ZipEntry; next: number } {
  if (archive.readUInt32LE(at) !== CENTRAL) throw new Error('a damaged directory');
  const [method, checksum] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 16)];
  const [packed, size] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 24)];
  const lengths = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
  const [nameLength = 0] = lengths;
  const local = archive.readUInt32LE(at + 42);
  const name = archive.toString('ascii', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength);
  const begin = local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const data = archive.subarray(begin, begin + packed);
  const bytes = method === DEFLATED ? inflateRawSync(data) : data;
  if (bytes.length !== size || crc32(bytes) !== checksum) throw new Error(`${name} is damaged`);
  return { entry: { name, bytes }, next: at + CENTRAL_BYTES + lengths.reduce((sum, one) => sum + one, 0) };
}

/**
 * The files of an archive that `zip` or any common tool made, without a comment at its end.
 * @throws Error when it is cut off or altered
 */
export function unzip(archive: Buffer): readonly ZipEntry[] {
  const end = archive.length - END_BYTES;
  if (end < 0 || archive.readUInt32LE(end) !== END) throw new Error('no zip archive, or one that is cut off');
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const { entry, next } = unpack(archive, at);
    entries.push(entry);
    at = next;
  }
  return entries;
}
