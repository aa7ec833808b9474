/** Where CUDA's libraries lie when no system package put them: a toolkit, Python's wheels, ONNX Runtime's for Node. The edge to files. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../package.js';

const names = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** `lib/python3.12/site-packages` and its like below a prefix. */
const sitePackages = (prefix: string): readonly string[] =>
  names(join(prefix, 'lib'))
    .filter((name) => name.startsWith('python3'))
    .flatMap((name) => ['site-packages', 'dist-packages'].map((kind) => join(prefix, 'lib', name, kind)));

/** Wheels by NVIDIA: nvidia/cublas/lib, nvidia/nccl/lib; from CUDA 13 on nvidia/cu13/lib. */
const wheelFolders = (packages: string): readonly string[] =>
  names(join(packages, 'nvidia'))
    .filter((name) => name === 'cublas' || name === 'nccl' || /^cu\d+$/.test(name))
    .map((name) => join(packages, 'nvidia', name, 'lib'));

export function cudaFolders(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const { CUDA_HOME, CUDA_PATH, VIRTUAL_ENV, CONDA_PREFIX } = environment;
  const toolkits = [CUDA_HOME, CUDA_PATH, '/usr/local/cuda'].filter((path) => path !== undefined);
  const prefixes = [VIRTUAL_ENV, CONDA_PREFIX, join(homedir(), '.local'), '/usr/local', '/usr'].filter(
    (path) => path !== undefined,
  );
  const python = [
    ...prefixes.flatMap(sitePackages),
    // Debian's own packages lie beside the versions.
    '/usr/lib/python3/dist-packages',
    ...(environment.PYTHONPATH ?? '').split(':').filter((path) => path !== ''),
  ];
  return [
    ...toolkits.flatMap((path) => [join(path, 'lib64'), join(path, 'targets', 'x86_64-linux', 'lib')]),
    ...python.flatMap(wheelFolders),
    join(packageRoot, 'node_modules', 'onnxruntime-node', 'bin', 'napi-v6', 'linux', process.arch),
  ];
}
