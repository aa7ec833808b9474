/** /proc/cpuinfo of several architectures. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCpuinfo, relevantFeatures } from '../../src/machine/cpuinfo.js';
import { graviton } from './fixtures/graviton.js';
import { intelServer } from './fixtures/intel-server.js';

describe('cpuinfo', () => {
  it('tells model, sockets, cores and threads of a two-socket x86 server', () => {
    expect(parseCpuinfo(intelServer['/proc/cpuinfo'] ?? '')).toMatchObject({
      vendor: 'GenuineIntel',
      modelName: 'Intel(R) Xeon(R) Platinum 8358 CPU @ 2.60GHz',
      family: 6,
      model: 106,
      stepping: 6,
      microcode: '0xd0003d1',
      arm: null,
      sockets: 2,
      cores: 4,
      threads: 8,
    });
  });

  it('names an arm64 core by its implementer and part', () => {
    expect(parseCpuinfo(graviton['/proc/cpuinfo'] ?? '')).toMatchObject({
      vendor: 'ARM',
      modelName: 'Neoverse-V1',
      family: null,
      arm: { implementer: '0x41', part: '0xd40', variant: '0x1', revision: '1' },
      threads: 4,
      cores: null,
    });
  });

  it('names arm64 cores of several kinds in their order, one without a name by its part', () => {
    const cpu = (number: number, part: string): string =>
      `processor : ${number}\nCPU implementer : 0x41\nCPU part : ${part}\n\n`;
    const text = `${cpu(0, '0xd05')}${cpu(1, '0xd05')}${cpu(2, '0xd0b')}${cpu(3, '0x123')}`;
    expect(parseCpuinfo(text)?.modelName).toBe('Cortex-A55 + Cortex-A76 + part 0x123');
  });

  it('keeps the numbers of an unknown arm64 core and invents no name', () => {
    const cpu = parseCpuinfo('processor : 0\nCPU implementer : 0x99\nCPU part : 0x123\n');
    expect(parseCpuinfo('processor : 0\nCPU implementer : constructor\nCPU part : 1\n')?.vendor).toBeNull();
    expect(cpu).toMatchObject({ vendor: null, modelName: null, arm: { implementer: '0x99', part: '0x123' } });
  });

  it('keeps instruction sets and drops what is not one, by architecture', () => {
    expect(relevantFeatures(['fpu', 'sme', 'smep', 'avx2', 'amx_bf16', 'hypervisor'])).toEqual([
      'amx_bf16',
      'avx2',
    ]);
    expect(relevantFeatures(['fp', 'sme', 'sve2', 'bf16', 'dgh'])).toEqual(['bf16', 'fp', 'sme', 'sve2']);
  });

  it('is null without a CPU, and never throws on any text', () => {
    expect(parseCpuinfo('')).toBeNull();
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseCpuinfo(text)).toBeNull();
        expect(parseCpuinfo(`processor : 0\n${text}`)?.threads).toBeGreaterThan(0);
      }),
      { examples: [['flags'], [':::']] },
    );
  });
});
