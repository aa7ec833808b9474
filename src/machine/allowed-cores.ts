/** The cores of the CPUs that this process may use, of which a machine may have more, and of other kinds. */
import { readCoreKinds } from './core-kinds.js';
import { readAllowedCpus } from './linux/allowed-cpus.js';
import type { FileReader } from './linux/reader.js';
import { countCores } from './linux/topology.js';
import type { CoreKind } from './types.js';

export interface AllowedCores {
  /** null: nothing tells. */
  readonly cores: number | null;
  /** Where they are of different kinds: each, fastest first; else empty. */
  readonly kinds: readonly CoreKind[];
}

export function readAllowedCores(reader: FileReader): AllowedCores {
  const cpus = readAllowedCpus(reader) ?? [];
  return { cores: countCores(reader, cpus), kinds: readCoreKinds(reader, cpus) };
}
