import { describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { embedded } from '../../src/stacks/embedded.js';

const { here, elsewhere } = embedded.variants();

describe('the embedded stack', () => {
  it('names every instruction set that it was built with, and each once', () => {
    const named = [...here, ...elsewhere];
    expect(named).toEqual(
      expect.arrayContaining(
        native()
          .kernels()
          .map(({ isa }) => isa),
      ),
    );
    expect(new Set(named).size).toBe(named.length);
  });

  it('knows the instruction sets of other machines', () => {
    const foreign = process.arch === 'arm64' ? ['avx2', 'avx512_vnni'] : ['neon', 'neon_i8mm'];
    for (const isa of foreign) {
      expect(elsewhere).toContain(isa);
      expect(() => embedded.check(isa, 'matmul', 'float32', {}, 'cpu')).toThrow(/does not run on this CPU/);
    }
  });

  it('says which instruction sets have a kernel for a type', () => {
    expect(() => embedded.check('portable', 'matmul', 'float32', {}, 'cpu')).not.toThrow();
    expect(() => embedded.check('portable', 'matmul', 'float16', {}, 'cpu')).toThrow(
      /has no kernel for float16/,
    );
  });

  it('has no instruction set for what is the same for all', () => {
    expect(() => embedded.check(null, 'latency', 'none', {}, 'cpu')).not.toThrow();
    expect(() => embedded.check('portable', 'latency', 'none', {}, 'cpu')).toThrow(
      /latency is the same for every instruction set: ask for --stack embedded/,
    );
  });
});
