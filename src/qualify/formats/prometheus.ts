/**
 * The verdict as OpenMetrics, which is Prometheus text too, without timestamps, as node_exporter's textfile collector and a Pushgateway take it. Gauges
 * only: a verdict is a state. `pi_bench_last_run_timestamp_seconds` says how old it is.
 */
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

function metricsOf({ qualification, kpis, labels: ofRecord }: Judged): readonly Metric[] {
  const { suite, outcome, checks, endedAt, wall, identity } = qualification;
  const serials = new Map(identity.devices.map(({ device, serial }) => [device, serial ?? '']));
  const of = { suite: suite.name };
  const serialOf = (device: string | null): LabelValues => ({
    device: device ?? '',
    serial: device === null ? '' : (serials.get(device) ?? ''),
  });
  const scalars = kpis.flatMap((kpi) => ('value' in kpi && kpi.regression ? [kpi] : []));
  return [
    {
      name: 'pi_bench_qualified',
      help: '1: the node is qualified; 0: it is not, or nobody knows',
      samples: [[of, Number(outcome === 'qualified')]],
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
          { ...of, check: id, kind, ...serialOf(device), required: String(required), verdict: name },
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
                    ...serialOf(device),
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
      samples: scalars.map(({ name, value, unit, statistic, labels }): [LabelValues, number] => [
        {
          ...of,
          kpi: name,
          statistic,
          unit,
          part: String(labels.part ?? ''),
          ...serialOf(String(labels.device ?? '')),
          ...caseLabels(labels, ofRecord),
        },
        value,
      ]),
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

/** Labels of the case, which tell the batches of one part apart; those of the whole record would only be repeated. */
function caseLabels(labels: Judged['labels'], ofRecord: Judged['labels']): LabelValues {
  const taken = new Set(['part', 'device', 'indicator', 'repetitions', ...Object.keys(ofRecord)]);
  const own = Object.entries(labels).filter(
    ([name, value]) => !taken.has(name) && !name.startsWith('stack') && value !== null,
  );
  return Object.fromEntries(
    own.map(([name, value]) => [`case_${name.replaceAll(/[^A-Za-z0-9_]/g, '_')}`, String(value)]),
  );
}

/** OpenMetrics ends with it, and to Prometheus' own format it is a comment: the text is both. */
const END = '# EOF\n';

export const prom: VerdictFormat = {
  name: 'prom',
  file: 'qualification.prom',
  text: (record) => `${metricsOf(record).map(metricText).join('')}${END}`,
};
