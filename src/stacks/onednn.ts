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
    variables: ['ONEDNN_MAX_CPU_ISA', 'DNNL_MAX_CPU_ISA'],
    remedy: () =>
      'leave ONEDNN_MAX_CPU_ISA and DNNL_MAX_CPU_ISA out of the environment where they are set; else a newer version may know the CPU',
  },
});
