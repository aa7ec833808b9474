/** How fast a batch is against others: a baseline, the devices beside it, what it was itself before. Pure. */
import type { MachineDescription } from '../../machine/types.js';
import { formatShare, plural } from '../../quantities/format.js';
import { canonicalJson } from '../../record/digest.js';
import { isResult } from '../../record/result.js';
import type { Finding, RecordBatch } from '../../record/schema.js';
import { doesNoWork, medianRate } from '../../record/work.js';
import { median } from '../../statistics/quantile.js';
import { apartFromManner, baselineKey, type Keyed, keyedBatch } from '../baseline-key.js';
import type { Baseline, BaselineEntry } from '../baseline-schema.js';
import { causeNamed } from '../causes.js';
import { atLeast, type Looked, skipped } from '../findings.js';
import { historyKey, purposeOf, rateKpi, serialOf } from '../rates.js';
import { otherVersions, versionsOf, versionsText } from '../versions.js';
import { batchesFor, type Context, type Criterion, judgeBatches, notPossible, speedOf } from './criterion.js';
import { nodeOfBaseline } from './node-of-baseline.js';

/** Fewer cannot tell which of them is the odd one. */
const LEAST_OTHERS = 3;
/** Half-widths of what others scatter by, in median absolute deviations: beyond are fewer than 1 in 100 of normal ones. */
const SCATTER = 4;
/** Others that differ by more than this among themselves show nothing: a limit that far below them would hold for any device. */
const MOST_SCATTER = 0.25;

/** A barrier is neither slower nor faster by a rate that is 0 everywhere: that would be a check that cannot fail. */
function withoutRate(batch: RecordBatch, source: string) {
  if (batch.rate === null || !doesNoWork(batch)) return null;
  const none = skipped('rate', 'it does no work, so it has no rate', source);
  return { possible: false, findings: [none], cause: null };
}

const entries = new WeakMap<Baseline, ReadonlyMap<string, BaselineEntry>>();

/** What a baseline has of a batch; null: nothing. */
export function entryFor(
  baseline: Baseline,
  machine: MachineDescription,
  batch: RecordBatch,
  kpi: string,
): BaselineEntry | null {
  const known =
    entries.get(baseline) ?? new Map(baseline.entries.map((entry) => [baselineKey(entry), entry]));
  entries.set(baseline, known);
  return known.get(baselineKey(keyedBatch(machine, batch, kpi))) ?? null;
}

const caseKey = (keyed: Keyed): string =>
  baselineKey({ ...keyed, parameters: apartFromManner(keyed.parameters).own });

/** Why a baseline has nothing of a batch. A burst is not held to what others reach for a minute. */
function whyNoEntry(baseline: Baseline, keyed: Keyed): string {
  const manners = baseline.entries
    .filter((entry) => caseKey(entry) === caseKey(keyed))
    .map(({ parameters }) => apartFromManner(parameters).manner || 'without saying for how long');
  return manners.length === 0
    ? `baseline ${baseline.name} has no entry for this case on this device`
    : `baseline ${baseline.name} has this case ${[...new Set(manners)].join('; ')}, and it was measured ${apartFromManner(keyed.parameters).manner}`;
}

const ownVersion = ({ record }: Context): readonly string[] =>
  record === null ? [] : [record.piBench.version];

export const floor: Criterion<'floor'> = {
  kind: 'floor',
  repeats: true,
  judge(check, context) {
    const { baseline, machine, source } = context;
    if (baseline === null) return [notPossible(check, 'no baseline was given (--baseline)', source)];
    const others = otherVersions(versionsOf(baseline), ownVersion(context));
    const judgements = judgeBatches(check, context, (batch) => {
      const kpi = rateKpi(batch.case.indicator);
      if (kpi === null) {
        const none = skipped(
          'rate',
          `${batch.case.indicator} has no rate that a baseline could hold`,
          source,
        );
        return { possible: false, findings: [none], cause: null };
      }
      const { rate, rateUnit: unit } = batch;
      const idle = withoutRate(batch, source);
      if (idle !== null) return idle;
      const entry = entryFor(baseline, machine, batch, kpi);
      // Somebody gave a baseline to be held to: what it does not judge must not pass by it.
      const why =
        entry === null
          ? whyNoEntry(baseline, keyedBatch(machine, batch, kpi))
          : entry.unit !== unit
            ? `baseline ${baseline.name} has this case in ${entry.unit}, and it was measured in ${unit}`
            : null;
      if (entry === null || why !== null)
        return { findings: [skipped('rate', why ?? '', source)], cause: causeNamed('no-entry') };
      const from = `${source} of baseline ${baseline.name}, ${entry.nodes} nodes${versionsText(others)}`;
      const findings: Finding[] = [
        atLeast(
          { quantity: 'rate', measured: rate?.median ?? null, unit, source: from },
          check.medianAtLeast * entry.median,
        ),
      ];
      if (check.p05AtLeast !== undefined) {
        const note = entry.p05 === null ? { note: `baseline ${baseline.name} has no p05 of it` } : {};
        findings.push(
          atLeast(
            { quantity: 'rate_p05', measured: rate?.p05 ?? null, unit, source: from, ...note },
            entry.p05 === null ? Number.NaN : check.p05AtLeast * entry.p05,
          ),
        );
      }
      return speedOf(batch, findings, 'slow');
    });
    const all = [...nodeOfBaseline(check, baseline, context), ...judgements];
    if (context.reference !== null || all.some(({ possible }) => possible)) return all;
    const why = `baseline ${baseline.name} judges nothing that was measured here`;
    return [{ ...notPossible(check, why, source), possible: true }];
  },
};

