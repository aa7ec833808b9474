/** The embedded stack: our own kernels, in the addon, one variant for each instruction set. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isGpu } from '../devices/device.js';
import { UserError } from '../errors.js';
import { findIndicator } from '../indicators/index.js';
import { addonPath, gpuKernels, type NativePasses, native } from '../native.js';
import { meantText, nearest, thereIs } from '../nearest.js';
import { BUILD_PLUGINS, identity } from '../package.js';
import type { Stack } from './stack.js';

const variants = (here: boolean): string[] => [
  ...new Set(
    native()
      .kernels()
      .flatMap(({ isa, runsHere }) => (runsHere === here ? [isa] : [])),
  ),
];

/** Instruction sets that execute the indicator with the data type here. */
function executing(indicator: string, dtype: string): string[] {
  const running = (passes: readonly NativePasses[]): string[] =>
    passes.flatMap(({ isa, runsHere }) => (runsHere ? [isa] : []));
  switch (findIndicator(indicator).kernels) {
    case 'memory':
      return running(native().memoryKernels());
    case 'collective':
      return running(native().collectiveKernels());
    case 'none':
      return [];
    default:
      return native()
        .kernels()
        .flatMap((kernel) => (kernel.runsHere && kernel.dtype === dtype ? [kernel.isa] : []));
  }
}

/** Instruction sets that have kernels on some machine that pi-bench knows, this one or another. */
const ELSEWHERE = [
  'amx_bf16',
  'amx_int8',
  'avx512_bf16',
  'avx512_vnni',
  'avx512',
  'avx2',
  'neon_bf16',
  'neon_i8mm',
  'neon_dotprod',
  'neon',
  'portable-v3',
  'portable',
];

/** What multiplies on a GPU: Hopper's instruction for a warpgroup, a warp's, scalar multiply-adds; and how passes over memory go. */
const GPU_ENGINES = [
  'wgmma',
  'mma',
  'scalar',
  'vector',
  'streaming',
  'single',
  'single256',
  'double',
  'bulk',
];

/** Why there are no kernels for GPUs; null: there are. */
export function gpuKernelsProblem(): string | null {
  if (gpuModules().length > 0) return null;
  return `the GPU kernels are not built (${gpuKernels} has none): where nvcc is found, ${BUILD_PLUGINS} makes them; a package that was packed where nvcc is has them`;
}

/** Which of them a GPU has for a case, its launch says. @throws UserError */
function checkGpu(variant: string | null): void {
  const problem = gpuKernelsProblem();
  if (problem !== null) throw new UserError(problem);
  if (variant === null || GPU_ENGINES.includes(variant)) return;
  throw new UserError(`--stack embedded:${variant} is unknown on GPUs; ${thereIs(variant, GPU_ENGINES)}`);
}

function gpuModules(): readonly string[] {
  try {
    return readdirSync(gpuKernels)
      .filter((name) => name.endsWith('.fatbin'))
      .sort();
  } catch {
    return [];
  }
}

/** All modules together: a launch loads several. */
function gpuIdentity(variant: string | null): ReturnType<Stack['identify']> {
  const hash = createHash('sha256');
  const modules = gpuModules();
  for (const name of modules) hash.update(name).update(readFileSync(join(gpuKernels, name)));
  return {
    provider: 'embedded',
    variant,
    version: identity().version,
    file: 'cuda/*.fatbin',
    sha256: modules.length === 0 ? null : hash.digest('hex'),
  };
}

export const embedded: Stack = {
  provider: 'embedded',
  summary: "pi-bench's own kernels",
  variants: () => ({
    here: variants(true),
    elsewhere: ELSEWHERE.filter((isa) => !variants(true).includes(isa)),
  }),
  check(...asked) {
    this.checkCase(...asked);
  },
  checkCase(variant, indicator, dtype, { transport }, device) {
    if (transport === 'nccl' || transport === 'gloo')
      throw new UserError(`--transport ${transport} is executed by --stack ${transport}, not embedded`);
    if (isGpu(device)) return checkGpu(variant);
    if (variant === null) return;
    const { here, elsewhere } = this.variants();
    if (!here.includes(variant)) {
      const known = elsewhere.includes(variant);
      const reason = known ? 'does not run on this CPU' : 'is unknown';
      const meant = meantText(known ? null : nearest(variant, [...here, ...elsewhere]));
      const others = elsewhere.filter((isa) => isa !== variant);
      const onOthers = others.length > 0 ? ` (on other machines also ${others.join(', ')})` : '';
      throw new UserError(
        `--stack embedded:${variant} ${reason}; here there is ${here.join(', ')}${onOthers}${meant}`,
      );
    }
    if (findIndicator(indicator).kernels === 'none')
      throw new UserError(
        `--stack embedded:${variant}: ${indicator} is the same for every instruction set: ask for --stack embedded`,
      );
    const having = executing(indicator, dtype);
    if (!having.includes(variant)) {
      throw new UserError(
        `--stack embedded:${variant} has no kernel for ${dtype}; ${dtype} has ${having.join(', ')}`,
      );
    }
  },
  executor: (variant) => ({ isa: variant, parameters: {} }),
  environment: () => ({}),
  library: null,
  framework: null,
  identify(variant, device) {
    if (isGpu(device)) return gpuIdentity(variant);
    return {
      provider: 'embedded',
      variant,
      version: identity().version,
      file: basename(addonPath()),
      sha256: createHash('sha256').update(readFileSync(addonPath())).digest('hex'),
    };
  },
};
