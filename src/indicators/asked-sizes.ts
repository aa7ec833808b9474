/** The working sets on the CPU that `--bytes` asks for: sizes, a share of the free memory, or main memory's. Pure. */
import type { Options } from 'yargs';
import { availableMemory } from '../machine/capacity.js';
import type { MachineDescription } from '../machine/types.js';
import { parseByteList } from '../quantities/parse-list.js';
import type { Bytes, Ratio } from '../units.js';
import type { Flags } from './indicator.js';
import { bytesOfShare, parseMemoryShare } from './memory-share.js';
import { mainMemory } from './memory-sizes.js';

/** In the place of sizes: as much as no cache holds. */
const MAIN = 'main';

/** @param what the sizes are of: `Working sets, all arrays and threads together` */
export const bytesOption = (what: string): Options => ({
  type: 'string',
  group: 'Case:',
  describe: `${what}: 32KiB,1MiB or 16KiB..256MiB*2; 70%: of the free memory; main: past all caches, at least 512 MiB`,
  defaultDescription: 'from half of the first cache to past the last',
});

export interface AskedSizes {
  readonly sizes: readonly Bytes[];
  /** Of a size that a share made, that one. */
  readonly asked: { readonly share?: Ratio };
}

/**
 * null: nobody asks for any.
 * @param mostOfShare what a share comes to at most, of however much memory
 * @throws UserError, QuantityError
 */
export function askedSizes(flags: Flags, machine: MachineDescription, mostOfShare: Bytes): AskedSizes | null {
  if (flags.bytes === undefined) return null;
  const text = String(flags.bytes);
  const free = availableMemory(machine);
  const share = parseMemoryShare(text);
  if (share !== null) return { sizes: [bytesOfShare(share, free, mostOfShare)], asked: { share } };
  const sizes = text === MAIN ? [mainMemory(machine.cpu, free)] : parseByteList(text, '--bytes');
  return { sizes, asked: {} };
}
