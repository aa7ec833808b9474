/** From which NUMA nodes the kernel takes this process's memory because somebody said so (numactl, a job's binding); launches inherit it. */
import type { FileReader } from './reader.js';

export interface MemoryPolicy {
  readonly mode: string;
  /** As a list. */
  readonly nodes: string;
}

/** As numa_maps writes the modes that name nodes, flags between mode and nodes: `bind:0-1`, `prefer (many):1`, `interleave=static:0`. */
const POLICY =
  /^[0-9a-f]+ (bind|prefer(?: \(many\))?|(?:weighted )?interleave)(?:=[a-z|]+)?:([\d,-]+)(?=\s|$)/;

/** Each mapping that has no policy of its own shows the process's, the program itself first. null: none, or nothing tells. */
export function readMemoryPolicy(reader: FileReader): MemoryPolicy | null {
  const [, mode, nodes] = POLICY.exec(reader('/proc/self/numa_maps') ?? '') ?? [];
  return mode === undefined || nodes === undefined ? null : { mode, nodes };
}
