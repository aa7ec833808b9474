/** The kernel's list format. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCpuList, parseCpuList } from '../../src/machine/linux/cpu-list.js';

describe('CPU lists', () => {
  it('reads ranges and single CPUs', () => {
    expect(parseCpuList('0-3,8,10-11\n')).toEqual([0, 1, 2, 3, 8, 10, 11]);
  });

  it('reads an empty list as no CPU, and other text as unknown', () => {
    expect(parseCpuList('\n')).toEqual([]);
    expect(parseCpuList('3-1')).toBeNull();
    expect(parseCpuList('0-99999')).toBeNull();
    expect(parseCpuList('0xff')).toBeNull();
    expect(parseCpuList(null)).toBeNull();
  });

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(400)), (cpus) => {
        const sorted = cpus.toSorted((a, b) => a - b);
        expect(parseCpuList(formatCpuList(sorted))).toEqual(sorted);
      }),
    );
  });

  it('never throws on any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const cpus = parseCpuList(text);
        expect(cpus === null || cpus.every(Number.isInteger)).toBe(true);
      }),
    );
  });
});
