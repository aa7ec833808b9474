/** What was imported, for a person: its figures, where they come from, and what nobody published of them. */
import { formatSeconds, formatShare, plural, withPrefix } from '../../quantities/format.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { basisText } from './basis.js';
import { type Style, wrap } from './style.js';
import type { Row } from './table.js';

export const NOT_VERIFIED = 'not verified: nobody published whether outputs were right';

const numberOf = (statistics: RecordBatch['launches'], name: string): number | null => {
  const value = statistics?.[name];
  return typeof value === 'number' ? value : null;
};

const repetitionsOf = ({ asked }: RecordBatch): number | null =>
  asked.sampling?.kind === 'fixed' ? asked.sampling.repetitions : null;

/** Of a batch alone: in place of the rows of what was measured here. */
export function importedRows(batch: RecordBatch, style: Style): Row[] {
  const { elapsed, rate, launches, imported, rateUnit } = batch;
  if (elapsed === null || imported === undefined) return [];
  const repetitions = repetitionsOf(batch);
  const statistic = imported.statistic === 'not told' ? 'one value' : `the ${imported.statistic} of each`;
  const { interval } = elapsed;
  const between =
    interval === null
      ? ''
      : `, 95 % between ${formatSeconds(interval.low)} and ${formatSeconds(interval.high)}`;
  const [cv, std, iqr] = ['cv', 'std', 'iqr'].map((name) => numberOf(launches, name));
  const spread = [
    cv == null ? null : `CV ${formatShare(cv)}`,
    std == null ? null : `std ${formatSeconds(std, 3)}`,
    iqr == null ? null : `IQR ${formatSeconds(iqr, 3)}`,
    elapsed.range === null
      ? null
      : `${formatSeconds(elapsed.range[0])} to ${formatSeconds(elapsed.range[1])}`,
  ].filter((part) => part !== null);
  const known = repetitions === null ? 'repetitions not known' : `${plural(repetitions, 'repetition')} each`;
  return [
    ['source', `${imported.source}, published by others`],
    ...(rate === null
      ? ([['rate', 'not known: the work of a repetition was not published']] as Row[])
      : ([['rate', style.bold(withPrefix(rate.median, rateUnit))]] as Row[])),
    ['elapsed', `${formatSeconds(elapsed.median)} a repetition${between}`],
    ['', style.dim(`${basisText(batch)}; ${statistic} launch, ${known}`)],
    ...(batch.measured > 1 ? ([['spread', `${spread.join(', ')}, between launches`]] as Row[]) : []),
  ];
}

/** Faults of the published figures. */
export function importedLines({ imported }: RecordBatch, style: Style): string[] {
  return (imported?.remarks ?? []).flatMap((remark) =>
    wrap(`remark: ${remark}`, style.width - 2).map((line) => `  ${style.warn(line)}`),
  );
}

/** What is said of several batches below their one table: each flag, with its letter there and the reason of the first batch that has it. */
export function importedNotes(
  batches: readonly RecordBatch[],
  letters: ReadonlyMap<string, string>,
  style: Style,
): Row[] {
  const flags = new Map<string, { reason: string; count: number }>();
  for (const { name, reason } of batches.flatMap((batch) => batch.flags)) {
    const known = flags.get(name);
    flags.set(name, { reason: known?.reason ?? reason, count: (known?.count ?? 0) + 1 });
  }
  const found = [...flags].map(([name, { reason, count }]): Row => {
    const first = count === 1 ? '' : ' the first:';
    return [
      'flags',
      `${style.warn(`${letters.get(name) ?? ''} ${name}`)} in ${count} of ${plural(batches.length, 'batch', 'batches')};${first} ${reason}`,
    ];
  });
  return [
    ['output', style.warn(NOT_VERIFIED)],
    ...(found.length > 0 ? found : ([['flags', style.good('none was found')]] as Row[])),
  ];
}

/** Faults of the published figures, each once. */
export const remarksOf = (batches: readonly RecordBatch[]): readonly string[] => [
  ...new Set(batches.flatMap(({ imported }) => imported?.remarks ?? [])),
];

/** Whether the CPUs that its label gives as the limit are those that were requested, and the limit itself was not published. */
export const limitIsRequest = ({ imported }: Pick<PiBenchRecord, 'imported'>): boolean =>
  imported?.notKnown.some(({ what }) => what === 'limit of CPUs') ?? false;

/** Of the machine; null: nothing was published of it. */
export function limitText(record: Pick<PiBenchRecord, 'imported' | 'labels'>): string | null {
  const { imported, labels } = record;
  if (imported === undefined || labels.cgroup_cpu_quota === null) return null;
  const { cgroup_cpu_quota: cpus } = labels;
  return limitIsRequest(record) ? `${cpus} requested` : `limited to ${cpus}`;
}

/** Where it comes from, and what is missing there. */
export function sourceRows({ imported }: PiBenchRecord): Row[] {
  if (imported === undefined) return [];
  const { format, files, measured, notKnown } = imported;
  const when =
    measured === null
      ? 'when it was measured is not known'
      : `measured ${measured.from.slice(0, 10)}${measured.to.slice(0, 10) === measured.from.slice(0, 10) ? '' : ` to ${measured.to.slice(0, 10)}`}`;
  return [
    ['imported', `${plural(files.length, 'file')} of ${format}; ${when}`],
    ['not known', notKnown.map(({ what }) => what).join(', ')],
  ];
}
