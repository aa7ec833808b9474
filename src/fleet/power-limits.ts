/** Nodes of one kind whose devices have different power limits: in words, and where that is an error. Pure. */
import { UserError } from '../errors.js';
import type { BaselineDevice } from '../qualify/baseline-schema.js';
import { plural } from '../quantities/format.js';
import { deviceKey, type Fleet } from './table.js';

/** Devices that differ in nothing but their limit. */
interface Kind {
  readonly device: BaselineDevice;
  /** Of each limit: its nodes, each once. */
  readonly limits: Map<number | null, Set<string>>;
}

function kindsOf({ nodes, places }: Fleet): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const { node, on } of places) {
    const head = nodes[node];
    const device = head?.devices[on];
    if (head === undefined || device === undefined || device.kind === 'cpu') continue;
    const key = deviceKey(device);
    const { limits } = kinds.get(key) ?? { limits: new Map<number | null, Set<string>>() };
    kinds.set(key, { device, limits });
    const having = limits.get(device.powerLimitWatts) ?? new Set<string>();
    limits.set(device.powerLimitWatts, having.add(head.node));
  }
  return [...kinds.values()];
}

/** `700 W (12 nodes, such as n1)` */
function limitText(limit: number | null, nodes: ReadonlySet<string>): string {
  const names = [...nodes].sort();
  const who = names.length === 1 ? names[0] : `${plural(names.length, 'node')}, such as ${names[0]}`;
  return `${limit === null ? 'an unknown limit' : `${limit} W`} (${who})`;
}

/** A line for each kind of device whose power limits differ: `H200 has power limits of 700 W (n0), 500 W (n1)`. */
export const mixedLimits = (fleet: Fleet): readonly string[] =>
  kindsOf(fleet).flatMap(({ device, limits }) => {
    if (limits.size < 2) return [];
    const said = [...limits]
      .sort(([a, of], [b, others]) => others.size - of.size || (b ?? 0) - (a ?? 0))
      .map(([limit, nodes]) => limitText(limit, nodes));
    return [`${device.name} has power limits of ${said.join(', ')}`];
  });

/** @throws UserError where the nodes' limits differ: what a baseline says holds for one */
export function refuseMixedLimits(fleet: Fleet): void {
  const [first] = mixedLimits(fleet);
  if (first === undefined) return;
  throw new UserError(
    `mixed power limits: ${first}; a baseline is of one limit: set the same everywhere (nvidia-smi -pl), or give the nodes of one limit at a time`,
  );
}
