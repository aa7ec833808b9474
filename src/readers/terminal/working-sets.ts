/** What is said below a table over working sets, of memory and of latency alike: huge pages, a largest size that is none. */
import { isGpu } from '../../devices/device.js';
import { machineOn } from '../../devices/machine-on-part.js';
import { freeBeside, type Load } from '../../indicators/latency-load.js';
import { assumedLast, ofOneCore, shortOfMain } from '../../indicators/memory-sizes.js';
import type { MachineDescription } from '../../machine/types.js';
import { formatBytes, significant } from '../../quantities/format.js';
import type { PiBenchRecord, RecordBatch } from '../../record/schema.js';
import { hugePagesOf, lackingText } from '../huge-pages.js';
import { type Style, wrap } from './style.js';

export const bytesOf = (batch: RecordBatch): number => Number(batch.case.parameters.bytes);

const ASSUMED = '32 MiB for each eight CPUs';

/** Indicators whose largest size may be short of what was to be main memory's. */
const OVER_WORKING_SETS: readonly string[] = ['memory', 'latency'];

type Measured = Pick<PiBenchRecord, 'batches' | 'machine'>;

/** What a case loads beside what it measures: of most indicators nothing. */
const loadOf = ({ case: { parameters } }: RecordBatch): Load => ({
  load: Number(parameters.load ?? 0),
  loadBytes: Number(parameters.loadBytes ?? 0),
});

/** @param batches of one indicator on one device */
function shortOf({ batches, machine }: Measured): readonly string[] {
  const description = machine as unknown as MachineDescription;
  const device = batches[0]?.device ?? 'cpu';
  // Records that were not written here may tell less of their machine.
  if (isGpu(device) || !('limits' in machine)) return [];
  const largest = Math.max(...batches.map(bytesOf));
  const here = machineOn(device, description);
  const free = freeBeside(batches.map(loadOf), here);
  const ofOne = batches[0]?.case.indicator === 'latency';
  const read = ofOne ? ofOneCore(here.cpu) : here.cpu;
  const core = ofOne ? ' of one core' : '';
  const assumed = assumedLast(largest, here.cpu, free, read);
  const short = shortOfMain(largest, here.cpu, free, read);
  if (short === null) {
    return assumed === null
      ? []
      : [
          `the system lists no caches: that ${formatBytes(largest)} is past all caches${core} rests on ${formatBytes(assumed)} of them, ${ASSUMED}`,
        ];
  }
  const { which, held, times } = short;
  const reached = times <= 1 ? 'memory was not reached' : 'a part of it is read from caches';
  const [caches, condition] =
    assumed === null
      ? [`(${formatBytes(held)} together)`, '']
      : [`as assumed (${formatBytes(held)}, ${ASSUMED}, as the system lists none)`, 'if so, '];
  return [
    `${formatBytes(largest)} is ${significant(times, 2)} times ${which === 'last' ? 'the last' : 'all'} caches${core} ${caches}: ${condition}${reached}; half of the free memory allowed no more`,
  ];
}

/**
 * Where a sweep's largest size was to be memory's, and free memory did not allow it, or nothing tells whether it is: of each indicator
 * and device by itself, named where there are several.
 */
export function shortText({ batches, machine }: Measured): readonly string[] {
  const groups = new Map<string, RecordBatch[]>();
  for (const batch of batches) {
    const { indicator } = batch.case;
    if (!OVER_WORKING_SETS.includes(indicator)) continue;
    const name = `${indicator} on ${batch.device}`;
    groups.set(name, [...(groups.get(name) ?? []), batch]);
  }
  return [...groups].flatMap(([name, own]) =>
    shortOf({ batches: own, machine }).map((text) => (groups.size === 1 ? text : `${name}: ${text}`)),
  );
}

/**
 * Of working sets that take whole huge pages.
 * @param nameOf what else a batch is called beside its size
 */
export function hugePagesTexts(
  batches: readonly RecordBatch[],
  nameOf: (batch: RecordBatch) => string,
  style: Style,
): readonly string[] {
  const large = batches.flatMap((batch) => {
    const pages = hugePagesOf(batch);
    return pages === null ? [] : [{ batch, pages }];
  });
  if (large.length === 0) return [];
  const lacking = lackingText(
    large.map(({ batch }) => batch),
    large.map(({ batch }) => `${nameOf(batch)} ${formatBytes(bytesOf(batch))}`),
  );
  if (lacking.length > 0) return lacking.map((text) => style.warn(`huge pages are missing: ${text}`));
  const least = Math.min(...large.map(({ batch }) => bytesOf(batch)));
  const launches = batches
    .filter((batch) => bytesOf(batch) >= least)
    .reduce(
      (sum, { inspections }) => sum + inspections.filter(({ status }) => status === 'measured').length,
      0,
    );
  const telling = large.reduce((sum, { pages }) => sum + pages.telling, 0);
  const where = telling === launches ? 'every launch' : `the ${telling} of ${launches} launches that tell`;
  return [`huge pages wherever arrays from ${formatBytes(least)} on have room for one, in ${where}`];
}

export interface WorkingSetPage {
  readonly head: string;
  readonly table: readonly string[];
  readonly curves: readonly string[];
  /** Of this result. */
  readonly paragraphs: readonly string[];
  /** What the columns are. */
  readonly notes: string;
}

export function workingSetPage(
  { head, table, curves, paragraphs, notes }: WorkingSetPage,
  style: Style,
): string {
  const wrapped = (text: string): readonly string[] => wrap(text, style.width - 2);
  return [
    ...wrap(head, style.width),
    '',
    ...table,
    ...curves,
    '',
    ...paragraphs.flatMap(wrapped).map((line) => `  ${line}`),
    '',
    ...wrapped(notes).map((line) => `  ${style.dim(line)}`),
  ].join('\n');
}
