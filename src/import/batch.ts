/** A published batch as the record has it: the same statistics as our own batches where there are values, its table otherwise. Pure. */
import type { AnalysedInspection } from '../record/analyse-inspection.js';
import { flagsOf } from '../record/batch-flags.js';
import { recordedInterval } from '../record/batch-headline.js';
import type { RecordBatch, RecordInspection } from '../record/schema.js';
import { headlineOf } from '../statistics/batch.js';
import { describeSamples } from '../statistics/describe.js';
import { summarise } from '../statistics/summary.js';
import type { PublishedBatch, PublishedLaunch, TableStatistics } from './published.js';

const plain = <T>(value: object): T => JSON.parse(JSON.stringify(value)) as T;

type Figures = Pick<RecordBatch, 'elapsed' | 'launches' | 'violin' | 'box'>;

const NO_FIGURES: Figures = { elapsed: null, launches: null, violin: null, box: null };

function inspectionOf(launch: PublishedLaunch, index: number): RecordInspection {
  const { status, reason, elapsed, flopPerSecond, repetitions, flags, notChecked } = launch;
  return {
    index,
    status,
    reason,
    file: null,
    sha256: null,
    statistics: elapsed === null ? null : { n: repetitions, median: elapsed },
    rate: flopPerSecond === null ? null : { burst: flopPerSecond, sustained: null },
    disturbedShare: null,
    undisturbedMedian: null,
    steady: null,
    verification: null,
    flags: flags.map((flag) => plain(flag)),
    notChecked: notChecked.map((one) => ({ ...one })),
    spans: [],
  };
}

/** The launches are the sampling unit of our own batches too, so a published median of each is as good as one of ours. */
function ofLaunches(elapsed: readonly number[]): Figures {
  if (elapsed.length === 0) return NO_FIGURES;
  const { launchMedians, betweenLaunches, estimate, interval } = headlineOf(elapsed.map((value) => [value]));
  const drawn = elapsed.length < 2 ? null : describeSamples(elapsed);
  return {
    elapsed: {
      median: estimate,
      interval: recordedInterval(interval),
      range: [betweenLaunches.min, betweenLaunches.max],
      basis: interval.basis,
    },
    launches: plain({ medians: launchMedians, ...betweenLaunches }),
    violin: drawn === null ? null : plain(drawn.violin),
    box: drawn === null ? null : plain(drawn.box),
  };
}

/** With what follows from a table's figures by definition, and nothing that would need the values. */
function statisticsOf(table: TableStatistics): NonNullable<RecordBatch['launches']> {
  const { n, mean, std, q1, q3, median } = table;
  return plain({
    ...table,
    stdError: std / Math.sqrt(n),
    iqr: q3 - q1,
    cv: std / mean,
    covm: (q3 - q1) / median,
  });
}

/** Five numbers make a box whose whiskers are the extremes; which values Tukey's fences leave out, a table does not tell. */
function ofTable(table: TableStatistics): Figures {
  const { median, min, max, q1, q3 } = table;
  const ends = { whiskerLow: min, whiskerHigh: max, outliersBelow: null, outliersAbove: null, min, max };
  return {
    elapsed: { median, interval: null, range: [min, max], basis: 'published table' },
    launches: statisticsOf(table),
    violin: null,
    box: plain({ lowerHinge: q1, median, upperHinge: q3, ...ends }),
  };
}

function rateOf({ work }: PublishedBatch, elapsed: RecordBatch['elapsed']): RecordBatch['rate'] {
  if (work === null || elapsed === null) return null;
  const { interval, median } = elapsed;
  return {
    median: work.flop / median,
    p05: null,
    sustained: null,
    interval:
      interval === null
        ? null
        : { ...interval, low: work.flop / interval.high, high: work.flop / interval.low },
  };
}

function publishedRates({ values }: PublishedBatch): Record<string, never> | null {
  if (values.kind === 'table') return values.rates === null ? null : plain(statisticsOf(values.rates));
  const rates = values.launches.flatMap(({ flopPerSecond }) => flopPerSecond ?? []);
  return rates.length === 0 ? null : plain(summarise(rates));
}

/** @param firstIndex of its launches, which are numbered through the record */
export function importedBatch(published: PublishedBatch, firstIndex: number): RecordBatch {
  const { values, asked, stack, device, repetitions, work, source, statistic } = published;
  const launches = values.kind === 'launches' ? values.launches : [];
  const inspections = launches.map((launch, i) => inspectionOf(launch, firstIndex + i));
  const measured = launches.filter(({ status }) => status === 'measured');
  const figures =
    values.kind === 'table'
      ? ofTable(values.elapsed)
      : ofLaunches(measured.flatMap(({ elapsed }) => elapsed ?? []));
  const all = inspections.map(({ index }) => index);
  const analysed: readonly Pick<AnalysedInspection, 'entry'>[] = inspections.map((entry) => ({ entry }));
  return {
    case: published.case,
    title: published.title,
    work,
    rateCounts: 'flop',
    rateUnit: 'FLOP/s',
    stack,
    device,
    asked: {
      case: published.case,
      stack: { provider: stack.provider, variant: stack.variant },
      device,
      inspections: asked,
      sampling: repetitions === null ? null : { kind: 'fixed', repetitions },
      warmup: null,
      timeout: null,
    },
    planned: asked,
    measured: values.kind === 'table' ? values.elapsed.n : measured.length,
    verified: 'not-run',
    ...figures,
    rate: rateOf(published, figures.elapsed),
    roofline: null,
    pooled: null,
    disturbedShare: null,
    flags: [
      ...published.flags.map((flag) => ({
        ...plain<typeof flag>(flag),
        evidence: { ...flag.evidence },
        inspections: all,
      })),
      ...flagsOf(analysed),
    ],
    inspections,
    imported: {
      source,
      ...(values.kind === 'table' ? { table: values.file } : {}),
      values: values.kind,
      statistic,
      rates: publishedRates(published),
      notChecked: published.notChecked.map((one) => ({ ...one })),
      remarks: [...published.remarks],
    },
  };
}
