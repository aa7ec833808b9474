/** cuBLASLt: the algorithm that its heuristics put first, which the record names. */
import { cublasEnvironment } from './cublas-environment.js';
import { cudaFolders } from './cuda-folders.js';
import { library } from './library.js';

export const cublaslt = library({
  provider: 'cublaslt',
  summary: 'cuBLASLt on NVIDIA GPUs, the first algorithm of its heuristics',
  device: 'gpu',
  interface: 'cublaslt',
  sonames: ['libcublasLt.so.13', 'libcublasLt.so.12', 'libcublasLt.so.11'],
  subfolders: [],
  get folders() {
    return cudaFolders();
  },
  dtypes: ['float32', 'float64', 'tf32', 'float16', 'bfloat16', 'float8_e4m3', 'int8'],
  prepacks: false,
  mostThreads: null,
  environment: cublasEnvironment,
  needed:
    'the CUDA toolkit, or the Python package nvidia-cublas; or --stack cublaslt:/path/libcublasLt.so.13',
  choices: null,
});
