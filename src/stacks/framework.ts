/** A framework as a stack: its backends are the variants, found by their npm packages, loaded only by a launch's own process. */
import { isGpu } from '../devices/device.js';
import { UserError } from '../errors.js';
import { binaryIdentity } from '../frameworks/identity.js';
import { findPackages, type InstalledPackage, versionsOf } from '../frameworks/packages.js';
import type { Backend, FrameworkSpec } from '../frameworks/spec.js';
import type { Parameters } from '../indicators/indicator.js';
import { thereIs } from '../nearest.js';
import { threadEnvironment } from './environment.js';
import { fileOnce } from './file-once.js';
import type { Stack } from './stack.js';

type State =
  | { readonly ready: true; readonly binary: string; readonly installed: readonly InstalledPackage[] }
  | { readonly ready: false; readonly needed: string };

/** Whether a backend can be measured: its packages and its file are there. */
function stateOf({ packages, install, binary, binaryNeeded }: Backend): State {
  const found = findPackages(packages);
  if ('missing' in found) return { ready: false, needed: install };
  const path = binary(found.installed.map(({ folder }) => folder));
  if (path === null) return { ready: false, needed: binaryNeeded };
  return { ready: true, binary: path, installed: found.installed };
}

/** As it is typed after --stack; where nothing else says on which device, the name alone means the CPU's. */
const variantOf = ({ usual }: FrameworkSpec, name: string): string | null =>
  name === usual.cpu ? null : name;

const kindOf = (device: string): Backend['device'] => (isGpu(device) ? 'gpu' : 'cpu');

/** @throws UserError for a backend that there is not, or none where one has to be named */
function backendOf(spec: FrameworkSpec, variant: string | null, device: string): Backend {
  const { provider, backends, usual } = spec;
  const name = variant ?? usual[kindOf(device)];
  const found = backends.find((backend) => backend.name === name);
  if (found !== undefined) return found;
  const choices = backends.map((backend) => `${provider}:${backend.name}`);
  throw new UserError(
    name === null
      ? `--stack ${provider} has several backends: say which, ${choices.join(', ')}`
      : `--stack ${provider}:${name} is unknown; ${thereIs(`${provider}:${name}`, choices)}`,
  );
}

/** @throws UserError */
function checkedBackend(
  spec: FrameworkSpec,
  variant: string | null,
  indicator: string,
  dtype: string,
  parameters: Parameters,
  device: string,
): { readonly backend: Backend; readonly name: string } {
  const backend = backendOf(spec, variant, device);
  const name = `--stack ${variant === null ? spec.provider : `${spec.provider}:${backend.name}`}`;
  if (backend.device !== kindOf(device)) {
    const onGpus = spec.backends.filter((one) => one.device === 'gpu').map((one) => one.name);
    throw new UserError(
      backend.device === 'gpu'
        ? `${name} computes on a GPU: add --device cuda:0`
        : `${name} computes on the CPU; on ${device} there is ${spec.provider}:${onGpus.join(`, ${spec.provider}:`)}`,
    );
  }
  if (indicator !== 'matmul') throw new UserError(`${name} executes matmul, not ${indicator}`);
  if (!backend.dtypes.some((one) => one === dtype)) {
    throw new UserError(`${name} has no matrix product for ${dtype}; it has ${backend.dtypes.join(', ')}`);
  }
  if (parameters.prepack === true) {
    throw new UserError(`${name} has no product with a prepacked B of ours: leave --prepack out`);
  }
  if (backend.device === 'gpu' && parameters.cache === 'cold')
    throw new UserError(`${name} has its operands in the GPU's memory by itself: leave --cache cold out`);
  const cannot = spec.cannot(parameters, dtype);
  if (cannot !== null) throw new UserError(`${name} ${cannot}`);
  return { backend, name };
}

export const framework = (spec: FrameworkSpec, beneath: readonly string[]): Stack => ({
  provider: spec.provider,
  summary: spec.summary,
  library: null,
  framework: {
    ...spec,
    job(variant, threads, device) {
      const { name, packages, mostThreads } = backendOf(spec, variant, device);
      return {
        provider: spec.provider,
        backend: name,
        packages,
        threads: Math.min(threads, mostThreads ?? threads),
      };
    },
    folders(variant, device) {
      const found = findPackages(backendOf(spec, variant, device).packages);
      return 'missing' in found ? [] : found.installed.map(({ folder }) => folder);
    },
    missing: () =>
      spec.backends.flatMap((backend) => {
        const state = stateOf(backend);
        const { name, summary } = backend;
        return state.ready ? [] : { variant: variantOf(spec, name), summary, needed: state.needed };
      }),
  },
  variants() {
    const here = spec.backends.filter((backend) => stateOf(backend).ready).map(({ name }) => name);
    return { here, elsewhere: spec.backends.map(({ name }) => name).filter((name) => !here.includes(name)) };
  },
  check(...asked) {
    const { backend, name } = checkedBackend(spec, ...asked);
    const state = stateOf(backend);
    if (!state.ready) throw new UserError(`${name} cannot be measured yet: ${state.needed}`);
  },
  checkCase(...asked) {
    checkedBackend(spec, ...asked);
  },
  identify(variant, device) {
    const unknown = { provider: spec.provider, variant, version: null, file: null, sha256: null };
    const backend = spec.backends.find(({ name }) => name === (variant ?? spec.usual[kindOf(device)]));
    const state = backend === undefined ? null : stateOf(backend);
    if (state === null || !state.ready) return unknown;
    const { installed, binary } = state;
    const known = { version: installed[0]?.version ?? null, packages: versionsOf(installed, beneath) };
    try {
      return { ...unknown, ...known, ...fileOnce(binary, binaryIdentity) };
    } catch {
      return { ...unknown, ...known };
    }
  },
  executor: () => ({ isa: null, parameters: { interface: 'hosted', library: '' } }),
  environment: (threads) => ({ ...threadEnvironment(threads), ...spec.environment(threads) }),
});
