/** Partners for as many as can have one: maximum bipartite matching by augmenting paths. Pure. */

/**
 * @param mayPair whether the two may be paired
 * @returns partners by who has them, each once; who is not there can have none beside the others
 */
export function partnersOf(
  ones: readonly string[],
  others: readonly string[],
  mayPair: (one: string, other: string) => boolean,
): ReadonlyMap<string, string> {
  const partners = new Map<string, string>();
  const takenBy = new Map<string, string>();
  /** What a search without success has seen leads nowhere in later ones either. */
  const spent = new Set<string>();

  /** Whoever asked for it takes it, and leaves the partner it had to whoever asked for that one. */
  const take = (wanted: string, askedBy: ReadonlyMap<string, string>): void => {
    let next: string | undefined = wanted;
    while (next !== undefined) {
      const one = askedBy.get(next) as string;
      const before = partners.get(one);
      partners.set(one, next);
      takenBy.set(next, one);
      next = before;
    }
  };

  for (const first of ones) {
    const askedBy = new Map<string, string>();
    const asking = [first];
    let free: string | undefined;
    for (const one of asking) {
      free = others.find((other) => !takenBy.has(other) && mayPair(one, other));
      if (free !== undefined) {
        askedBy.set(free, one);
        take(free, askedBy);
        break;
      }
      for (const other of others) {
        if (spent.has(other) || askedBy.has(other) || !mayPair(one, other)) continue;
        askedBy.set(other, one);
        asking.push(takenBy.get(other) as string);
      }
    }
    if (free === undefined) for (const other of askedBy.keys()) spent.add(other);
  }
  return partners;
}
