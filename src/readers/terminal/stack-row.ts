/** What a record's page says of a library or framework that was measured: whose file it is, how its threads were placed, and in what it ran. */
import { basename } from 'node:path';
import { plural, significant } from '../../quantities/format.js';
import type { RecordBatch } from '../../record/schema.js';
import { median } from '../../statistics/quantile.js';
import { variableTexts } from '../own-variables.js';
import type { Row } from './table.js';

const TOGETHER = 'fewer threads were found than were asked for, so that they share the CPUs of the case';

const isWarmedUp = ({ warmup }: RecordBatch['asked']): boolean =>
  warmup == null || warmup.kind !== 'count' || warmup.count > 0;

/** Without a warm-up nobody looks before the first repetition, in which most libraries make their threads. */
const bindingText = (binding: NonNullable<RecordBatch['stack']['threadBinding']>, isWarm: boolean): string =>
  ({
    each: 'its threads bound to a CPU each',
    together: isWarm
      ? `${TOGETHER}: it makes them anew in each call, or has fewer`
      : `${TOGETHER}: without a warm-up they were looked for before there were any`,
    none: 'its threads not bound',
  })[binding];

/** `onnxruntime-node 1.30.0, onnxruntime-common 1.30.0`; null: it is no framework. */
export const packagesText = ({ packages }: Pick<RecordBatch['stack'], 'packages'>): string | null =>
  packages === undefined
    ? null
    : Object.entries(packages)
        .map(([name, version]) => `${name} ${version}`)
        .join(', ');

/** Of a stack from a stack file: its packages, those first that the file names. */
function ownRow({ own }: RecordBatch['stack']): Row[] {
  if (own === undefined) return [];
  const asked = own.packages.filter((one) => one.asked).map(({ name, version }) => `${name} ${version}`);
  const others = own.packages.length - asked.length;
  const parts = [
    ...asked,
    ...(others === 0 ? [] : [`${plural(others, 'package')} that these depend on`]),
    ...variableTexts(own),
    ...(own.lock === null ? [] : [`lock ${own.lock.slice(0, 12)}`]),
  ];
  return [['runs in', parts.length === 0 ? 'folders of its own' : parts.join(', ')]];
}

/** How many of the threads that were asked for there was work for, where nobody saw them. */
function usedText({ stack, inspections, asked }: RecordBatch): string[] {
  const used = inspections.flatMap(({ cpusUsed }) => cpusUsed ?? []);
  const threads = Number(asked.case.parameters.threads);
  return stack.threadBinding === 'together' && used.length > 0
    ? [`it used the time of about ${significant(median(used), 2)} of ${threads} CPUs`]
    : [];
}

function libraryRow(batch: RecordBatch): Row[] {
  const { stack, asked } = batch;
  if (stack.path == null) return [];
  const { path, version, package: owner, threadBinding, timed } = stack;
  const packages = packagesText(stack);
  // Of one thread that is not bound there is nothing to say.
  const placed =
    threadBinding === undefined || (threadBinding === 'none' && asked.case.parameters.pin !== true)
      ? []
      : [bindingText(threadBinding, isWarmedUp(asked)), ...usedText(batch)];
  if (packages !== null) {
    const holds = timed === undefined ? [] : [`a repetition also holds ${timed}`];
    // Where it lies is long, and in the record.
    return [['framework', [packages, basename(path), ...placed, ...holds].join(', ')]];
  }
  const parts = [
    path,
    ...(version === null ? [] : [version.trim()]),
    ...(owner == null ? [] : [owner]),
    ...placed,
  ];
  return [['library', parts.join(', ')]];
}

/** Nothing for our own kernels, and for what others published. */
export const stackRow = (batch: RecordBatch): Row[] => [...libraryRow(batch), ...ownRow(batch.stack)];
