/** Where CUDA's libraries lie when no system package put them: a toolkit, Python's wheels, ONNX Runtime's for Node. The edge to files. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
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

/**
 * The prefix of the `python3` that a shell would start, whose packages those of its user are: a virtual environment that is on
 * the path and not activated, too. Where it is a link, also that of what it leads to.
 */
function prefixesOfPython(path: string): readonly string[] {
  const python = path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'python3'))
    .find((file) => existsSync(file));
  return python === undefined ? [] : [python, realpathSync(python)].map((file) => dirname(dirname(file)));
}

export function cudaFolders(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const { CUDA_HOME, CUDA_PATH, VIRTUAL_ENV, CONDA_PREFIX } = environment;
  const toolkits = [CUDA_HOME, CUDA_PATH, '/usr/local/cuda'].filter((path) => path !== undefined);
  const known = [
    VIRTUAL_ENV,
    CONDA_PREFIX,
    ...prefixesOfPython(environment.PATH ?? ''),
    join(homedir(), '.local'),
    '/usr/local',
    '/usr',
  ];
  const prefixes = new Set(known.filter((path) => path !== undefined));
  const python = [
    ...[...prefixes].flatMap(sitePackages),
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
