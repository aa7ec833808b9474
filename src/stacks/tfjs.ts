/** TensorFlow.js: plain JavaScript, WebAssembly, and the two bindings to libtensorflow. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend } from '../frameworks/spec.js';
import { framework } from './framework.js';

const BINDING = join('lib', 'napi-v8', 'tfjs_binding.node');

const existing = (path: string): string | null => (existsSync(path) ? path : null);

/** With libtensorflow, which the package's install script downloads. */
function withBinding(name: string, npmPackage: string, summary: string, device: Backend['device']): Backend {
  return {
    name,
    summary,
    packages: [npmPackage],
    install: `npm install ${npmPackage}@4.22.0`,
    dtypes: ['float32'],
    mostThreads: null,
    device,
    binary: ([folder = '']) => existing(join(folder, BINDING)),
    binaryNeeded: `${npmPackage} is installed without its native binding, which its install script downloads together with libtensorflow: npm rebuild ${npmPackage}`,
  };
}

export const tfjs = framework(
  {
    provider: 'tfjs',
    summary: 'TensorFlow.js',
    usual: { cpu: null, gpu: 'tensorflow-gpu' },
    backends: [
      {
        name: 'cpu',
        summary: 'TensorFlow.js in plain JavaScript, one thread',
        packages: ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-cpu'],
        install: 'npm install @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0',
        dtypes: ['float32'],
        mostThreads: 1,
        device: 'cpu',
        binary: ([, folder = '']) => existing(join(folder, 'dist', 'tf-backend-cpu.node.js')),
        binaryNeeded: '@tensorflow/tfjs-backend-cpu lacks its program: install it again',
      },
      {
        name: 'wasm',
        summary: 'TensorFlow.js in WebAssembly, one thread: in Node the library leaves its threads out',
        packages: ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-wasm'],
        install: 'npm install @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0',
        dtypes: ['float32'],
        mostThreads: 1,
        device: 'cpu',
        binary: ([, folder = '']) => existing(join(folder, 'wasm-out', 'tfjs-backend-wasm-simd.wasm')),
        binaryNeeded: '@tensorflow/tfjs-backend-wasm lacks its WebAssembly: install it again',
      },
      withBinding('tensorflow', '@tensorflow/tfjs-node', 'TensorFlow.js on libtensorflow', 'cpu'),
      withBinding(
        'tensorflow-gpu',
        '@tensorflow/tfjs-node-gpu',
        'TensorFlow.js on libtensorflow with CUDA',
        'gpu',
      ),
    ],
    cannot: ({ cache }) =>
      cache === 'cold'
        ? 'keeps the operands in memory of its own, which --cache cold cannot evict: leave it out'
        : null,
    environment: (threads) => ({
      TF_NUM_INTRAOP_THREADS: String(threads),
      TF_NUM_INTEROP_THREADS: '1',
      TF_CPP_MIN_LOG_LEVEL: '2',
    }),
  },
  ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-cpu'],
);
