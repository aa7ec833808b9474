/** ONNX Runtime in Node, on the CPU and, where its provider is there, with CUDA. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { operatorOf } from '../frameworks/onnx-model.js';
import type { CpuDataType } from '../indicators/data-types.js';
import { framework } from './framework.js';

const PACKAGE = 'onnxruntime-node';
/** Its install script would fetch the CUDA provider from elsewhere than the registry, and end the installation where it cannot. */
const INSTALL = `ONNXRUNTIME_NODE_INSTALL=skip npm install ${PACKAGE}`;

/** A file beside the binding for this system. */
function besideBinding(folder: string, name: RegExp): string | null {
  const place = join(folder, 'bin');
  const versions = existsSync(place) ? readdirSync(place).filter((one) => one.startsWith('napi-v')) : [];
  for (const version of versions) {
    const files = join(place, version, process.platform, process.arch);
    const file = existsSync(files) ? readdirSync(files).find((one) => name.test(one)) : undefined;
    if (file !== undefined) return join(files, file);
  }
  return null;
}

export const onnxruntime = framework(
  {
    provider: 'onnxruntime',
    summary: 'ONNX Runtime',
    usual: { cpu: 'cpu', gpu: 'cuda' },
    backends: [
      {
        name: 'cpu',
        summary: 'ONNX Runtime on the CPU',
        packages: [PACKAGE],
        install: INSTALL,
        dtypes: ['float32', 'float64', 'int8'],
        mostThreads: null,
        device: 'cpu',
        binary: ([folder = '']) => besideBinding(folder, /^libonnxruntime\.so/),
        binaryNeeded: `${PACKAGE} has no build for ${process.platform} on ${process.arch}`,
      },
      {
        name: 'cuda',
        summary: 'ONNX Runtime with CUDA',
        packages: [PACKAGE],
        install: `npm install ${PACKAGE} (its install script fetches the CUDA provider)`,
        dtypes: ['float32', 'float64'],
        mostThreads: null,
        device: 'gpu',
        binary: ([folder = '']) => besideBinding(folder, /^libonnxruntime_providers_cuda\.so/),
        binaryNeeded: `${PACKAGE} is installed without its CUDA provider, which its install script fetches: npm rebuild ${PACKAGE}`,
      },
    ],
    cannot(parameters, dtype) {
      const [transposeA, transposeB] = String(parameters.transpose ?? 'NN');
      const operator = operatorOf({
        m: Number(parameters.m),
        n: Number(parameters.n),
        k: Number(parameters.k),
        transposeA: transposeA === 'T',
        transposeB: transposeB === 'T',
        batch: Number(parameters.batch ?? 1),
        dtype: dtype as CpuDataType,
      });
      if (operator !== null) return null;
      return 'has no operator for transposed operands of int8, or of a batch: take --transpose NN';
    },
    environment: () => ({}),
  },
  ['onnxruntime-common'],
);
