/**
 * The verdict as OpenMetrics, which is Prometheus text too, without timestamps, as node_exporter's textfile collector and a Pushgateway take it. Gauges
 * only: a verdict is a state. `pi_bench_last_run_timestamp_seconds` says how old it is.
 */
import { nameBatches } from '../../readers/batch-names.js';
import { kpisOfBatches } from '../../readers/kpis-of-batches.js';
import { canonicalJson } from '../../record/digest.js';
import { batchLabels, LABEL_NAMES } from '../../record/labels.js';
import type { RecordBatch, ScalarKpi } from '../../record/schema.js';
import type { Judged, VerdictFormat } from './format.js';

type LabelValues = Readonly<Record<string, string>>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly (readonly [LabelValues, number])[];
}

/** A backslash, a quote and a line's end have to be escaped in a label's value. */
const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function sampleLine(name: string, labels: LabelValues, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

const metricText = ({ name, help, samples }: Metric): string =>
  samples.length === 0
    ? ''
    : [
        `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', ' ')}`,
        `# TYPE ${name} gauge`,
        ...samples.map(([labels, value]) => sampleLine(name, labels, value)),
        '',
      ].join('\n');

/** 1 for the one that holds and 0 for the others, so that a change is seen in one series. */
const VERDICTS = ['pass', 'warn', 'fail', 'inconclusive', 'skipped'] as const;
const OUTCOMES = ['qualified', 'not-qualified', 'inconclusive'] as const;

function metricsOf(record: Judged): readonly Metric[] {
  const { qualification } = record;
  const { fault } = record.campaign;
  const { suite, outcome, checks, endedAt, wall } = qualification;
  const of = { suite: suite.name };
  const kpis = kpiSeriesOf(record);
  return [
    {
      name: 'pi_bench_qualified',
      help: '1: the node is qualified; 0: it is not, or nobody knows',
      samples: [[of, Number(outcome === 'qualified')]],
    },
    {
      name: 'pi_bench_fault_injected',
      help: '1: a fault was injected on purpose, so nothing here is about the machine; absent: none was',
      samples: fault === null ? [] : [[{ ...of, fault: fault.kind }, 1]],
    },
    {
      name: 'pi_bench_outcome',
      help: '1 for what the qualification came to, 0 for what it did not',
      samples: OUTCOMES.map((name) => [{ ...of, outcome: name }, Number(name === outcome)]),
    },
    {
      name: 'pi_bench_check_status',
      help: '1 for the verdict of a check, 0 for the others',
      samples: checks.flatMap(({ id, kind, device, required, verdict }) =>
        VERDICTS.map((name): [LabelValues, number] => [
          {
            ...of,
            check: id,
            kind,
            ...serialOf(qualification, device),
            required: String(required),
            verdict: name,
          },
          Number(name === verdict),
        ]),
      ),
    },
    {
      name: 'pi_bench_finding',
      help: 'What a check measured, in the unit of the label',
      samples: checks.flatMap(({ id, device, findings }) =>
        findings.flatMap(({ quantity, measured, unit, note }, i): [LabelValues, number][] =>
          typeof measured === 'number'
            ? [
                [
                  {
                    ...of,
                    check: id,
                    ...serialOf(qualification, device),
                    quantity,
                    unit: unit ?? '',
                    // Of one quantity there may be several: a NUMA node each.
                    of:
                      findings.findIndex((one) => one.quantity === quantity) === i ? '' : (note ?? String(i)),
                  },
                  measured,
                ],
              ]
            : [],
        ),
      ),
    },
    {
      name: 'pi_bench_kpi',
      help: 'KPIs of what was measured, in the unit of the label',
      samples: kpis.map(({ labels, kpi }) => [labels, kpi.value]),
    },
    {
      name: 'pi_bench_kpi_low',
      help: 'Lower end of the 95 % interval of a KPI; the label basis says what it rests on',
      samples: kpis.flatMap((one) => endOf(one, 'low')),
    },
    {
      name: 'pi_bench_kpi_high',
      help: 'Upper end of the 95 % interval of a KPI; the label basis says what it rests on',
      samples: kpis.flatMap((one) => endOf(one, 'high')),
    },
    {
      name: 'pi_bench_kpi_flag',
      help: 'What spoils or limits a KPI, 1 for each flag of its batch',
      samples: kpis.flatMap(({ labels, kpi }) => eachOf(labels, kpi.flags ?? [])),
    },
    {
      name: 'pi_bench_kpi_flag_not_checked',
      help: '1 for each flag that could not be looked for: of these no flag is no good news',
      samples: kpis.flatMap(({ labels, kpi }) => eachOf(labels, kpi.notChecked ?? [])),
    },
    {
      name: 'pi_bench_run_seconds',
      help: 'How long the qualification took',
      samples: [[of, wall]],
    },
    {
      name: 'pi_bench_last_run_timestamp_seconds',
      help: 'When the qualification ended, in seconds since 1970',
      samples: [[of, Date.parse(endedAt) / 1000]],
    },
  ];
}

interface KpiSeries {
  readonly labels: LabelValues;
  readonly kpi: ScalarKpi;
}

function kpiSeriesOf(record: Judged): readonly KpiSeries[] {
  const { qualification } = record;
  const { fault } = record.campaign;
  const ownNames = namesOf(record);
  return kpisOfBatches(record).flatMap((kpis, i) =>
    kpis
      .filter(({ regression }) => regression)
      .map((kpi): KpiSeries => {
        const { name, direction, unit, statistic, labels } = kpi;
        return {
          labels: {
            suite: qualification.suite.name,
            kpi: name,
            statistic,
            unit,
            direction,
            part: String(labels.part ?? ''),
            ...serialOf(qualification, String(labels.device ?? '')),
            ...stackLabels(labels),
            ...caseLabels(labels, record.labels),
            ...(fault === null ? {} : { fault_injected: fault.kind }),
            ...ownNames[i],
          },
          kpi,
        };
      }),
  );
}

const eachOf = (labels: LabelValues, flags: readonly string[]): readonly [LabelValues, number][] =>
  flags.map((flag) => [{ ...labels, flag }, 1]);

/** None where the KPI has no interval. */
const endOf = ({ labels, kpi: { ci } }: KpiSeries, end: 'low' | 'high'): readonly [LabelValues, number][] =>
  ci === null ? [] : [[{ ...labels, basis: ci.basis ?? '' }, ci[end]]];

const serialOf = ({ identity }: Judged['qualification'], device: string | null): LabelValues => ({
  device: device ?? '',
  serial: identity.devices.find((one) => one.device === device)?.serial ?? '',
});

/** The software that was measured, as it was asked for: what of it changes with an update would begin a new series. */
const stackLabels = ({ stack, stack_variant, stack_own }: Judged['labels']): LabelValues => ({
  stack: String(stack ?? ''),
  stack_variant: String(stack_variant ?? ''),
  stack_own: String(stack_own ?? ''),
});

/** Told by labels of their own, or by `batch`. */
const OTHERS = new Set([
  ...['part', 'device', 'indicator', 'repetitions'],
  ...LABEL_NAMES.filter((name) => name.startsWith('stack')),
]);

/**
 * Labels of the case, which tell the batches of one part apart; what the whole record has in common would only be repeated. The record
 * has each name that some batch gives, without a value: what counts is whether the batch says something else.
 */
function caseLabels(labels: Judged['labels'], ofRecord: Judged['labels']): LabelValues {
  const own = Object.entries(labels).filter(
    ([name, value]) => !OTHERS.has(name) && value !== null && value !== ofRecord[name],
  );
  return Object.fromEntries(
    own.map(([name, value]) => [`case_${name.replaceAll(/[^A-Za-z0-9_]/g, '_')}`, String(value)]),
  );
}

/** Of each batch what tells it from those that have all other labels in common, as they differ in their repetitions: a series that is there twice is refused with the whole text. */
function namesOf({ batches, labels }: Judged): readonly LabelValues[] {
  const groups = new Map<string, RecordBatch[]>();
  const keys = batches.map((batch) => {
    const { repetitions: _, ...all } = batchLabels(labels, batch);
    const key = canonicalJson([all.part ?? '', all.device ?? '', stackLabels(all), caseLabels(all, labels)]);
    groups.set(key, [...(groups.get(key) ?? []), batch]);
    return key;
  });
  return batches.map((batch, i) => {
    const alike = groups.get(keys[i] ?? '') ?? [];
    const name = nameBatches(alike).names[alike.indexOf(batch)] ?? null;
    return name === null ? {} : { batch: name };
  });
}

/** OpenMetrics ends with it, and to Prometheus' own format it is a comment: the text is both. */
const END = '# EOF\n';

export const prom: VerdictFormat = {
  name: 'prom',
  file: 'qualification.prom',
  text: (record) => `${metricsOf(record).map(metricText).join('')}${END}`,
};
