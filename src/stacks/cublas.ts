/** cuBLAS: the products of NVIDIA's library, with the algorithm that it chooses itself. */
import { cublasEnvironment } from './cublas-environment.js';
import { cudaFolders } from './cuda-folders.js';
import { library } from './library.js';

export const cublas = library({
  provider: 'cublas',
  summary: 'cuBLAS on NVIDIA GPUs',
  device: 'gpu',
  interface: 'cublas',
  sonames: ['libcublas.so.13', 'libcublas.so.12', 'libcublas.so.11'],
  subfolders: [],
  get folders() {
    return cudaFolders();
  },
  dtypes: ['float32', 'float64', 'tf32', 'float16', 'bfloat16', 'int8'],
  prepacks: false,
  mostThreads: null,
  environment: cublasEnvironment,
  needed: 'the CUDA toolkit, or the Python package nvidia-cublas; or --stack cublas:/path/libcublas.so.13',
  choices: null,
});
