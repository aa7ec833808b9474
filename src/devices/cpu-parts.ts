/** Parts of the CPU as devices of their own: a NUMA node (`numa:0`), one logical CPU (`cpu:3`). Pure. */
import { UserError } from '../errors.js';
import { parseCpuList } from '../machine/linux/cpu-list.js';
import type { MachineDescription } from '../machine/types.js';

export interface CpuParts {
  /** Those that may be used. */
  readonly cpus: readonly number[];
  /** Nodes of which some CPU may be used, with those. */
  readonly nodes: readonly { readonly node: number; readonly cpus: readonly number[] }[];
}

const ONE = /^(cpu|numa):(\d+)$/;
const EACH_CPU = 'cpu:each';
const EACH_NODE = 'numa:all';

const isCpuPart = (device: string): boolean => ONE.test(device);

/** Whether a flag's text means a part of the CPU, or each of them. */
export const asksForCpuPart = (text: string): boolean =>
  isCpuPart(text) || text === EACH_CPU || text === EACH_NODE;

/** Whether it means NUMA nodes, of which the kernel need not tell. */
export const asksForNode = (text: string): boolean => text.startsWith('numa:');

export function cpuParts({ limits, memory }: MachineDescription): CpuParts {
  const cpus = parseCpuList(limits.allowedCpus) ?? [];
  const nodes = memory.numaNodes.map(({ node, cpus: list }) => ({
    node,
    cpus: (parseCpuList(list) ?? []).filter((cpu) => cpus.includes(cpu)),
  }));
  return { cpus, nodes: nodes.filter((node) => node.cpus.length > 0) };
}

const cpuNamed = (cpu: number): string => `cpu:${cpu}`;
export const nodeNamed = ({ node }: { readonly node: number }): string => `numa:${node}`;

/** @throws UserError for a part that is not here */
export function partsNamed(text: string, { cpus, nodes }: CpuParts): readonly string[] {
  const here = asksForNode(text) ? nodes.map(nodeNamed) : cpus.map(cpuNamed);
  if (here.length === 0)
    throw new UserError(
      `--device ${text}: the kernel tells of no ${asksForNode(text) ? 'NUMA nodes' : 'CPUs that may be used'} here`,
    );
  if (text === EACH_CPU || text === EACH_NODE) return here;
  if (here.includes(text)) return [text];
  throw new UserError(`--device ${text} is not here, or may not be used; there is ${here.join(', ')}`);
}

/** The CPUs of a device; null: it is no part of the CPU. */
export function cpusOfPart(device: string, { cpus, nodes }: CpuParts): readonly number[] | null {
  const [, kind, digits] = ONE.exec(device) ?? [];
  if (kind === undefined) return null;
  const number = Number(digits);
  if (kind === 'cpu') return cpus.filter((cpu) => cpu === number);
  return nodes.find(({ node }) => node === number)?.cpus ?? [];
}
