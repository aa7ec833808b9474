/** What nodes have to have in common to be one fleet, and what may differ between them and then be the reason. Pure. */
import { UserError } from '../errors.js';
import { limitInForce } from '../machine/gpus.js';
import type { MachineDescription } from '../machine/types.js';
import { plural } from '../quantities/format.js';
import { absencesOf } from '../record/absences.js';
import type { Labels } from '../record/schema.js';
import type { NodeHead, Value } from './node-line.js';

/** Of a record's labels. The version of pi-bench is among them, because its kernels are what was measured. */
const HARDWARE = [
  'architecture',
  'cpu_vendor',
  'cpu_model',
  'cpu_family_model_stepping',
  'sockets',
  'cores',
  'cpus',
  'smt',
  'numa_nodes',
  'gpus',
  'pibench_version',
  'imported',
] as const;

const SETTINGS = [
  'governor',
  'turbo',
  'microcode',
  'kernel',
  'os',
  'libc',
  'hypervisor',
  'clocksource',
  'transparent_huge_pages',
  'cgroup_cpu_quota',
  'cgroup_memory_limit_bytes',
  'allowed_cpus',
  'gpu_driver',
] as const;

/** Memory that firmware and kernel keep for themselves differs a little between equal nodes. */
const MEMORY_STEP = 2 ** 30;

const chosen = (labels: Labels, names: readonly string[]): Record<string, Value> =>
  Object.fromEntries(names.flatMap((name) => (labels[name] == null ? [] : [[name, labels[name]]])));

/** @param machine of the same record */
export function identityOf(
  labels: Labels,
  machine: Partial<Pick<MachineDescription, 'gpus' | 'limits' | 'virtualisation'>>,
): Pick<NodeHead, 'hardware' | 'settings'> {
  const limits = (machine.gpus?.devices ?? []).flatMap((gpu) => limitInForce(gpu) ?? []);
  const memory = labels.memory_bytes;
  return {
    hardware: chosen(labels, HARDWARE),
    settings: {
      // That there is none is a value as any other: what a node does not tell is not.
      ...absencesOf(machine),
      ...chosen(labels, SETTINGS),
      ...(typeof memory === 'number' ? { memory_gib: Math.round(memory / MEMORY_STEP) } : {}),
      ...(limits.length === 0 ? {} : { gpu_power_limit_watts: limits.join(',') }),
    },
  };
}

export interface Disagreement {
  readonly name: string;
  /** Each value, how many nodes have it, and one of them; the most frequent first. */
  readonly values: readonly { readonly value: Value; readonly nodes: number; readonly example: string }[];
}

type Facts = 'hardware' | 'settings';

const factsOf = <F extends Facts>(node: Pick<NodeHead, F>, facts: F): Readonly<Record<string, Value>> =>
  node[facts];

/** Of a lost node no fact is known. */
export const isTold = <F extends Facts>(node: Pick<NodeHead, F>, facts: F): boolean =>
  Object.keys(factsOf(node, facts)).length > 0;

/** Of nodes of which any fact is known; in the order of the facts' names, so that the order of the nodes does not show. */
export function disagreements<F extends Facts>(
  all: readonly Pick<NodeHead, 'node' | F>[],
  facts: F,
): readonly Disagreement[] {
  const nodes = all.filter((node) => isTold(node, facts));
  const names = new Set(nodes.flatMap((node) => Object.keys(factsOf(node, facts))));
  return [...names].sort().flatMap((name) => {
    const values = new Map<Value, { nodes: number; example: string }>();
    for (const node of nodes) {
      const value = factsOf(node, facts)[name] ?? null;
      const known = values.get(value);
      if (known === undefined) values.set(value, { nodes: 1, example: node.node });
      else {
        known.nodes++;
        if (node.node < known.example) known.example = node.node;
      }
    }
    if (values.size === 1) return [];
    const sorted = [...values].map(([value, rest]) => ({ value, ...rest }));
    return { name, values: sorted.sort((a, b) => b.nodes - a.nodes || (a.example < b.example ? -1 : 1)) };
  });
}

/** `cpu_model: "A" (12 nodes), "B" (n7)` */
export function disagreementText({ name, values }: Disagreement): string {
  const said = values
    .slice(0, 3)
    .map(
      ({ value, nodes, example }) =>
        `${value === null ? 'not known' : JSON.stringify(value)} (${nodes === 1 ? example : `${nodes} nodes, such as ${example}`})`,
    );
  const more = values.length - said.length;
  return `${name}: ${said.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * A fleet is of one kind of hardware, measured by one version. Nodes of which nothing is known (lost ones) do not disagree.
 * @param across facts that may differ all the same
 * @throws UserError that names the first difference, and who differs
 */
export function refuseMixed(
  nodes: readonly Pick<NodeHead, 'node' | 'hardware'>[],
  across: readonly string[],
): void {
  const [first, ...more] = disagreements(nodes, 'hardware').filter(({ name }) => !across.includes(name));
  if (first === undefined) return;
  const rest = more.length === 0 ? '' : `; also ${more.map(({ name }) => name).join(', ')}`;
  throw new UserError(
    `mixed hardware: ${disagreementText(first)}${rest}; give nodes of one kind, or --across ${[first, ...more].map(({ name }) => name).join(',')}`,
  );
}

/**
 * @param across facts that may differ
 * @throws UserError for what is no fact: it would let nothing pass that it was meant to
 */
export function requireFacts(nodes: readonly Pick<NodeHead, 'hardware'>[], across: readonly string[]): void {
  const names = [...new Set([...HARDWARE, ...nodes.flatMap(({ hardware }) => Object.keys(hardware))])];
  const unknown = across.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new UserError(`--across: no fact is called ${unknown}; there is ${names.join(', ')}`);
}

/**
 * Nodes that are one machine by its identity, as a virtual machine and its clone are, or a node that is given twice; and containers
 * that an older pi-bench measured, which took the id of their image for the machine's.
 */
export function sameMachines(
  nodes: readonly Pick<NodeHead, 'node' | 'machine'>[],
): readonly (readonly string[])[] {
  const of = new Map<string, string[]>();
  for (const { node, machine } of nodes) {
    if (machine === null) continue;
    const names = of.get(machine) ?? [];
    of.set(machine, names);
    names.push(node);
  }
  return [...of.values()].filter(({ length }) => length > 1);
}

const MOST_NAMES = 4;

/** `2 nodes have one machine identity (a, b, and 1 machine more): ...`; null: each node has its own. */
export function sameMachinesText([first, ...more]: ReturnType<typeof sameMachines>): string | null {
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : `, and ${plural(more.length, 'machine')} more`;
  const names = first.length > MOST_NAMES ? [...first.slice(0, MOST_NAMES), '...'] : first;
  return `${plural(first.length, 'node')} have one machine identity (${names.join(', ')}${others}): they count as so many nodes; give a node once, unless these are containers of one image`;
}
