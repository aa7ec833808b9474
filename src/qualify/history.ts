/** A node's own history: the rates of its earlier qualified runs, by the serials of its devices. Pure. */
import { isResult } from '../record/result.js';
import type { PiBenchRecord } from '../record/schema.js';
import { medianRate } from '../record/work.js';
import { machineOf } from './baseline-key.js';
import type { HistoryRun } from './criteria/criterion.js';
import { historyKey } from './rates.js';

/** Older ones were of other firmware and other kernels. */
export const MOST_RUNS = 20;

/** null: no run to be measured by, as it was not qualified itself, or had a fault injected. */
export function historyRun(record: PiBenchRecord): HistoryRun | null {
  const { qualification, campaign, batches, piBench } = record;
  if (qualification?.outcome !== 'qualified' || campaign.fault !== null) return null;
  const machine = machineOf(record);
  const rates = batches.flatMap((batch): [string, number][] => {
    const key = historyKey(machine, batch);
    const rate = isResult(batch) ? medianRate(batch) : null;
    return rate === null || key === null ? [] : [[key, rate]];
  });
  return { campaign: campaign.id, at: campaign.createdAt, version: piBench.version, rates: new Map(rates) };
}
