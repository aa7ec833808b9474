/** What stacks are called beside each other: two that are told apart never share a name. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRecords } from '../../src/readers/comparison/comparison.js';
import { stackKey, stackNames } from '../../src/readers/comparison/sides.js';
import type { RecordBatch } from '../../src/record/schema.js';
import { ownIdentity } from '../support/own-stacks.js';
import { aboutSeconds, recordOf } from '../support/records.js';

type Stack = RecordBatch['stack'];

const BLIS: Stack = {
  ...{ provider: 'blis', variant: null, implementation: null, version: '1', file: 'libblis.so' },
  sha256: 'a'.repeat(64),
};
const mpi = (digit: string): NonNullable<Stack['mpi']> => ({
  ...{ version: 'MPICH Version:\t4.0.2\nMPICH Release date:\tThu', path: '/usr/lib/libmpi.so' },
  sha256: digit.repeat(64),
});

/** What may tell stacks apart whose file is the same. */
const MORE: readonly Partial<Stack>[] = [
  {},
  { mpi: mpi('1') },
  { mpi: mpi('2') },
  { packages: { core: '1' } },
  { packages: { core: '2' } },
  { own: ownIdentity('mine') },
  { own: ownIdentity('mine', { CORE: 'x' }) },
  { own: { ...ownIdentity('mine'), lock: null } },
  { own: ownIdentity('blis 1') },
];

const namesOf = (...stacks: readonly Stack[]): readonly string[] => [...stackNames(stacks).values()];

describe('the names of stacks', () => {
  it('have the variables in which two of one name differ', () => {
    const own = (value: string | null): Stack => ({
      ...BLIS,
      own: ownIdentity('mine', { BLIS_ARCH: value }),
    });
    const bare: Stack = { ...BLIS, own: ownIdentity('mine') };
    expect(namesOf(own('skx'), own(null), bare)).toEqual([
      'mine 1 cccccccccccc BLIS_ARCH=skx',
      'mine 1 cccccccccccc without BLIS_ARCH',
      'mine 1 cccccccccccc',
    ]);
  });

  it('have the MPI library where that is what differs', () => {
    const over = (digit: string): Stack => ({ ...BLIS, provider: 'embedded', mpi: mpi(digit) });
    expect(namesOf(over('1'), over('2'))).toEqual([
      'embedded 1 aaaaaaaaaaaa MPICH Version: 4.0.2 111111111111',
      'embedded 1 aaaaaaaaaaaa MPICH Version: 4.0.2 222222222222',
    ]);
  });

  it('make two sides of two environments of one stack, measured one after the other', () => {
    const named = ['Haswell', 'Zen'].map((value, i) => ({
      record: recordOf({
        id: `campaign-${i}`,
        batches: [
          { stack: { ...BLIS, own: ownIdentity('mine', { CORE: value }) }, launches: aboutSeconds(1 + i) },
        ],
      }),
      name: value,
    }));
    const asked = { by: 'stack', reference: null, margin: null, across: [], force: false };
    const { sides, answer } = compareRecords(named, asked);
    expect([sides.length, answer]).toEqual([2, 'slower']);
  });

  it('are as many as there are stacks, whatever these differ in', () => {
    const stack: fc.Arbitrary<Stack> = fc
      .record({
        known: fc.record({
          provider: fc.constantFrom('mine', 'blis'),
          variant: fc.constantFrom(null, 'blis'),
          version: fc.constantFrom(null, '1', 'BLIS 1.0 OPENMP', 'BLIS 1.0 PTHREAD'),
          sha256: fc.constantFrom(null, 'a'.repeat(64), 'b'.repeat(64)),
        }),
        more: fc.constantFrom(...MORE),
      })
      .map(({ known, more }) => ({ ...BLIS, ...known, ...more }));
    fc.assert(
      fc.property(fc.array(stack, { maxLength: 12 }), (stacks) => {
        const names = stackNames(stacks);
        expect([...names.keys()]).toEqual([...new Set(stacks.map(stackKey))]);
        expect(new Set(names.values()).size).toBe(names.size);
      }),
    );
  });
});
