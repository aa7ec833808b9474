/** The few facts of a shared library's file that say what it is: the machine it was built for, its name. Pure. */

export interface SharedObject {
  /** As `process.arch` has it, or the number in the file. */
  readonly machine: string;
  /** The name it gives itself; null: none. */
  readonly soname: string | null;
}

const MAGIC = 0x7f454c46;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
const SECTION_DYNAMIC = 6;
const TAG_SONAME = 14;
const ENTRY = 16;
const MACHINES: Readonly<Record<number, string>> = {
  3: 'ia32',
  40: 'arm',
  62: 'x64',
  183: 'arm64',
  21: 'ppc64',
  22: 's390x',
  243: 'riscv64',
};

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

/** null for what lies beyond the file: a truncated one is no library. */
const number = (file: Buffer, at: number): number | null =>
  at < 0 || at + 8 > file.length ? null : Number(file.readBigUInt64LE(at));

function sectionsOf(file: Buffer): readonly Section[] {
  const start = number(file, 40) ?? 0;
  const size = file.readUInt16LE(58);
  const count = file.readUInt16LE(60);
  return Array.from({ length: count }, (_, i) => start + i * size).flatMap((at) => {
    if (size < 64 || at + size > file.length) return [];
    const [offset, bytes] = [number(file, at + 24), number(file, at + 32)];
    if (offset === null || bytes === null) return [];
    return { type: file.readUInt32LE(at + 4), offset, size: bytes, link: file.readUInt32LE(at + 40) };
  });
}

function sonameOf(file: Buffer): string | null {
  const sections = sectionsOf(file);
  const dynamic = sections.find(({ type }) => type === SECTION_DYNAMIC);
  const strings = dynamic === undefined ? undefined : sections[dynamic.link];
  if (dynamic === undefined || strings === undefined) return null;
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += ENTRY) {
    const [tag, value] = [number(file, at), number(file, at + 8)];
    if (tag === null || value === null) return null;
    if (tag !== TAG_SONAME) continue;
    const begin = strings.offset + value;
    const end = file.indexOf(0, begin);
    return end < begin ? null : file.toString('utf8', begin, end);
  }
  return null;
}

/**
 * @param file the whole of it; ELF of 64 bits, lowest byte first, as System V's gABI describes it
 * @returns null for what is no such file
 */
export function readSharedObject(file: Buffer): SharedObject | null {
  if (file.length < 64 || file.readUInt32BE(0) !== MAGIC) return null;
  if (file[4] !== CLASS_64 || file[5] !== LITTLE_ENDIAN) return null;
  const machine = file.readUInt16LE(18);
  return { machine: MACHINES[machine] ?? String(machine), soname: sonameOf(file) };
}