interface Others {
  /** What is still as good as they are: some share below their median, or as far as they scatter. */
  readonly limit: number;
  /** By how far they do, over their median. */
  readonly scatter: number;
}

function othersOf(others: readonly number[], within: number): Others {
  const middle = median(others);
  const scatter = (SCATTER * median(others.map((value) => Math.abs(value - middle)))) / middle;
  return { limit: middle * (1 - Math.max(within, scatter)), scatter };
}

/** Of others that agree among themselves. What they do not agree on they do not show. */
function againstOthers(
  looked: Looked & { readonly measured: number | null },
  others: readonly number[],
  within: number,
): Finding {
  const { limit, scatter } = othersOf(others, within);
  if (scatter <= Math.max(within, MOST_SCATTER)) return atLeast(looked, limit);
  const note = `they differ by ${formatShare(scatter)} among themselves, so they show nothing`;
  return { ...atLeast({ ...looked, note }, limit), verdict: 'inconclusive' };
}

/** All but the device is the same: what was measured for the same purpose, alone or all at once. */
const peerKey = (batch: RecordBatch): string => canonicalJson([batch.case, ...purposeOf(batch)]);

export const peers: Criterion<'peers'> = {
  kind: 'peers',
  repeats: true,
  judge(check, context) {
    // Measured again, a device has those of its peers that were measured again, too; of the others those of the first attempt.
    const measuredIn = (record: Context['record']) => batchesFor(check, record).map(({ batch }) => batch);
    const now = measuredIn(context.record);
    const place = (batch: RecordBatch): string => canonicalJson([batch.device, peerKey(batch)]);
    const again = new Set(now.map(place));
    const before = context.reference === null ? [] : measuredIn(context.reference);
    const batches = [...now, ...before.filter((batch) => !again.has(place(batch)))];
    const beside = (one: RecordBatch): readonly RecordBatch[] =>
      batches.filter((other) => other.device !== one.device && peerKey(other) === peerKey(one));
    if (!batches.some((one) => beside(one).length + 1 >= LEAST_OTHERS)) {
      const why = `it takes ${LEAST_OTHERS} devices that measure the same, and there are fewer`;
      return [notPossible(check, why, context.source)];
    }
    return judgeBatches(check, context, (batch) => {
      const idle = withoutRate(batch, context.source);
      if (idle !== null) return idle;
      const others = beside(batch)
        .filter(isResult)
        .flatMap((other) => medianRate(other) ?? []);
      if (others.length + 1 < LEAST_OTHERS) {
        const none = skipped('rate', `${others.length} others measured the same`, context.source);
        return { possible: false, findings: [none], cause: null };
      }
      const source = `${context.source} of ${others.length} peers`;
      const looked = { quantity: 'rate', measured: batch.rate?.median ?? null, unit: batch.rateUnit, source };
      return speedOf(batch, [againstOthers(looked, others, check.within)], 'slow');
    });
  },
};

export const history: Criterion<'history'> = {
  kind: 'history',
  repeats: true,
  judge(check, context) {
    const { machine, history: runs, source } = context;
    return judgeBatches(check, context, (batch) => {
      const idle = withoutRate(batch, source);
      if (idle !== null) return idle;
      const key = historyKey(machine, batch);
      const { serial, serialIs } = serialOf(machine, batch.device);
      const known = key === null ? [] : runs.filter(({ rates }) => rates.has(key));
      const earlier = known.flatMap(({ rates }) => rates.get(key ?? '') ?? []);
      if (earlier.length < LEAST_OTHERS) {
        const by = serial === null ? `, as nobody knows the ${serialIs},` : ` by ${serialIs}`;
        const why = `${plural(earlier.length, 'earlier qualified run')}${by} measured it, and it takes ${LEAST_OTHERS}`;
        return { possible: false, findings: [skipped('rate', why, source)], cause: null };
      }
      const { scatter } = othersOf(earlier, check.within);
      if (scatter > Math.max(check.within, MOST_SCATTER)) {
        const why = `its ${earlier.length} earlier runs differ by ${formatShare(scatter)} among themselves, so they show nothing`;
        return { possible: false, findings: [skipped('rate', why, source)], cause: null };
      }
      const others = otherVersions(
        known.map(({ version }) => version),
        ownVersion(context),
      );
      const from = `${source} of ${earlier.length} earlier runs by ${serialIs}${versionsText(others)}`;
      const looked = {
        quantity: 'rate',
        measured: batch.rate?.median ?? null,
        unit: batch.rateUnit,
        source: from,
      };
      return speedOf(batch, [atLeast(looked, othersOf(earlier, check.within).limit)], 'slow');
    });
  },
};
