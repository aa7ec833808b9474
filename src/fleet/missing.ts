/** What a node lacks that at least half of its fleet has, or that a baseline has: a device, or a KPI on a device. Pure. */
import { deviceText, sameDevice } from '../qualify/baseline-key.js';
import type { Baseline, BaselineDevice, BaselineEntry } from '../qualify/baseline-schema.js';
import { plural } from '../quantities/format.js';
import { keyText, keyTitle, readKey } from './case-key.js';
import { deviceKey, type Fleet, gpusOf, type Series } from './table.js';

export interface Missing {
  /** In `Fleet.nodes`. */
  readonly node: number;
  /** In `Fleet.places`; null: the device itself is missing. */
  readonly place: number | null;
  readonly cause: 'lost' | 'missing-device';
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
      : [
          {
            node,
            place: null,
            cause: 'lost',
            text: `nothing was measured on ${counted(first, more.length)}, as on others`,
          },
        ];
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

type Kinds = ReturnType<typeof kindsOf>;

/**
 * Places that lack a KPI which others of their kind have.
 * @param lacked of a kind: whether so many of so many having it make those that do not
 */
function lackingPlaces(
  { places: own }: Series,
  { kinds, sizes }: Kinds,
  lacked: (having: number, all: number) => boolean,
): readonly number[] {
  const counts = new Int32Array(sizes.length);
  for (let row = 0; row < own.length; row++) {
    const kind = kinds[own[row] as number] as number;
    counts[kind] = (counts[kind] as number) + 1;
  }
  const open = new Set<number>();
  counts.forEach((count, kind) => {
    const size = sizes[kind] ?? 0;
    if (count > 0 && count < size && lacked(count, size)) open.add(kind);
  });
  if (open.size === 0) return [];
  const having = new Set(own);
  const lacking: number[] = [];
  kinds.forEach((kind, place) => {
    if (open.has(kind) && !having.has(place)) lacking.push(place);
  });
  return lacking;
}

/** KPIs that at least half of the nodes have on a device of that name and kind. */
function missingKpis(fleet: Fleet): readonly Missing[] {
  const { places, series } = fleet;
  const kinds = kindsOf(fleet);
  const missing = new Map<number, string[]>();
  for (const one of series) {
    for (const place of lackingPlaces(one, kinds, (having, all) => having >= all / 2))
      missing.set(place, [...(missing.get(place) ?? []), keyTitle(one.key)]);
  }
  return [...missing].map(([place, titles]) => {
    const { node, on } = places[place] as Fleet['places'][number];
    return {
      node,
      place,
      cause: 'lost',
      text: `${on} lacks what others have: ${counted(titles[0] ?? '', titles.length - 1)}`,
    };
  });
}

const MOST_NAMES = 3;

/** Of each KPI which nodes lack it while fewer than half have it, in words; null: none does. It may be what those few have too much. */
export function lackedByMost(fleet: Fleet): readonly (string | null)[] {
  const { nodes, places, series } = fleet;
  const kinds = kindsOf(fleet);
  return series.map((one) => {
    const lacking = lackingPlaces(one, kinds, (having, all) => having < all / 2);
    const names = [...new Set(lacking.map((place) => nodes[places[place]?.node ?? -1]?.node ?? ''))].sort();
    if (names.length === 0) return null;
    const some = [...names.slice(0, MOST_NAMES), ...(names.length > MOST_NAMES ? ['...'] : [])].join(', ');
    return `${plural(names.length, 'node')} of ${nodes.length} ${names.length === 1 ? 'lacks' : 'lack'} it (${some}), too many to call them lost`;
  });
}

export const missingOf = (fleet: Fleet): readonly Missing[] => [
  ...missingDevices(fleet),
  ...missingKpis(fleet),
];

/** Whether a node's line has such a KPI: its rates, of which what is sustained is a column. */
export const isOfLines = ({ kpi, direction }: Pick<BaselineEntry, 'kpi' | 'direction'>): boolean =>
  direction === 'higher' && !kpi.includes('_sustained_');

/** A node without a device of a kind of which the baseline has some: none of its entries would find such a node slow. */
function devicesBeside({ nodes, places }: Fleet, devices: readonly BaselineDevice[]): readonly Missing[] {
  const kinds = [...new Set(devices.map(({ kind }) => kind))];
  const having = kinds.map(
    (kind) =>
      new Set(
        places.flatMap(({ node, on }) => {
          const own = nodes[node]?.devices[on];
          return own !== undefined && devices.some((one) => one.kind === kind && sameDevice(one, own))
            ? [node]
            : [];
        }),
      ),
  );
  return nodes.flatMap((_, node) =>
    kinds.flatMap((kind, i) => {
      const first = devices.find((one) => one.kind === kind);
      return first === undefined || having[i]?.has(node) === true
        ? []
        : [
            {
              node,
              place: null,
              cause: kind === 'gpu' ? 'missing-device' : 'lost',
              text: `nothing was measured on ${deviceText(first)}, which the baseline has`,
            },
          ];
    }),
  );
}

/** Nodes that lost some of their GPUs: on those that are left, nothing is slow and nothing lacks. */
function fewerGpus({ nodes }: Fleet, gpusPerNode: number | undefined): readonly Missing[] {
  if (gpusPerNode === undefined) return [];
  return nodes.flatMap((head, node) => {
    const here = gpusOf(head);
    return here === 0 || here >= gpusPerNode
      ? []
      : [
          {
            node,
            place: null,
            cause: 'missing-device',
            text: `something was measured on ${plural(here, 'GPU')}, and a node of the baseline has ${gpusPerNode}`,
          },
        ];
  });
}

/** Entries that a place of their device lacks: what was not measured must not pass by what the baseline says of the rest. */
function entriesBeside(fleet: Fleet, entries: readonly BaselineEntry[]): readonly Missing[] {
  const { nodes, places, series } = fleet;
  const byKey = new Map<string, Int32Array[]>();
  for (const { key, places: own } of series) {
    const read = readKey(key);
    if (read === null) continue;
    const same = keyText(read);
    byKey.set(same, [...(byKey.get(same) ?? []), own]);
  }
  const missing = new Map<number, string[]>();
  for (const entry of entries) {
    const key = keyText(entry);
    const having = new Uint8Array(places.length);
    for (const own of byKey.get(key) ?? []) for (const place of own) having[place] = 1;
    places.forEach(({ node, on }, place) => {
      const device = nodes[node]?.devices[on];
      if (having[place] === 1 || device === undefined || !sameDevice(device, entry.device)) return;
      missing.set(place, [...(missing.get(place) ?? []), keyTitle(key)]);
    });
  }
  return [...missing].map(([place, titles]) => {
    const { node, on } = places[place] as Fleet['places'][number];
    return {
      node,
      place,
      cause: 'lost',
      text: `${on} lacks what the baseline has: ${counted(titles[0] ?? '', titles.length - 1)}`,
    };
  });
}

/** What nodes lack of a baseline, whether others of their fleet have it or nobody. */
export function missingBeside(
  fleet: Fleet,
  { entries, gpusPerNode }: Pick<Baseline, 'entries' | 'gpusPerNode'>,
): readonly Missing[] {
  const own = entries.filter(isOfLines);
  const devices = [...new Map(own.map(({ device }) => [JSON.stringify(device), device])).values()];
  return [...devicesBeside(fleet, devices), ...fewerGpus(fleet, gpusPerNode), ...entriesBeside(fleet, own)];
}
