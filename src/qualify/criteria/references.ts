/** How fast a batch is against others: a baseline, the devices beside it, what it was itself before. Pure. */
import type { MachineDescription } from '../../machine/types.js';
import { canonicalJson } from '../../record/digest.js';
import type { Finding, RecordBatch } from '../../record/schema.js';
import { median } from '../../statistics/quantile.js';
import { baselineKey, keyedBatch } from '../baseline-key.js';
import type { Baseline, BaselineEntry } from '../baseline-schema.js';
import { atLeast, skipped } from '../findings.js';
import { historyKey, rateKpi, serialOf } from '../rates.js';
import { batchesFor, type Criterion, judgeBatches, notPossible, speedOf } from './criterion.js';

/** Fewer cannot tell which of them is the odd one. */
const LEAST_OTHERS = 3;
/** Half-widths of what others scatter by, in median absolute deviations: beyond are fewer than 1 in 100 of normal ones. */
const SCATTER = 4;

const entries = new WeakMap<Baseline, ReadonlyMap<string, BaselineEntry>>();

function entryFor(baseline: Baseline, machine: MachineDescription, batch: RecordBatch): BaselineEntry | null {
  const kpi = rateKpi(batch.case.indicator);
  if (kpi === null) return null;
  const known =
    entries.get(baseline) ?? new Map(baseline.entries.map((entry) => [baselineKey(entry), entry]));
  entries.set(baseline, known);
  return known.get(baselineKey(keyedBatch(machine, batch, kpi))) ?? null;
}

export const floor: Criterion<'floor'> = {
  kind: 'floor',
  repeats: true,
  judge(check, context) {
    const { baseline, machine, source } = context;
    if (baseline === null) return [notPossible(check, 'no baseline was given (--baseline)', source)];
    const judgements = judgeBatches(check, context, (batch) => {
      const entry = entryFor(baseline, machine, batch);
      if (entry === null) {
        const none = skipped(
          'rate',
          `baseline ${baseline.name} has no entry for this case on this device`,
          source,
        );
        return { possible: false, findings: [none], cause: null };
      }
      const from = `${source} of baseline ${baseline.name}, ${entry.nodes} nodes`;
      const { rate, rateUnit: unit } = batch;
      const findings: Finding[] = [
        atLeast(
          { quantity: 'rate', measured: rate?.median ?? null, unit, source: from },
          check.medianAtLeast * entry.median,
        ),
      ];
      if (check.p05AtLeast !== undefined && entry.p05 !== null) {
        findings.push(
          atLeast(
            { quantity: 'rate_p05', measured: rate?.p05 ?? null, unit, source: from },
            check.p05AtLeast * entry.p05,
          ),
        );
      }
      return speedOf(batch, findings, 'slow');
    });
    if (context.reference !== null || judgements.some(({ possible }) => possible)) return judgements;
    // Somebody gave a baseline to be held to: a node that none of it could judge must not pass.
    const why = `baseline ${baseline.name} has no entry for any case of this suite`;
    return [{ ...notPossible(check, why, source), possible: true }];
  },
};

/** What is still as good as the others: some share below their median, or as far as they scatter. */
function limitFrom(others: readonly number[], within: number): number {
  const middle = median(others);
  const mad = median(others.map((value) => Math.abs(value - middle)));
  return middle - Math.max(within * middle, SCATTER * mad);
}

/** All but the device is the same. */
const peerKey = ({ case: one, asked }: RecordBatch): string =>
  canonicalJson([one, asked.stack.provider, asked.stack.variant]);

export const peers: Criterion<'peers'> = {
  kind: 'peers',
  repeats: true,
  judge(check, context) {
    // Measured again, a device still has the peers of the first attempt.
    const batches = batchesFor(check, context.reference ?? context.record).map(({ batch }) => batch);
    const beside = (one: RecordBatch): readonly RecordBatch[] =>
      batches.filter((other) => other.device !== one.device && peerKey(other) === peerKey(one));
    if (!batches.some((one) => beside(one).length + 1 >= LEAST_OTHERS)) {
      const why = `it takes ${LEAST_OTHERS} devices that measure the same, and there are fewer`;
      return [notPossible(check, why, context.source)];
    }
    return judgeBatches(check, context, (batch) => {
      const others = beside(batch).flatMap(({ rate }) => rate?.median ?? []);
      if (others.length + 1 < LEAST_OTHERS) {
        const none = skipped('rate', `${others.length} others measured the same`, context.source);
        return { possible: false, findings: [none], cause: null };
      }
      const source = `${context.source} of ${others.length} peers`;
      const looked = { quantity: 'rate', measured: batch.rate?.median ?? null, unit: batch.rateUnit, source };
      return speedOf(batch, [atLeast(looked, limitFrom(others, check.within))], 'slow');
    });
  },
};

export const history: Criterion<'history'> = {
  kind: 'history',
  repeats: true,
  judge(check, context) {
    const { machine, history: runs, source } = context;
    return judgeBatches(check, context, (batch) => {
      const key = historyKey(machine, batch);
      const { serial, serialIs } = serialOf(machine, batch.device);
      const earlier = runs.flatMap(({ rates }) => rates.get(key) ?? []);
      if (earlier.length < LEAST_OTHERS) {
        const why = `${earlier.length} earlier qualified runs of ${serial ?? 'no serial'} measured it, and it takes ${LEAST_OTHERS}`;
        return { possible: false, findings: [skipped('rate', why, source)], cause: null };
      }
      const from = `${source} of ${earlier.length} earlier runs by ${serialIs}`;
      const looked = {
        quantity: 'rate',
        measured: batch.rate?.median ?? null,
        unit: batch.rateUnit,
        source: from,
      };
      return speedOf(batch, [atLeast(looked, limitFrom(earlier, check.within))], 'slow');
    });
  },
};
