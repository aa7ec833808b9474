/** Parts of the CPU as devices of their own: a NUMA node (`numa:0`), one logical CPU (`cpu:3`). Pure. */
import { UserError } from '../errors.js';
import { formatCpuList, parseCpuList } from '../machine/linux/cpu-list.js';
import type { MachineDescription, NumaNode } from '../machine/types.js';

export interface CpuParts {
  /** Those that may be used. */
  readonly cpus: readonly number[];
  /** Nodes of which some CPU may be used, with those. */
  readonly nodes: readonly CpuNode[];
}

interface CpuNode {
  readonly node: number;
  readonly cpus: readonly number[];
  /** Why its threads would have the memory of other nodes; null: they have its own. */
  readonly farMemory: string | null;
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
  const nodes = memory.numaNodes.map((one) => ({
    node: one.node,
    cpus: (parseCpuList(one.cpus) ?? []).filter((cpu) => cpus.includes(cpu)),
    farMemory: farMemoryOf(one, limits),
  }));
  return { cpus, nodes: nodes.filter((node) => node.cpus.length > 0) };
}

/** A page lies on the node of the thread that touches it first, if that has memory, and if nobody has said otherwise. */
function farMemoryOf(
  { node, total }: NumaNode,
  { allowedNodes, memoryPolicy }: MachineDescription['limits'],
): string | null {
  if (total === 0) return 'it has none of its own';
  const allowed = parseCpuList(allowedNodes);
  if (allowed !== null && !allowed.includes(node)) return `it may be taken from node ${allowedNodes} only`;
  return isTakenElsewhere(node, memoryPolicy)
    ? `it is taken by the policy ${memoryPolicy}, which this process was given (numactl, a job’s binding)`
    : null;
}

/** Of nodes that are preferred the kernel begins with the thread's own; those of an interleaving policy take turns. */
function isTakenElsewhere(node: number, policy: string | undefined): boolean {
  const [mode = '', nodes = null] = policy?.split(':') ?? [];
  const turns = mode.includes('interleave');
  if (!turns && !mode.startsWith('prefer')) return false;
  const list = parseCpuList(nodes) ?? [];
  return !list.includes(node) || (turns && list.length > 1);
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
  const far = asksForNode(text) ? nodes.filter(({ farMemory }) => farMemory !== null) : [];
  const near = here.filter((device) => !far.some((node) => nodeNamed(node) === device));
  if (text === EACH_CPU || text === EACH_NODE) {
    if (near.length > 0) return near;
    throw new UserError(`--device ${text}: ${farText(far)}`);
  }
  if (near.includes(text)) return [text];
  const named = far.filter((node) => nodeNamed(node) === text);
  throw new UserError(
    named.length > 0
      ? `--device ${text}: ${farText(named)}; to measure its CPUs with that memory start pi-bench with taskset -c ${named.map(({ cpus: own }) => formatCpuList(own)).join(',')}`
      : `--device ${text} is not here, or may not be used; there is ${here.join(', ')}`,
  );
}

/** `the threads of numa:0 would have memory of other nodes: it has none of its own` */
export const farText = (far: readonly CpuNode[]): string =>
  far
    .map((node) => `the threads of ${nodeNamed(node)} would have memory of other nodes: ${node.farMemory}`)
    .join('; ');

/** Of devices that are named one by one the nodes whose threads would have the memory of others. */
export const farAmong = (devices: readonly string[], { nodes }: CpuParts): readonly CpuNode[] =>
  nodes.filter((node) => node.farMemory !== null && devices.includes(nodeNamed(node)));

/** Those whose threads have their own memory. */
export const wholeNodes = ({ nodes }: CpuParts): readonly CpuNode[] =>
  nodes.filter(({ farMemory }) => farMemory === null);

/**
 * Which nodes a flag leaves out that asks for all of them; null: none.
 * @param text of the flag, which a sweep's is a list
 */
export function leftOutText(text: string, { nodes }: CpuParts): string | null {
  const far = nodes.filter(({ farMemory }) => farMemory !== null);
  const asksForAll = text.split(',').some((one) => one.trim() === EACH_NODE);
  return far.length === 0 || !asksForAll
    ? null
    : `${EACH_NODE} leaves out ${far.map(nodeNamed).join(', ')}: ${farText(far)}`;
}

/** The CPUs of a device; null: it is no part of the CPU. */
export function cpusOfPart(device: string, { cpus, nodes }: CpuParts): readonly number[] | null {
  const [, kind, digits] = ONE.exec(device) ?? [];
  if (kind === undefined) return null;
  const number = Number(digits);
  if (kind === 'cpu') return cpus.filter((cpu) => cpu === number);
  return nodes.find(({ node }) => node === number)?.cpus ?? [];
}
