/** Which variables around a launch count, by what the launch is. */
import { describe, expect, it } from 'vitest';
import { stacks } from '../../src/stacks/index.js';
import { readVariables } from '../../src/stacks/read-variables.js';
import { matmulCase } from '../support/batch.js';

const OF_GPUS = { CUDA_VISIBLE_DEVICES: '0', CUBLAS_WORKSPACE_CONFIG: ':16:8', NVIDIA_TF32_OVERRIDE: '0' };
const OF_RANKS = {
  GLOO_SOCKET_IFNAME: 'eth0',
  NCCL_ALGO: 'Ring',
  OMPI_MCA_btl_base_verbose: '1',
  UCX_LOG_LEVEL: 'info',
};
const OF_ALL = { LD_LIBRARY_PATH: '/lib', MALLOC_ARENA_MAX: '1', OMP_WAIT_POLICY: 'passive' };
const ALL = { ...OF_GPUS, ...OF_RANKS, ...OF_ALL };

const readBy = (
  provider: string,
  { device = 'cpu', transport = '', variables = ALL as Readonly<Record<string, string>> } = {},
) =>
  readVariables(
    {
      case:
        transport === ''
          ? matmulCase()
          : { indicator: 'collective', parameters: { operation: 'all-reduce', transport } },
      stack: { provider, variant: null },
      device,
    },
    variables,
  );

describe('variables that count for a launch', () => {
  it.each([
    'embedded',
    'openblas',
    'blis',
    'mkl',
    'onednn',
    'libxsmm',
  ])('of %s on the CPU are none of GPUs and of ranks', (provider) => {
    expect(readBy(provider)).toEqual(OF_ALL);
  });

  it.each(['embedded', 'cublas', 'cublaslt'])('of %s on a GPU are none of ranks', (provider) => {
    expect(readBy(provider, { device: 'cuda:0' })).toEqual({ ...OF_GPUS, ...OF_ALL });
  });

  it('are all where nobody knows what is loaded: any library with CBLAS, a framework, what carries data between ranks', () => {
    for (const provider of ['cblas', 'tfjs', 'onnxruntime', 'nccl', 'gloo'])
      expect(readBy(provider)).toEqual(ALL);
    expect(readBy('a stack that comes later')).toEqual(ALL);
    expect(readBy('embedded', { transport: 'shm' })).toEqual(OF_ALL);
    for (const transport of ['mpi', 'nccl', 'gloo']) expect(readBy('embedded', { transport })).toEqual(ALL);
  });

  it('are all where something is loaded before all else, which may call anything', () => {
    const preloaded = { ...ALL, LD_PRELOAD: '/lib/libnvblas.so' };
    expect(readBy('openblas', { variables: preloaded })).toEqual(preloaded);
  });

  it('are none that the loader takes for not set', () => {
    const empty = { LD_LIBRARY_PATH: '', LD_PRELOAD: '', LD_AUDIT: '', LD_BIND_NOW: '' };
    for (const { provider } of stacks)
      expect(readBy(provider, { variables: { ...empty, OMP_PLACES: '' } })).toEqual({ OMP_PLACES: '' });
  });
});
