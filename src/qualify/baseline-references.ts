/** What of a baseline is kept in a node's record, so that its page can draw the node beside it without the file. Pure. */
import type { MachineDescription } from '../machine/types.js';
import type { PiBenchRecord, Qualification } from '../record/schema.js';
import type { Baseline } from './baseline-schema.js';
import { entryFor } from './criteria/references.js';
import { rateKpi } from './rates.js';

type References = NonNullable<NonNullable<Qualification['baseline']>['references']>;

/** The entries that judge a batch of the record, by the batch. */
export function referencesOf(
  baseline: Baseline,
  machine: MachineDescription,
  { batches }: Pick<PiBenchRecord, 'batches'>,
): References {
  return batches.flatMap((one, batch) => {
    const kpi = rateKpi(one.case.indicator);
    const entry = kpi === null ? null : entryFor(baseline, machine, one, kpi);
    if (entry === null || entry.unit !== one.rateUnit) return [];
    const { nodes, median, p05, spread, distribution } = entry;
    return [
      {
        batch,
        nodes,
        median,
        p05,
        low: spread.low,
        high: spread.high,
        distribution:
          distribution === null
            ? null
            : { probabilities: [...distribution.probabilities], seconds: [...distribution.seconds] },
      },
    ];
  });
}
