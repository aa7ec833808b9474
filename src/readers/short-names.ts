/** Names that are too long for their column, shortened so that those which differ stay different. Pure. */

/** Of fewer characters the end alone is kept: it tells files of one folder apart, and the beginning is theirs in common. */
const BOTH_ENDS = 18;

/** Without its middle, of which `head` characters are kept in front. */
function cut(name: string, most: number, head: number): string {
  if (name.length <= most) return name;
  const tail = most - 1 - head;
  return `${name.slice(0, head)}…${tail === 0 ? '' : name.slice(-tail)}`;
}

/** How much of the front to keep, the best to read first: some, nothing but the front, and whatever else tells names apart. */
const heads = (most: number): readonly number[] => [
  most < BOTH_ENDS ? 0 : Math.floor(most / 3),
  most - 1,
  ...Array.from({ length: most - 1 }, (_, head) => head),
];

/**
 * @param most characters of each, enough for a number and some of the name
 * @returns in their order; names that are alike stay alike
 */
export function shortNames(names: readonly string[], most: number): readonly string[] {
  const all = [...new Set(names)];
  const shortened = (): readonly string[] => {
    for (const head of heads(most)) {
      const short = all.map((name) => cut(name, most, head));
      if (new Set(short).size === all.length) return short;
    }
    // They differ in their middles only.
    return all.map((name, i) => {
      const number = ` #${i + 1}`;
      return `${cut(name, Math.max(1, most - number.length), 0)}${number}`;
    });
  };
  const short = shortened();
  const byName = new Map(all.map((name, i) => [name, short[i] ?? name]));
  return names.map((name) => byName.get(name) ?? name);
}
