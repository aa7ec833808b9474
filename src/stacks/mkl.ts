/** Intel's oneMKL, through its single dynamic library. */
import { library } from './library.js';

export const mkl = library({
  provider: 'mkl',
  summary: 'Intel oneMKL',
  interface: 'mkl',
  sonames: ['libmkl_rt.so.3', 'libmkl_rt.so.2', 'libmkl_rt.so'],
  subfolders: [],
  folders: ['/opt/intel/oneapi/mkl/latest/lib', '/opt/intel/oneapi/mkl/latest/lib/intel64'],
  dtypes: ['float32', 'float64', 'bfloat16'],
  prepacks: false,
  mostThreads: null,
  // Its default is Intel's own OpenMP, which need not be there: GNU's is.
  environment: (threads) => ({
    MKL_NUM_THREADS: String(threads),
    MKL_DOMAIN_NUM_THREADS: null,
    MKL_DYNAMIC: 'FALSE',
    MKL_THREADING_LAYER: threads > 1 ? 'GNU' : 'SEQUENTIAL',
  }),
  needed:
    "Debian: apt install libmkl-rt (non-free), or Intel's packages of oneMKL; then --stack mkl:/path/libmkl_rt.so where it is not found",
  // It names the files of its kernels: def is what it takes where it knows no better.
  choices: {
    avx512: /^avx512/,
    avx2: /^avx2$/,
    variables: ['MKL_ENABLE_INSTRUCTIONS', 'MKL_CBWR'],
    remedy: () =>
      'leave MKL_ENABLE_INSTRUCTIONS and MKL_CBWR out of the environment where they are set; on CPUs of other makers MKL takes its general code, and no variable changes that',
  },
});
