/** The whole description of a machine, from a reader of its files and what only this process can tell. */
import { readCpu } from './cpu.js';
import { readLimits } from './limits.js';
import type { FileReader } from './linux/reader.js';
import { readMemory } from './memory.js';
import { readOs } from './os.js';
import type { MachineDescription } from './types.js';
import { readVirtualisation } from './virtualisation.js';

/** What no file tells. `localDeps` (local-process.ts) gets it from this process. */
export interface MachineDeps {
  /** As Node names it: x64, arm64. */
  readonly architecture: string;
  readonly nodeVersion: string;
  readonly v8Version: string | null;
  /** null on another C library. */
  readonly glibcVersion: string | null;
  /** What `getconf -a` prints; null where it does not run. Asked only where the kernel lists no caches. */
  readonly getconf: () => string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function describeMachine(reader: FileReader, deps: MachineDeps): MachineDescription {
  return {
    cpu: readCpu(reader, deps.architecture, deps.getconf),
    memory: readMemory(reader),
    os: readOs(reader, deps.glibcVersion),
    limits: readLimits(reader),
    virtualisation: readVirtualisation(reader, deps.env, deps.architecture),
    runtime: { node: deps.nodeVersion, v8: deps.v8Version },
  };
}
