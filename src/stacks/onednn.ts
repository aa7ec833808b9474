/** oneDNN, versions 2 and 3: its matmul primitive. */
import { library } from './library.js';

export const onednn = library({
  provider: 'onednn',
  summary: 'oneDNN (matmul primitive)',
  interface: 'onednn',
  sonames: ['libdnnl.so.3', 'libdnnl.so.2', 'libdnnl.so'],
  subfolders: [],
  folders: ['/opt/intel/oneapi/dnnl/latest/lib'],
  dtypes: ['float32', 'bfloat16', 'int8'],
  prepacks: true,
  mostThreads: null,
  environment: () => ({}),
  needed: 'Debian: apt install libdnnl2 (from Debian 13 on: libdnnl3)',
  choices: {
    avx512: /avx512|avx10/i,
    avx2: /avx2/i,
    remedy: 'ONEDNN_MAX_CPU_ISA in the environment may hold it back: leave it out',
  },
});
