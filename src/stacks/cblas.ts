/** Any library with the C interface of BLAS, by its path. */
import { library } from './library.js';

export const cblas = library({
  provider: 'cblas',
  summary: 'any library with the C interface of BLAS, by its path',
  interface: 'cblas',
  sonames: [],
  subfolders: [],
  folders: [],
  dtypes: ['float32', 'float64', 'bfloat16'],
  prepacks: false,
  mostThreads: null,
  environment: (threads) => ({
    OPENBLAS_NUM_THREADS: String(threads),
    BLIS_NUM_THREADS: String(threads),
    MKL_NUM_THREADS: String(threads),
  }),
  needed: '--stack cblas:/path/library.so',
  choices: null,
});
