import { describe, expect, it } from 'vitest';
import { renderMemory } from '../../src/readers/terminal/memory.js';
import { terminalStyle } from '../../src/readers/terminal/style.js';
import { shortText } from '../../src/readers/terminal/working-sets.js';
import type { PiBenchRecord } from '../../src/record/schema.js';
import { batchOf } from '../support/batch.js';
import { cache, machineOf } from '../support/machine.js';

const MIB = 2 ** 20;

/** With so much memory free, and 384 MiB of last cache or what else is said of the CPU. */
function machineWith(available: number, cpu: object = {}) {
  const bare = machineOf();
  return {
    ...bare,
    cpu: { ...bare.cpu, caches: [cache(3, 384 * MIB, 2, 1)], ...cpu },
    memory: { ...bare.memory, available },
  };
}

function shown(available: number, sizes: readonly number[], cpu: object = {}): string {
  const machine = machineWith(available, cpu);
  const batches = sizes.map((bytes) =>
    batchOf(
      {
        indicator: 'memory',
        parameters: { operation: 'read', stores: 'none', bytes, threads: 2, pin: true },
      },
      [{ seconds: 1e-3 }],
    ),
  );
  const record = { batches, kpis: [], machine } as unknown as PiBenchRecord;
  return renderMemory(record, terminalStyle({ isTTY: false })).replaceAll(/\s+/g, ' ');
}

describe('the table of memory', () => {
  it('says where free memory allowed no size past the caches', () => {
    expect(shown(1000 * MIB, [MIB, 256 * MIB])).toContain(
      '256 MiB is 0.67 times the last caches (384 MiB together): memory was not reached; half of the free memory allowed no more',
    );
    expect(shown(1000 * MIB, [256 * MIB, 512 * MIB])).toContain(
      '512 MiB is 1.3 times the last caches (384 MiB together): a part of it is read from caches',
    );
  });

  it('says so, too, where threads that load the memory meanwhile left no more', () => {
    const batches = [MIB, 256 * MIB].map((bytes) =>
      batchOf(
        {
          indicator: 'latency',
          parameters: {
            order: 'random',
            bytes,
            stride: 64,
            threads: 1,
            pin: true,
            load: 3,
            loadBytes: 1024 * MIB,
          },
        },
        [{ seconds: 1e-3 }],
      ),
    );
    const short = (free: number) =>
      shortText({ batches, machine: machineWith(free) as unknown as PiBenchRecord['machine'] }).join(' ');
    expect(short(512 * MIB + 3 * 1026 * MIB)).toContain('half of the free memory allowed no more');
    expect(short(2 * 512 * MIB + 3 * 1026 * MIB)).toBe('');
  });

  it('says what it rests on where the system lists no caches', () => {
    const hidden = { caches: [], cachesFrom: null, threads: 16 };
    expect(shown(16384 * MIB, [MIB, 512 * MIB], hidden)).toContain(
      'the system lists no caches: that 512 MiB is past all caches rests on 64.0 MiB of them, 32 MiB for each eight CPUs',
    );
  });

  it('says where a size is short of the caches that it assumes, and not that it is past them', () => {
    const hidden = { caches: [], cachesFrom: null, threads: 64 };
    for (const [free, size, times] of [
      [512, 256, '1.0'],
      [256, 128, '0.50'],
    ] as const) {
      const text = shown(free * MIB, [MIB, size * MIB], hidden);
      expect(text).toContain(
        `${size} MiB is ${times} times the last caches as assumed (256 MiB, 32 MiB for each eight CPUs, as the system lists none): if so, memory was not reached; half of the free memory allowed no more`,
      );
      expect(text).not.toContain('is past');
    }
  });

  it('says nothing of intervals where every launch failed', () => {
    const failed = batchOf(
      {
        indicator: 'memory',
        parameters: { operation: 'read', stores: 'none', bytes: MIB, threads: 2, pin: true },
      },
      [{ seconds: 1e-3, status: 'timed-out' }],
    );
    const record = { batches: [failed, failed], kpis: [], machine: machineOf() } as unknown as PiBenchRecord;
    expect(renderMemory(record, terminalStyle({ isTTY: false }))).not.toContain('no intervals');
    expect(shown(16384 * MIB, [MIB, 2 * MIB])).toContain('no intervals');
  });

  it('says nothing of it where memory is reached, or somebody chose the sizes', () => {
    for (const text of [shown(16384 * MIB, [MIB, 2048 * MIB]), shown(16384 * MIB, [MIB, 256 * MIB])])
      expect(text).not.toContain('last caches');
  });

  it('says that the order of streaming was chosen, also where one instruction set was', () => {
    const batch = (implementation: string) => ({
      ...batchOf(
        {
          indicator: 'memory',
          parameters: { operation: 'copy', stores: 'streaming', bytes: MIB, threads: 2, pin: true },
        },
        [{ seconds: 1e-3 }],
      ),
      stack: { provider: 'embedded', variant: null, implementation },
    });
    const text = (...implementations: string[]) => {
      const record = { batches: implementations.map(batch), kpis: [], machine: machineOf() };
      return renderMemory(record as unknown as PiBenchRecord, terminalStyle({ isTTY: false })).replaceAll(
        /\s+/g,
        ' ',
      );
    };
    expect(text('avx512', 'avx512, chose paged streaming stores')).toContain('for streaming the order');
    expect(text('avx512', 'avx512')).not.toContain('for streaming the order');
  });

  it('counts write-allocate as what it adds at most', () => {
    expect(shown(16384 * MIB, [MIB, 2 * MIB])).toContain(
      'past the caches it adds up to 1/1 to write, 1/2 to copy and scale, 1/3 to add and triad, unless the CPU avoids it',
    );
  });
});
