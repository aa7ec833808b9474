/** A library as a stack: found when it is asked for, identified by its file, opened only by a launch's own process. */
import { basename } from 'node:path';
import { isGpu } from '../devices/device.js';
import { UserError } from '../errors.js';
import type { DataType } from '../indicators/data-types.js';
import type { Parameters } from '../indicators/indicator.js';
import { threadEnvironment } from './environment.js';
import type { LibrarySpec } from './library-spec.js';
import { searchLibrary } from './search.js';
import type { Stack } from './stack.js';
import { libraryFile, localSystem, whyNoFile } from './system.js';

/** The file that a variant means; null: there is none. */
function locate(spec: LibrarySpec, variant: string | null): string | null {
  if (variant !== null) return localSystem.realPath(variant);
  return searchLibrary(spec, localSystem)[0] ?? null;
}

/** @throws UserError when there is no file to load. Whether it can be loaded only a launch finds out. */
function checkFile(spec: LibrarySpec, variant: string | null): void {
  const { provider, sonames, needed, plugin } = spec;
  const path = locate(spec, variant);
  if (path !== null) {
    // What a search finds was looked at, and a library of another kind of machine ends its own launches only.
    if (variant !== null && libraryFile(path)?.isLibrary === false)
      throw new UserError(`--stack ${provider}:${variant}: that is no shared library`);
    if (plugin === undefined || plugin.isBuilt()) return;
    throw new UserError(`--stack ${provider}: what calls it is not built (${plugin.path}). ${needed}`);
  }
  if (variant !== null) throw new UserError(`--stack ${provider}:${variant}: ${whyNoFile(variant)}`);
  if (sonames.length === 0) throw new UserError(`--stack ${provider} takes the path of a library: ${needed}`);
  throw new UserError(`--stack ${provider}: ${sonames[0]} was not found. ${needed}`);
}

/** Of which products of a data type are functions with names of their own. */
const WITH_CBLAS: readonly LibrarySpec['interface'][] = ['cblas', 'openblas', 'blis', 'mkl'];

/** What a file computes with: of bfloat16 not every build has a product. */
function dtypesOf(spec: LibrarySpec, variant: string | null): readonly DataType[] {
  const path = WITH_CBLAS.includes(spec.interface) ? locate(spec, variant) : null;
  const lacksBfloat16 = path !== null && libraryFile(path)?.bfloat16 === false;
  return lacksBfloat16 ? spec.dtypes.filter((dtype) => dtype !== 'bfloat16') : spec.dtypes;
}

/** @throws UserError for what a library with these data types cannot execute */
function refuseCase(
  spec: LibrarySpec,
  dtypes: readonly DataType[],
  indicator: string,
  dtype: string,
  { threads, prepack, transport }: Parameters,
  device: string,
): void {
  const name = `--stack ${spec.provider}`;
  if (isGpu(device) !== (spec.device === 'gpu')) {
    throw new UserError(
      spec.device === 'gpu'
        ? `${name} computes on a GPU: add --device cuda:0`
        : `${name} computes on the CPU; ${device} has embedded, cublas and cublaslt`,
    );
  }
  const executes: readonly string[] = spec.executes ?? ['matmul'];
  if (!executes.includes(indicator))
    throw new UserError(`${name} executes ${executes.join(' and ')}, not ${indicator}`);
  if (spec.executes !== undefined) {
    if (transport !== spec.interface)
      throw new UserError(`${name} is a transport: add --transport ${spec.interface}`);
    return;
  }
  if (!dtypes.some((one) => one === dtype)) {
    throw new UserError(`${name} has no matrix product for ${dtype}; it has ${dtypes.join(', ')}`);
  }
  if (prepack === true && !spec.prepacks) {
    throw new UserError(`${name} has no product with a prepacked B: leave --prepack out`);
  }
  if (spec.mostThreads !== null && Number(threads) > spec.mostThreads) {
    throw new UserError(`${name} computes with one thread: add --threads ${spec.mostThreads}`);
  }
}

export const library = (spec: LibrarySpec): Stack => ({
  provider: spec.provider,
  summary: spec.summary,
  library: spec,
  framework: null,
  // Without what calls it there is nothing to measure, whatever else needs the library.
  variants: () => ({
    here: spec.plugin?.isBuilt() === false ? [] : searchLibrary(spec, localSystem),
    elsewhere: [],
  }),
  check(variant, ...asked) {
    refuseCase(spec, dtypesOf(spec, variant), ...asked);
    checkFile(spec, variant);
  },
  checkCase(_variant, ...asked) {
    refuseCase(spec, spec.dtypes, ...asked);
  },
  identify(variant) {
    const path = locate(spec, variant);
    const file = path === null ? null : libraryFile(path);
    return {
      provider: spec.provider,
      variant,
      version: null,
      file: file === null ? null : basename(file.path),
      sha256: file?.sha256 ?? null,
      soname: file?.soname ?? null,
      path: file?.path ?? null,
      package: file?.package ?? null,
    };
  },
  // A library that has gone since it was checked is left to the loader, which says so.
  executor: (variant) => ({
    isa: null,
    parameters: {
      interface: spec.interface,
      library: locate(spec, variant) ?? variant ?? spec.sonames[0] ?? spec.provider,
      ...(spec.plugin === undefined ? {} : { plugin: spec.plugin.path }),
    },
  }),
  environment: (threads) =>
    spec.device === 'gpu'
      ? spec.environment(threads)
      : { ...threadEnvironment(threads), ...spec.environment(threads) },
});
