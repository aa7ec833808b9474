/** NCCL: the collectives of NVIDIA's library on the GPUs of this machine; RCCL and others with its interface by their path. */
import { cudaFolders } from './cuda-folders.js';
import { library } from './library.js';

export const nccl = library({
  provider: 'nccl',
  summary: 'NCCL between NVIDIA GPUs',
  device: 'gpu',
  // Of an overlap the products are our own kernels'.
  executes: ['collective', 'overlap'],
  interface: 'nccl',
  sonames: ['libnccl.so.2'],
  subfolders: [],
  get folders() {
    return cudaFolders();
  },
  dtypes: [],
  prepacks: false,
  mostThreads: null,
  environment: () => ({}),
  needed:
    'NVIDIA’s package libnccl2, or the Python package nvidia-nccl-cu12; or --stack nccl:/path/libnccl.so.2',
  choices: null,
});
