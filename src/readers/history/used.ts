/** Which records a history is made of. Pure. */
import type { NamedRecord } from '../comparison/sides.js';
import { byMoment } from './series.js';

interface Used {
  readonly records: readonly NamedRecord[];
  readonly leftOut: readonly { readonly record: string; readonly why: string }[];
}

const measuredIn = ({ record: { batches } }: NamedRecord): number =>
  batches.reduce((sum, { measured }) => sum + measured, 0);

/** Why a record has no part; null: it has. @param others records of the same campaign, which count once */
function whyUnused(one: NamedRecord, others: readonly NamedRecord[]): string | null {
  if (one.record.campaign.fault !== null) return 'an error was injected on purpose';
  if (one.record.batches.length === 0) return 'it measured nothing';
  if (one.record.imported !== undefined) return 'others measured it, and nobody verified its outputs';
  const [fullest] = others.toSorted((a, b) => measuredIn(b) - measuredIn(a));
  if (fullest === undefined || fullest === one) return null;
  return fullest.record.digest === one.record.digest
    ? `a copy of ${fullest.name}`
    : `an earlier state of ${fullest.name}`;
}

/** Oldest first: no campaign twice, as in a folder that it was moved from, and none with an error injected on purpose. */
export function usedOf(all: readonly NamedRecord[]): Used {
  const ofCampaign = new Map<string, NamedRecord[]>();
  for (const one of all) {
    const { id } = one.record.campaign;
    ofCampaign.set(id, [...(ofCampaign.get(id) ?? []), one]);
  }
  const whys = all.map((one) => whyUnused(one, ofCampaign.get(one.record.campaign.id) ?? []));
  return {
    records: all.filter((_, i) => whys[i] === null).toSorted(byMoment),
    leftOut: all.flatMap(({ name }, i) => {
      const why = whys[i];
      return why == null ? [] : [{ record: name, why }];
    }),
  };
}
