import { describe, expect, it } from 'vitest';
import { gpuEnvironment } from '../../src/frameworks/gpu-environment.js';

describe('a launch whose framework computes on a GPU', () => {
  it.each([
    ['the one of that number', 2, undefined, '2'],
    ['the entry of that number, where only some are shown', 1, '3, 5', '5'],
    ['an entry that is no number', 1, '0,GPU-8f2a', 'GPU-8f2a'],
  ])('sees %s and no other', (_, ordinal, shown, seen) => {
    expect(gpuEnvironment(ordinal, shown).CUDA_VISIBLE_DEVICES).toBe(seen);
  });

  it('has float32 as float32', () => {
    expect(gpuEnvironment(0, undefined).NVIDIA_TF32_OVERRIDE).toBe('0');
  });
});
