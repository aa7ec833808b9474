import { describe, expect, it } from 'vitest';
import { changedEnvironment, relevantEnvironment } from '../../src/stacks/environment.js';
import { findStack, stacks } from '../../src/stacks/index.js';

const environmentOf = (provider: string, threads: number, from: NodeJS.ProcessEnv) =>
  changedEnvironment(from, findStack(provider).environment(threads));

describe('the environment of a launch', () => {
  it('never has OpenMP bind threads, whatever the shell says: it would bind all of them to one CPU', () => {
    const shell = { OMP_PROC_BIND: 'true', OMP_PLACES: 'cores', GOMP_CPU_AFFINITY: '0', PATH: '/bin' };
    for (const { provider, library } of stacks) {
      const environment = environmentOf(provider, 2, shell);
      expect(environment.PATH).toBe('/bin');
      // A GPU's library computes with no threads of the CPU.
      if (library === null || library.device === 'gpu') continue;
      for (const name of ['OMP_PROC_BIND', 'OMP_PLACES', 'GOMP_CPU_AFFINITY'])
        expect(environment).not.toHaveProperty(name);
    }
  });

  it('tells every runtime the number of threads before it is loaded', () => {
    expect(environmentOf('openblas', 3, {})).toMatchObject({
      OMP_NUM_THREADS: '3',
      OPENBLAS_NUM_THREADS: '3',
    });
    expect(environmentOf('blis', 3, { BLIS_JC_NT: '2' })).toMatchObject({ BLIS_NUM_THREADS: '3' });
    expect(environmentOf('blis', 3, { BLIS_JC_NT: '2' })).not.toHaveProperty('BLIS_JC_NT');
    expect(environmentOf('mkl', 1, {}).MKL_THREADING_LAYER).toBe('SEQUENTIAL');
    expect(environmentOf('mkl', 2, {}).MKL_THREADING_LAYER).toBe('GNU');
  });

  it('of cuBLAS overrules no data type, whatever the shell says', () => {
    const shell = {
      NVIDIA_TF32_OVERRIDE: '0',
      CUBLAS_EMULATE_SINGLE_PRECISION: '1',
      CUBLAS_EMULATE_DOUBLE_PRECISION: '1',
      CUBLAS_WORKSPACE_CONFIG: ':4096:8',
    };
    for (const provider of ['cublas', 'cublaslt'])
      expect(environmentOf(provider, 1, shell)).toEqual({ CUBLAS_WORKSPACE_CONFIG: ':4096:8' });
  });

  it('leaves the choice of code to the user', () => {
    const shell = { BLIS_ARCH_TYPE: '0', OPENBLAS_CORETYPE: 'Haswell' };
    expect(environmentOf('blis', 1, shell)).toMatchObject(shell);
    expect(environmentOf('openblas', 1, shell)).toMatchObject(shell);
  });

  it('is left alone for our own kernels', () => {
    const shell = { OMP_NUM_THREADS: '7', HOME: '/root' };
    expect(environmentOf('embedded', 2, shell)).toEqual(shell);
  });

  it('is recorded where a library may have read it, and nowhere else', () => {
    const shell = { BLIS_ARCH_TYPE: '0', SECRET: 'x', OMP_WAIT_POLICY: 'passive', XOMP_A: '1' };
    expect(relevantEnvironment(shell)).toEqual({ BLIS_ARCH_TYPE: '0', OMP_WAIT_POLICY: 'passive' });
    // Which GPU is seen, and whether float32 may be rounded.
    const gpu = { CUDA_VISIBLE_DEVICES: '1', NVIDIA_TF32_OVERRIDE: '0' };
    expect(relevantEnvironment({ ...gpu, CUDA_HOME: '/cuda' })).toEqual(gpu);
  });

  it('is recorded of what moves data between GPUs and hosts, and of what is loaded before all else', () => {
    const shell = {
      NCCL_ALGO: 'Tree',
      NCCL_P2P_DISABLE: '1',
      GLOO_SOCKET_IFNAME: 'eth0',
      CUBLAS_WORKSPACE_CONFIG: ':4096:8',
      CUDA_DEVICE_MAX_CONNECTIONS: '1',
      FLEXIBLAS: 'netlib',
      LD_PRELOAD: '/lib/mine.so',
      GLIBC_TUNABLES: 'glibc.malloc.check=1',
    };
    // Where ranks meet is another place in each job.
    expect(relevantEnvironment({ ...shell, NCCL_COMM_ID: '10.0.0.1:4711' })).toEqual(shell);
  });

  it('is recorded of what the C library and the loader read, and of how CUDA launches', () => {
    const shell = {
      AOCL_ENABLE_INSTRUCTIONS: 'avx2',
      MALLOC_ARENA_MAX: '1',
      LD_LIBRARY_PATH: '/opt/lib',
      LD_AUDIT: '/lib/audit.so',
      LD_BIND_NOW: '1',
      CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
      CUDA_LAUNCH_BLOCKING: '0',
      CUDA_MODULE_LOADING: 'EAGER',
      CUDA_MPS_ACTIVE_THREAD_PERCENTAGE: '50',
    };
    const places = { CUDA_PATH: '/cuda', CUDA_CACHE_PATH: '/tmp', LD_RUN_PATH: '/a', MALLOCATED: '1' };
    expect(relevantEnvironment({ ...shell, ...places })).toEqual(shell);
  });

  it('is recorded of an MPI library, without what its launcher says of the job', () => {
    const shell = {
      UCX_MEM_EVENTS: 'no',
      OMPI_MCA_pml: 'ob1',
      MPIR_CVAR_CH4_NETMOD: 'ucx',
      FI_PROVIDER: 'tcp',
      OMPI_MCA_op: '^avx',
      OMPI_MCA_smsc: 'cma',
      I_MPI_PIN_DOMAIN: 'core',
      MV2_USE_SHMEM_COLL: '0',
    };
    const job = {
      OMPI_COMM_WORLD_RANK: '0',
      OMPI_MCA_orte_hnp_uri: '1.0;tcp://',
      PMI_FD: '6',
      PMIX_RANK: '0',
      MV2_COMM_WORLD_RANK: '0',
      FI_CXI_DEFAULT_VNI: '1234',
    };
    expect(relevantEnvironment({ ...shell, ...job })).toEqual(shell);
  });
});
