/** Where a case runs: `cpu`, a part of it (`numa:0`, `cpu:3`), or a GPU of the CUDA driver, `cuda:0`. Pure. */
import { UserError } from '../errors.js';
import { asksForCpuPart, type CpuParts, partsNamed } from './cpu-parts.js';

export const CPU = 'cpu';
const GPU = /^cuda:(\d+)$/;

export const isGpu = (device: string): boolean => GPU.test(device);

/** As the driver counts. @throws Error for what is no GPU */
export function ordinalOf(device: string): number {
  const ordinal = GPU.exec(device)?.[1];
  if (ordinal === undefined) throw new Error(`${device} is no GPU`);
  return Number(ordinal);
}

export const gpuNamed = (ordinal: number): string => `cuda:${ordinal}`;

/** Whether a flag's text, which a sweep's is a list, means a GPU, or all of them. */
export const asksForGpu = (text: string): boolean =>
  text.split(',').some((device) => device.trim().startsWith('cuda'));

/**
 * The devices that a flag's text means; `cuda:all` is each GPU that is here, `numa:all` each NUMA node, `cpu:each` each CPU.
 * @param gpus ordinals of the GPUs here; `problem`: why there is none, or what is not known of them
 * @param parts of the CPU that may be used; absent: not asked
 * @throws UserError
 */
export function devicesNamed(
  text: string,
  gpus: { readonly ordinals: readonly number[]; readonly problem: string | null },
  parts: CpuParts = { cpus: [], nodes: [] },
): readonly string[] {
  if (text === CPU) return [CPU];
  if (asksForCpuPart(text)) return partsNamed(text, parts);
  const all = text === 'cuda:all';
  if (!all && text !== 'cuda' && !isGpu(text))
    throw new UserError(
      `--device ${text} is unknown; there is cpu, cuda:0 (and so on), cuda:all, numa:0, numa:all, cpu:0, cpu:each`,
    );
  const { ordinals, problem } = gpus;
  if (ordinals.length === 0) throw new UserError(`--device ${text}: ${problem ?? 'there is no GPU here'}`);
  if (all) return ordinals.map(gpuNamed);
  // One GPU has one name, however its number was typed: under two it would be measured beside itself.
  const ordinal = text === 'cuda' ? 0 : ordinalOf(text);
  if (ordinals.includes(ordinal)) return [gpuNamed(ordinal)];
  throw new UserError(`--device ${text} is not here; there is ${ordinals.map(gpuNamed).join(', ')}`);
}
