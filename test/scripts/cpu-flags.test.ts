import { describe, expect, it } from 'vitest';
import { runsHere } from '../../scripts/lib/cpu-flags.mjs';

const ZEN_3 = new Set(['avx2', 'fma']);
const source = (...flags: readonly string[]) => ({ flags: ['-O3', '-fPIC', ...flags] });

describe('what a CPU can execute of what is compiled', () => {
  it('is what needs nothing that it lacks, whatever it is tuned for', () => {
    expect(runsHere(source(), ZEN_3)).toBe(true);
    expect(
      runsHere(source('-mavx2', '-mfma', '-mtune=icelake-server', '-march=armv8.2-a+dotprod'), ZEN_3),
    ).toBe(true);
    expect(runsHere(source('-mfma', '-mavx512f'), ZEN_3)).toBe(false);
  });

  it('knows sets that Linux and the compiler write differently', () => {
    const flags = source('-mavx512bf16', '-mamx-tile', '-mamx-int8');
    expect(runsHere(flags, new Set(['avx512bf16', 'amxtile', 'amxint8']))).toBe(true);
    expect(runsHere(flags, new Set(['avx512bf16', 'amxtile']))).toBe(false);
  });

  it('is all of it where nothing says what the CPU has', () => {
    expect(runsHere(source('-mavx512f'), null)).toBe(true);
  });
});
