/** One-dimensional arrays in NumPy's format (NEP 1, version 1.0), little-endian: what almost every tool of the field opens. */

const MAGIC = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
const ALIGN = 64;

export type NpyArray = Uint8Array | Uint32Array | BigUint64Array;
/** `|b1`: truth values, a byte each. */
export type NpyType = '|b1' | '<u4' | '<u8';

/** The typed array's own bytes: pi-bench runs on little-endian machines only. */
export function toNpy(type: NpyType, array: NpyArray): Buffer {
  const head = `{'descr': '${type}', 'fortran_order': False, 'shape': (${array.length},), }`;
  const unpadded = MAGIC.length + 2 + head.length + 1;
  const padded = `${head}${' '.repeat((ALIGN - (unpadded % ALIGN)) % ALIGN)}\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(padded.length);
  const data = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return Buffer.concat([MAGIC, length, Buffer.from(padded, 'ascii'), data]);
}

/**
 * The numbers of an array that `toNpy` wrote; integers above 2^53 lose their last bits.
 * @throws Error when it is something else or cut off
 */
export function fromNpy(bytes: Buffer): Float64Array {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('no NumPy array');
  const begin = MAGIC.length + 2 + bytes.readUInt16LE(MAGIC.length);
  const head = bytes.toString('ascii', MAGIC.length + 2, begin);
  const [, type, length] = /'descr': '([^']+)'.*'shape': \((\d+),\)/.exec(head) ?? [];
  const n = Number(length);
  const width = Number(type?.at(-1));
  if (bytes.length !== begin + n * width) throw new Error('a NumPy array that is cut off');
  // Copied, so that it lies where an array of its width may begin.
  const data = new Uint8Array(bytes.subarray(begin)).buffer;
  switch (type) {
    case '|b1':
      return new Float64Array(new Uint8Array(data));
    case '<u4':
      return new Float64Array(new Uint32Array(data));
    case '<u8': {
      const halves = new Uint32Array(data);
      return Float64Array.from(
        { length: n },
        (_, i) => (halves[2 * i + 1] ?? 0) * 2 ** 32 + (halves[2 * i] ?? 0),
      );
    }
    default:
      throw new Error(`a NumPy array of ${type}`);
  }
}
