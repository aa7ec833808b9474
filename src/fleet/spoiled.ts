/**
 * Rates with a flag that spoils them. Where a whole fleet is hot or busy its nodes are alike, so that none is named and each is an
 * example of what is too slow. Pure.
 */
import { plural } from '../quantities/format.js';
import { keyTitle } from './case-key.js';
import { spoils } from './causes.js';
import type { Fleet, Series } from './table.js';

/** Rows, each with what spoils it. */
export const spoiledRows = ({ flags }: Pick<Series, 'flags'>): ReadonlyMap<number, readonly string[]> =>
  new Map(
    [...flags].flatMap(([row, names]) => {
      const own = names.filter(spoils);
      return own.length === 0 ? [] : [[row, own] as const];
    }),
  );

/** From there on the flag is the fleet's, and, where its nodes are held against each other, against none of them. */
const MOST = 0.5;

/** Whether so many of so many rates with a flag make it one of the fleet. */
export const isOfFleet = (rows: number, of: number): boolean => rows >= MOST * of;

interface Often {
  readonly flag: string;
  readonly key: string;
  readonly rows: number;
  readonly of: number;
}

/** Of a KPI the flags that so many of its rates have. */
function oftenIn(series: Series): readonly Often[] {
  const counts = new Map<string, number>();
  for (const names of spoiledRows(series).values()) {
    for (const flag of new Set(names)) counts.set(flag, (counts.get(flag) ?? 0) + 1);
  }
  const of = series.places.length;
  return [...counts]
    .filter(([, rows]) => isOfFleet(rows, of))
    .map(([flag, rows]) => ({ flag, rows, of, key: series.key }));
}

/**
 * `thermal: 12 of 16 rates of matmul 512 ... have this flag, and as many or more of 2 other KPIs: ...`
 * @param among whether the nodes are held against each other
 */
export function spoiledTexts({ series }: Pick<Fleet, 'series'>, among: boolean): readonly string[] {
  const often = series.flatMap(oftenIn);
  const so = among
    ? 'all of these nodes may be too slow by it, and none is named for it'
    : 'all of these nodes may be too slow by it, and those are named for it that the baseline finds to be';
  return [...new Set(often.map(({ flag }) => flag))].sort().map((flag) => {
    const all = often.filter((one) => one.flag === flag).sort((a, b) => b.rows / b.of - a.rows / a.of);
    const [{ key, rows, of } = { key: '', rows: 0, of: 0 }, ...more] = all;
    const others =
      more.length === 0 ? '' : `, and half or more of the rates of ${plural(more.length, 'other KPI')}`;
    return `${flag}: ${rows} of ${plural(of, 'rate')} of ${keyTitle(key)} ${of === 1 ? 'has' : 'have'} this flag${others}: ${so}`;
  });
}

export interface Spoiled {
  /** In `Fleet.nodes`. */
  readonly node: number;
  readonly text: string;
}

/** Which nodes have such rates, in words. */
export function spoiledOf({ places, series }: Pick<Fleet, 'places' | 'series'>): readonly Spoiled[] {
  const of = new Map<number, { readonly titles: string[]; readonly flags: Set<string> }>();
  for (const one of series) {
    for (const [row, names] of spoiledRows(one)) {
      const { node = -1, on = '' } = places[one.places[row] ?? -1] ?? {};
      const own = of.get(node) ?? { titles: [], flags: new Set<string>() };
      of.set(node, own);
      own.titles.push(`${keyTitle(one.key)}${on === 'cpu' ? '' : ` on ${on}`}`);
      for (const flag of names) own.flags.add(flag);
    }
  }
  return [...of].map(([node, { titles, flags }]) => {
    const more = titles.length === 1 ? '' : ` and ${titles.length - 1} more`;
    return { node, text: `${titles[0]}${more}: flagged ${[...flags].sort().join(', ')}` };
  });
}
