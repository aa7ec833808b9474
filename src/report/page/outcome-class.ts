/** The colour of an outcome: as good or bad news; the words say it, too. */
const CLASSES: Readonly<Record<string, string>> = {
  faster: 'ok',
  slower: 'bad',
  'wrong output': 'bad',
  'cannot tell': 'warning',
  'not measured': 'warning',
};

/** @param outcome its name, or its words, which may go on behind it: `same within 2 %` */
export const classOfOutcome = (outcome: string): string =>
  CLASSES[outcome] ?? (outcome.startsWith('same') ? 'ok' : '');
