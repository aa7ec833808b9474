/** OpenBLAS, in any build: with threads of its own or OpenMP's, with integers of 32 or 64 bits. */
import { library } from './library.js';

export const openblas = library({
  provider: 'openblas',
  summary: 'OpenBLAS',
  interface: 'openblas',
  sonames: [
    'libopenblas.so.0',
    'libopenblas.so',
    'libopenblasp.so.0',
    'libopenblaso.so.0',
    'libopenblas64.so.0',
    'libopenblas64_.so.0',
  ],
  subfolders: [
    'openblas-pthread',
    'openblas-openmp',
    'openblas-serial',
    'openblas64-pthread',
    'openblas64-openmp',
  ],
  folders: ['/opt/OpenBLAS/lib'],
  dtypes: ['float32', 'float64', 'bfloat16'],
  prepacks: false,
  mostThreads: null,
  environment: (threads) => ({
    OPENBLAS_NUM_THREADS: String(threads),
    GOTO_NUM_THREADS: null,
  }),
  needed: 'Debian: apt install libopenblas0-pthread (or libopenblas0-openmp)',
  choices: {
    avx512: /^(skylakex|cooperlake|sapphirerapids|zen[4-9])$/i,
    avx2: /^(haswell|zen|excavator)$/i,
    variables: ['OPENBLAS_CORETYPE'],
    remedy: (level) =>
      `OPENBLAS_CORETYPE=${level === 'avx512' ? 'SkylakeX' : 'Haswell'} in the environment makes it take those kernels`,
  },
});
