/** BLIS. Its builds with OpenMP keep their threads; those with POSIX threads make them anew in each call. */
import { library } from './library.js';

export const blis = library({
  provider: 'blis',
  summary: 'BLIS',
  interface: 'blis',
  sonames: ['libblis.so.4', 'libblis.so.5', 'libblis.so.3', 'libblis-mt.so.4', 'libblis-mt.so', 'libblis.so'],
  subfolders: ['blis-openmp', 'blis-pthread', 'blis-serial', 'blis64-openmp', 'blis64-pthread'],
  folders: ['/opt/AMD/aocl/aocl-linux/lib'],
  dtypes: ['float32', 'float64'],
  prepacks: false,
  mostThreads: null,
  // Ways of sharing out the loops would override the number of threads. BLIS_ARCH_TYPE stays as the user has it.
  environment: (threads) => ({
    BLIS_NUM_THREADS: String(threads),
    BLIS_JC_NT: null,
    BLIS_PC_NT: null,
    BLIS_IC_NT: null,
    BLIS_JR_NT: null,
    BLIS_IR_NT: null,
  }),
  needed: 'Debian: apt install libblis4-openmp (or libblis4-pthread)',
  choices: {
    avx512: /^(skx|knl|zen[4-9])$/,
    avx2: /^(haswell|zen[1-3]?|excavator)$/,
    variables: ['BLIS_ARCH_TYPE'],
    remedy: (level) =>
      `BLIS_ARCH_TYPE in the environment makes it take others: ${level === 'avx512' ? 'skx, or its number 0 up to BLIS 0.9' : 'haswell, or its number 3 up to BLIS 0.9'}`,
  },
});
