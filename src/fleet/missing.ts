/** What a node lacks that at least half of its fleet has: a device, or a KPI on a device. Pure. */
import { keyTitle } from './case-key.js';
import { deviceKey, type Fleet } from './table.js';

export interface Missing {
  /** In `Fleet.nodes`. */
  readonly node: number;
  readonly text: string;
}

const counted = (one: string, more: number): string => (more > 0 ? `${one} and ${more} more` : one);

/** A GPU that is gone leaves no KPI behind that could be missed. */
function missingDevices({ nodes, places }: Fleet): readonly Missing[] {
  const having = new Map<string, Set<number>>();
  for (const { node, on } of places) having.set(on, (having.get(on) ?? new Set<number>()).add(node));
  const usual = [...having].filter(([, of]) => of.size >= nodes.length / 2).map(([on]) => on);
  return nodes.flatMap((_, node) => {
    const [first, ...more] = usual.filter((on) => having.get(on)?.has(node) === false);
    return first === undefined
      ? []
      : [{ node, text: `nothing was measured on ${counted(first, more.length)}, as on others` }];
  });
}

/** Kinds of devices, and of each place which kind it has: a number, for it is asked for two million times. */
function kindsOf({ nodes, places }: Fleet): {
  readonly kinds: Int32Array;
  readonly sizes: readonly number[];
} {
  const numbers = new Map<string, number>();
  const sizes: number[] = [];
  const kinds = Int32Array.from(places, ({ node, on }) => {
    const device = nodes[node]?.devices[on];
    const key = `${on} ${device === undefined ? '' : deviceKey(device)}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    sizes[number] = (sizes[number] ?? 0) + 1;
    return number;
  });
  return { kinds, sizes };
}

/** KPIs that at least half of the nodes have on a device of that name and kind. */
function missingKpis(fleet: Fleet): readonly Missing[] {
  const { places, series } = fleet;
  const { kinds, sizes } = kindsOf(fleet);
  const missing = new Map<number, string[]>();
  for (const one of series) {
    const counts = new Int32Array(sizes.length);
    for (let row = 0; row < one.places.length; row++) {
      const kind = kinds[one.places[row] as number] as number;
      counts[kind] = (counts[kind] as number) + 1;
    }
    const open = new Set<number>();
    counts.forEach((count, kind) => {
      const size = sizes[kind] ?? 0;
      if (count < size && count > 0 && count >= size / 2) open.add(kind);
    });
    if (open.size === 0) continue;
    const having = new Set(one.places);
    kinds.forEach((kind, place) => {
      if (!open.has(kind) || having.has(place)) return;
      missing.set(place, [...(missing.get(place) ?? []), keyTitle(one.key)]);
    });
  }
  return [...missing].map(([place, titles]) => {
    const { node, on } = places[place] as Fleet['places'][number];
    return { node, text: `${on} lacks what others have: ${counted(titles[0] ?? '', titles.length - 1)}` };
  });
}

export const missingOf = (fleet: Fleet): readonly Missing[] => [
  ...missingDevices(fleet),
  ...missingKpis(fleet),
];
