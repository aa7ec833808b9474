/** Energy counters that start again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { energy, energyBetween } from '../../src/telemetry/energy.js';
import type { Snapshot } from '../../src/telemetry/types.js';

const RANGE = 262_143_328_850;
const PACKAGE = '/sys/class/powercap/intel-rapl:0';
const DRAM = `${PACKAGE}/intel-rapl:0:0`;

function snapshot(
  at: number,
  counts: { readonly pkg: string | null; readonly dram: string | null },
): Snapshot {
  return {
    at,
    files: {
      [`${PACKAGE}/name`]: 'package-0\n',
      [`${PACKAGE}/energy_uj`]: counts.pkg,
      [`${PACKAGE}/max_energy_range_uj`]: `${RANGE}\n`,
      [`${DRAM}/name`]: 'dram\n',
      [`${DRAM}/energy_uj`]: counts.dram,
      [`${DRAM}/max_energy_range_uj`]: '65712999613\n',
    },
  };
}

describe('energy', () => {
  it('is the growth of each counter, parts named after their package', () => {
    const before = snapshot(10, { pkg: '5000000\n', dram: '1000000\n' });
    const after = snapshot(12, { pkg: '305000000\n', dram: '21000000\n' });
    expect(energy(before, after)).toEqual({
      domains: [
        { domain: 'package-0', joules: 300 },
        { domain: 'package-0/dram', joules: 20 },
      ],
      missing: [],
    });
  });

  it('goes on when the counter starts again within the window', () => {
    expect(energyBetween(RANGE - 1_000_000, 2_000_000, RANGE, 2)).toBeCloseTo(3, 9);
  });

  it('is the same wherever in its range the counter starts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: RANGE - 1 }), fc.integer({ min: 0, max: 1e9 }), (start, used) => {
        const end = (start + used) % RANGE;
        expect(energyBetween(start, end, RANGE, 1)).toBeCloseTo(used / 1e6, 6);
      }),
    );
  });

  it('is unknown when the counter may have started again more than once', () => {
    expect(energyBetween(5, 10, RANGE, 3600)).toBeNull();
    expect(energyBetween(10, 5, null, 1)).toBeNull();
  });

  it('is named as missing where only root may read the counter', () => {
    const before = snapshot(10, { pkg: null, dram: '0' });
    const after = snapshot(12, { pkg: null, dram: '1000000' });
    expect(energy(before, after)).toEqual({
      domains: [{ domain: 'package-0/dram', joules: 1 }],
      missing: [{ what: 'energy of package-0', why: 'the counter may be read by root only' }],
    });
  });

  it('is named as missing where there is no counter', () => {
    expect(energy({ at: 0, files: {} }, { at: 1, files: {} }).missing).toHaveLength(1);
  });
});
