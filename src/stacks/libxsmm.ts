/** libxsmm: a kernel generated for one shape, on one thread. */
import { library } from './library.js';

export const libxsmm = library({
  provider: 'libxsmm',
  summary: 'libxsmm (a kernel generated for the shape, one thread)',
  interface: 'libxsmm',
  sonames: ['libxsmm.so.1', 'libxsmm.so.2', 'libxsmm.so'],
  subfolders: [],
  folders: [],
  dtypes: ['float32', 'float64'],
  prepacks: false,
  mostThreads: 1,
  environment: () => ({}),
  needed:
    'Debian has it as archives only: apt install libxsmm-dev, then g++ -shared -Wl,--whole-archive /usr/lib/libxsmm.a /usr/lib/libxsmmnoblas.a -Wl,--no-whole-archive -ldl -lpthread -lm -o libxsmm.so, and --stack libxsmm:./libxsmm.so',
  choices: {
    avx512: /^(skx|clx|cpx|spr|gnr|knl|knm)/,
    avx2: /^(hsw|adl|srf)/,
    variables: ['LIBXSMM_TARGET'],
    remedy: () =>
      'leave LIBXSMM_TARGET out of the environment where it is set; else a newer version may know the CPU',
  },
});
