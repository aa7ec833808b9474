import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSharedObject } from '../../src/stacks/elf.js';

const SECTION = 64;

/** The smallest file that names itself: a header, a string table, a dynamic section, two section headers. */
function sharedObject(soname: string, machine = 62): Buffer {
  const strings = Buffer.from(`\0${soname}\0`);
  const dynamicAt = 64 + strings.length;
  const sectionsAt = dynamicAt + 32;
  const file = Buffer.alloc(sectionsAt + 2 * SECTION);
  file.writeUInt32BE(0x7f454c46, 0);
  file[4] = 2;
  file[5] = 1;
  file.writeUInt16LE(machine, 18);
  file.writeBigUInt64LE(BigInt(sectionsAt), 40);
  file.writeUInt16LE(SECTION, 58);
  file.writeUInt16LE(2, 60);
  strings.copy(file, 64);
  file.writeBigUInt64LE(14n, dynamicAt);
  file.writeBigUInt64LE(1n, dynamicAt + 8);
  const section = (at: number, type: number, offset: number, size: number, link: number): void => {
    file.writeUInt32LE(type, at + 4);
    file.writeBigUInt64LE(BigInt(offset), at + 24);
    file.writeBigUInt64LE(BigInt(size), at + 32);
    file.writeUInt32LE(link, at + 40);
  };
  section(sectionsAt, 3, 64, strings.length, 0);
  section(sectionsAt + SECTION, 6, dynamicAt, 32, 0);
  return file;
}

describe('a shared library’s file', () => {
  it('says its name and the machine it is for', () => {
    expect(readSharedObject(sharedObject('libblis.so.4'))).toEqual({
      machine: 'x64',
      soname: 'libblis.so.4',
    });
    expect(readSharedObject(sharedObject('libblis.so.4', 183))?.machine).toBe('arm64');
  });

  it('is none where it does not begin as one', () => {
    expect(readSharedObject(Buffer.from('#!/bin/sh\n'.padEnd(200)))).toBeNull();
    expect(readSharedObject(Buffer.alloc(0))).toBeNull();
  });

  it('may be damaged anywhere without harm', () => {
    const whole = sharedObject('libdamaged.so.1');
    fc.assert(
      fc.property(
        fc.nat(whole.length),
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 }),
        (length, damage) => {
          const file = Buffer.from(whole);
          for (const [at, byte] of damage) file[at] = byte;
          const read = readSharedObject(file.subarray(0, length));
          return read === null || typeof read.machine === 'string';
        },
      ),
    );
  });
});
